package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/lab/habit"
	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/wire"
)

func newEstimate(con *console) *cobra.Command {
	var opts liveOptions
	procs, trace := 1, ""
	cmd := &cobra.Command{
		Use:   "estimate [flags] (PROGRAM | --trace FILE)",
		Short: "Propose an estimate from how long a program ran before",
		Long: `Propose an estimate for a program from your own jobs that ran it and have completed, by
whatever names: one that holds for nine of ten runs that are like those, on as many
processors where there are three such runs. The program is the name of its file or of
the script's, without a folder; of what an interpreter runs (python3 train.py) it is that
file. Jobs of which it is not known what they ran count by their names. libra submit and
libra sbatch without an estimate take the same.

--trace measures on a log of real jobs (SWF) how often such estimates hold, and how much
shorter they are than what people asked for.`,
		Example: `  libra estimate simulate
  libra estimate --procs 4 simulate --json
  libra estimate --trace KTH-SP2.swf.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if trace != "" {
				return positional()(cmd, args)
			}
			return positional("PROGRAM")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if trace != "" {
				return measureEstimates(con, trace, opts.json)
			}
			name := args[0]
			if !strings.Contains(name, " ") { // else it is a text for a shell
				name = filepath.Base(name)
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				past, err := habitOf(ctx, market)
				if err != nil {
					return err
				}
				g, err := past.GuessOf(name, procs)
				switch {
				case err != nil:
					return err
				case g.Runs == 0:
					return fmt.Errorf("no job of yours that runs %s, or is called so, has completed yet: there is nothing to go by", name)
				case opts.json:
					return con.writeJSON(g)
				}
				return printGuess(con.out, name, &g)
			})
		},
	}
	opts.flags(cmd)
	cmd.Flags().IntVarP(&procs, "procs", "n", 1, "`number` of processors")
	cmd.Flags().StringVar(&trace, "trace", "", "measure estimates on the log in this `file`")
	return cmd
}

func printGuess(out io.Writer, name string, g *estimate.Guess) error {
	grid := &grid{left: 2}
	grid.add("estimate", lastingMS(g.WorkMS))
	grid.add("because", g.Because(name))
	grid.add("shortest", lastingMS(g.Shortest))
	grid.add("median", lastingMS(g.Median))
	grid.add("longest", lastingMS(g.Longest))
	return grid.write(out, "")
}

// habitOf is what the user has run before.
func habitOf(ctx context.Context, market *client.Client) (*wire.Habit, error) {
	me, err := market.Whoami(ctx)
	return &wire.Habit{User: me.User, List: func(q v1.JobQuery) ([]v1.Job, error) {
		page, wrong := listJobs(ctx, market, q, q.Limit)
		return page.Jobs, wrong
	}}, err
}

// fillEstimate takes an estimate from the user's own history where none is said. Where
// that cannot be had, the estimate is what is missing.
func fillEstimate(ctx context.Context, con *console, market *client.Client, r *v1.Request, flag string) {
	past, err := habitOf(ctx, market)
	if err != nil {
		return
	}
	g, of, err := past.Guess(r)
	if err != nil || g.Runs == 0 {
		return
	}
	r.EstimateMS = g.WorkMS
	printf(con.err, "libra: estimate %s, from %s; %s says another\n", lastingMS(g.WorkMS), g.Because(of), flag)
}

// measureEstimates prints how good estimates are on a log.
func measureEstimates(con *console, path string, asJSON bool) error {
	file, err := workload.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	log, err := file.Records()
	if err != nil {
		return err
	}
	r, err := habit.Measure(log, estimate.Sure)
	if err != nil {
		return err
	}
	if asJSON {
		return con.writeJSON(r)
	}
	g := &grid{left: 1}
	g.add("jobs", count(int64(r.Jobs)))
	g.add("with a history", count(int64(r.Guessed)), percentOf(int64(r.Guessed), int64(r.Jobs)))
	g.add("  estimate held", count(int64(r.Held)), percentOf(int64(r.Held), int64(r.Guessed)))
	g.add("  from enough runs to be 90 % sure", count(int64(r.Sure)), percentOf(int64(r.Sure), int64(r.Guessed)))
	g.add("    estimate held", count(int64(r.SureHeld)), percentOf(int64(r.SureHeld), int64(r.Sure)))
	g.add("  what was asked held", count(int64(r.Asked)), percentOf(int64(r.Asked), int64(r.Guessed)))
	g.add("estimated of what was asked, processor time", percent(r.Total))
	g.add("  median of jobs", percent(r.Median))
	return g.write(con.out, "")
}
