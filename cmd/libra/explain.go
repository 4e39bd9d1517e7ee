package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newExplain(con *console) *cobra.Command {
	var opts liveOptions
	cmd := &cobra.Command{
		Use:   "explain ID...",
		Short: "Say why a job stands as it does",
		Long: `Say why a job waits or how fast it runs, what it needs to be in time, when it will be
done as things stand, and how sure that is.`,
		Example: `  libra explain 12
  libra explain last
  libra explain 12-15
  libra explain 12 --json`,
		Args:              someIDs,
		ValidArgsFunction: opts.completeJobs(statesOf(false)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := readNames(args)
			if err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				return showEach(ctx, con, market, names, opts.json, market.Explain, func(e *v1.Explanation) error { return printExplanation(con.out, e) })
			})
		},
	}
	opts.flags(cmd)
	return cmd
}

func printExplanation(out io.Writer, e *v1.Explanation) error {
	summary := e.Summary
	if summary == "" {
		summary = e.State.Word()
	}
	if err := paragraph(out, "", inWords(e.Job, summary)); err != nil {
		return err
	}
	for _, why := range e.Because {
		if err := paragraph(out, "  - ", why); err != nil {
			return err
		}
	}
	g := &grid{left: 2}
	if e.State == v1.Queued {
		g.add("ahead of it", number(int64(e.Ahead), "job"))
	}
	if e.State == v1.Running || e.State == v1.Stopping {
		g.add("share", share(e.Share))
		if e.Need > 0 {
			g.add("needs", share(e.Need))
		}
	}
	if e.DueUS != 0 && !e.State.Final() {
		g.add("due", momentAnd(e.DueUS))
	} else if e.DueUS != 0 {
		g.add("was due", moment(e.DueUS))
	}
	if e.PredictedUS != 0 {
		g.add("predicted", momentAnd(e.PredictedUS))
	}
	if e.DueUS != 0 && !e.State.Final() && e.Odds > 0 {
		odds := percent(e.Odds) + " that it is in time"
		if e.OddsFrom != "" {
			odds += " (" + e.OddsFrom + ")"
		}
		g.add("odds", odds)
	}
	if e.Part != "" {
		g.add("part", string(e.Part))
		g.add("optional", fmt.Sprintf("%s executed, worth %s", lastingMS(e.OptionalMS), cash(e.Optional)))
	}
	if e.State.Final() {
		g.add("charged", cash(e.CostNow))
	} else {
		g.add("costs", cash(e.CostNow))
	}
	if e.CancelNow != nil && *e.CancelNow != e.CostNow {
		g.add("if cancelled", cash(*e.CancelNow))
	}
	if e.PenaltyNow != 0 {
		g.add("penalty so far", cash(e.PenaltyNow))
	}
	return g.write(out, "")
}

// inWords says of a job how it stands: "job 12 waits", "job 12: its optional part runs".
func inWords(id int64, summary string) string {
	if strings.HasPrefix(summary, "its ") {
		return fmt.Sprintf("job %d: %s", id, summary)
	}
	return fmt.Sprintf("job %d %s", id, summary)
}
