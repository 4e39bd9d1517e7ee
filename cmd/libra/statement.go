package main

import (
	"context"
	"io"
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
	form    look
}

func newStatement(con *console) *cobra.Command {
	var opts statementOptions
	cmd := &cobra.Command{
		Use:   "statement",
		Short: "Show what happened on an account",
		Long: `Show what happened on an account in a month, or from one time to another: charges,
penalties paid back, grants and transfers, with the balance after each. Months are in
UTC; without any it is the one under way.

-o, --format and --sort-by show its lines in other ways. --csv writes all of it for a
spreadsheet, opening and closing balance included, and --focus writes jobs and rents for cost tools (FOCUS);
- is standard output.`,
		Example: `  libra statement
  libra statement --month 2026-11 --csv november.csv
  libra statement --sort-by=amount -o wide
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
	opts.form.flags(cmd, statementColumns.names())
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
	o.json = o.json || o.form.form == asJSON
	if (o.csv != "" || o.focus != "") && (o.json || !o.form.usual()) {
		return p, usagef("a file (--csv, --focus) excludes --json, -o, --format and --sort-by")
	}
	if err := statementColumns.check(&o.form); err != nil {
		return p, err
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
	if err := o.known(ctx, market, p); err != nil {
		return err
	}
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
	switch {
	case o.json:
		if err := statementColumns.sort(&o.form, s.Lines); err != nil {
			return err
		}
		return con.writeJSON(s)
	case !o.form.usual():
		return statementColumns.print(&o.form, con.out, s.Lines)
	}
	return printStatement(con.out, &s)
}

// known finds an account that there is not, of which nothing has ever happened and a
// statement would say just that.
func (o *statementOptions) known(ctx context.Context, market *client.Client, p client.Period) error {
	if p.Account == "" {
		return nil
	}
	there, err := market.Accounts(ctx, p.Account)
	if err != nil || len(there) > 0 {
		return err
	}
	s, err := market.Statement(ctx, p)
	if err != nil || len(s.Lines) > 0 || s.Opening != 0 {
		return err
	}
	return noAccount(ctx, market, p.Account, o.words())
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
		g.add(time.UnixMicro(l.At).UTC().Format(time.DateTime), ledger.Kind(l.Kind).Label(), lineJob(l), clipped(l.Memo, memoShown), bare(l.Amount), bare(l.Balance))
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
