package main

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
)

// statementOptions are the flags of libra statement.
type statementOptions struct {
	liveOptions
	period  periodOptions
	account string
	month   string
	subtree bool
	csv     string
	focus   string
}

func newStatement(con *console) *cobra.Command {
	var opts statementOptions
	cmd := &cobra.Command{
		Use:   "statement",
		Short: "Show what happened on an account",
		Long: `Show what happened on an account in a month, or from one time to another: charges,
penalties paid back, grants and transfers, with the balance after each. Months are in
UTC; without any it is the one under way.

--csv writes it for a spreadsheet, and --focus writes jobs and rents for cost tools (FOCUS);
- is standard output.`,
		Example: `  libra statement
  libra statement --month 2026-11 --csv november.csv
  libra statement --account lab --subtree --from 2026-11-01 --to 2026-11-08
  libra statement --month 2026-11 --focus - | head`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := opts.clientPeriod()
			if err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				return opts.run(ctx, con, market, p)
			})
		},
	}
	opts.flags(cmd)
	opts.period.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&opts.account, "account", "", "`path` of the account (default: your own)")
	f.BoolVar(&opts.subtree, "subtree", false, "with all accounts below it, as one")
	f.StringVar(&opts.month, "month", "", "a `month`: 2026-11 (default: the one under way)")
	f.StringVar(&opts.csv, "csv", "", "write it to a CSV `file`; - is standard output")
	f.StringVar(&opts.focus, "focus", "", "write jobs and rents to a FOCUS `file`; - is standard output")
	return cmd
}

func (o *statementOptions) clientPeriod() (client.Period, error) {
	p := client.Period{Account: o.account, Subtree: o.subtree, Month: o.month}
	if o.csv != "" && o.focus != "" {
		return p, usagef("--csv and --focus exclude each other")
	}
	if (o.csv != "" || o.focus != "") && o.json {
		return p, usagef("--json and a file exclude each other")
	}
	if o.month != "" {
		if o.period.given() {
			return p, usagef("--month, and --from and --to, exclude each other")
		}
		if _, err := time.Parse("2006-01", o.month); err != nil {
			return p, usagef("--month: %q is not a month (want 2026-11)", o.month)
		}
	}
	var err error
	p.FromUS, p.ToUS, err = o.period.span()
	return p, err
}

func (o *statementOptions) run(ctx context.Context, con *console, market *client.Client, p client.Period) error {
	path, format := o.csv, "csv"
	if o.focus != "" {
		path, format = o.focus, "focus"
	}
	if path != "" {
		stream, err := market.StatementFile(ctx, p, format)
		if err != nil {
			return err
		}
		defer stream.Close()
		return con.writeOutput(path, func(out io.Writer) error {
			_, err := io.Copy(out, stream)
			return err
		})
	}
	s, err := market.Statement(ctx, p)
	if err != nil {
		return err
	}
	if o.json {
		return con.writeJSON(s)
	}
	return printStatement(con.out, &s)
}

// memoShown is how much of a memo is shown: what the market itself writes there has
// numbers in it, and is not cut.
const memoShown = 100

func printStatement(out io.Writer, s *v1.Statement) error {
	what := s.Account
	if s.Subtree {
		what += " and all below it"
	}
	if _, err := printf(out, "%s, %s to %s UTC\n\n", what, dayUTC(s.Period.Start), dayUTC(s.Period.End)); err != nil {
		return err
	}
	g := &grid{left: 4, head: true}
	g.add("when (UTC)", "what", "job", "memo", inUnit("amount"), inUnit("balance"))
	g.add("", "opening", "", "", "", bare(s.Opening))
	for i := range s.Lines {
		l := &s.Lines[i]
		job := l.Quote
		if l.Job != v1.NoJob {
			job = strconv.FormatInt(l.Job, 10)
		}
		g.add(time.UnixMicro(l.At).UTC().Format(time.DateTime), ledger.Kind(l.Kind).Label(), job, clipped(l.Memo, memoShown), bare(l.Amount), bare(l.Balance))
	}
	g.add("", "closing", "", "", "", bare(s.Closing))
	if s.Held != 0 {
		g.add("", "of which held", "", "", "", bare(s.Held))
	}
	return g.write(out, "")
}

func dayUTC(us int64) string {
	at := time.UnixMicro(us).UTC()
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
