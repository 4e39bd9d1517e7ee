package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// periodOptions are the flags of commands that look at a stretch of time.
type periodOptions struct{ from, to string }

func (o *periodOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "from this `time` on: 2026-11-01 or RFC 3339 (default: the month under way)")
	f.StringVar(&o.to, "to", "", "until this `time`, which is not in it (default: now)")
}

func (o *periodOptions) given() bool { return o.from != "" || o.to != "" }

// span reads both ends; one that is not given is 0.
func (o *periodOptions) span() (fromUS, toUS int64, err error) {
	if fromUS, err = pointInTime("from", o.from); err != nil {
		return 0, 0, err
	}
	if toUS, err = pointInTime("to", o.to); err != nil {
		return 0, 0, err
	}
	if toUS != 0 && toUS <= fromUS {
		return 0, 0, usagef("--to: %q is not after --from", o.to)
	}
	return fromUS, toUS, nil
}

func pointInTime(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil && at.UnixMicro() > 0 {
			return at.UnixMicro(), nil
		}
	}
	return 0, usagef("--%s: %q is not a time (want 2026-11-01 or 2026-11-01T12:00:00Z)", flag, text)
}

func newReport(con *console) *cobra.Command {
	var opts liveOptions
	var period periodOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Sum up the business: promises kept and missed, revenue against its bound",
		Long: `Sum up the business of the month under way, or of another stretch of time: what came
and what became of it, the promises made, kept, missed and paid for, and the revenue
beside the most that the same jobs could have brought. Jobs are counted by when they
were submitted, the rent of quotes by when it was paid. For the owner of the cluster.
Days are in UTC.`,
		Example: `  libra report
  libra report --from 2026-11-01 --to 2026-12-01 --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fromUS, toUS, err := period.span()
			if err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				t, err := market.Tally(ctx, fromUS, toUS)
				if err != nil {
					return err
				}
				if opts.json {
					return con.writeJSON(t)
				}
				return printTally(con.out, &t)
			})
		},
	}
	opts.flags(cmd)
	period.flags(cmd)
	return cmd
}

func printTally(out io.Writer, t *v1.Tally) error {
	if _, err := printf(out, "%s to %s UTC\n\n", dayUTC(t.FromUS), dayUTC(t.ToUS)); err != nil {
		return err
	}
	g := &grid{left: 1}
	g.add("jobs", count(t.Submitted))
	g.add("  accepted", count(t.Accepted), percentOf(t.Accepted, t.Submitted))
	g.add("  refused", count(t.Rejected), percentOf(t.Rejected, t.Submitted))
	for _, reason := range slices.Sorted(maps.Keys(t.Reasons)) {
		g.add("    "+reason, count(t.Reasons[reason]), percentOf(t.Reasons[reason], t.Submitted))
	}
	g.add("  completed", count(t.Completed), percentOf(t.Completed, t.Submitted))
	g.add("  failed", count(t.Failed), percentOf(t.Failed, t.Submitted))
	g.add("  stopped", count(t.Stopped), percentOf(t.Stopped, t.Submitted))
	g.add("  cancelled", count(t.Cancelled), percentOf(t.Cancelled, t.Submitted))
	for _, some := range []struct {
		name string
		n    int64
	}{{"  lost", t.Lost}, {"  expired", t.Expired}} {
		if some.n > 0 {
			g.add(some.name, count(some.n), percentOf(some.n, t.Submitted))
		}
	}
	g.add("  under way", count(t.Underway), percentOf(t.Underway, t.Submitted))
	g.add("promises", count(t.Promised))
	g.add("  kept", count(t.Kept), percentOf(t.Kept, t.Promised))
	g.add("  missed", count(t.Missed), percentOf(t.Missed, t.Promised))
	g.add("revenue", cash(t.Revenue))
	g.add("  penalties paid", cash(-t.Penalties))
	g.add("  net", cash(t.Net))
	g.add("rent of quotes not taken", cash(t.Rent))
	g.add("income", cash(t.Net+t.Rent)) // as the market adds it up; those of before do not say
	if t.Allowances != 0 {
		g.add("paid as allowances", cash(t.Allowances))
	}
	g.add("offered by all who came", cash(t.Offered), percentOf(t.Net, t.Offered))
	if t.Bound != 0 {
		g.add("bound on revenue", cash(t.Bound), percentOf(t.Net, t.Bound))
	}
	g.add("work sold", grouped(t.Used, 0)+" s", percent(t.Utilized))
	if err := g.write(out, ""); err != nil || t.BoundHow == "" {
		return err
	}
	if _, err := printline(out); err != nil {
		return err
	}
	return prose(out, "the bound: %s", t.BoundHow)
}
