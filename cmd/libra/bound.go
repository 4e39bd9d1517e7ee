package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

func newBound(con *console) *cobra.Command {
	opts := simulateOptions{clusters: 1, wish: string(wish.Cheapest)}
	var quick bool
	cmd := &cobra.Command{
		Use:   "bound --workload FILE",
		Short: "Say what no policy could exceed on a workload",
		Long: `Work out upper bounds on what any policy could reach on a workload: the part of the
jobs that can be done in time (QoS), the part of the budgets that can be earned (profit),
and the utility of the LibraSLA paper (budgets less penalties).

The bound is the Lagrangian dual of a relaxation: jobs may be cut, moved, stopped and
shared at will, by somebody who knows the future, as long as no job is faster than on
the fastest processors that it may hold, and all together no faster than the cluster.
Every second of the cluster has a price; a job pays for the cheapest seconds of its
window or does not come; any prices give a bound, and the best that are found are taken. It
is never above what all budgets add up to, nor above the best-paying work that all
processor-seconds could do. Memory, disk, threads, GPUs and failures of nodes are not counted.

The workload, its SLA model and the cluster are given as to libra simulate.`,
		Example: `  # the workload of the Libra+$ paper
  libra bound --workload SDSC-SP2.swf.gz --last 5000 --arrival-factor 0.5

  # the one of the LibraSLA paper, for a program
  libra bound --workload SDSC-SP2.swf.gz --last 1000 --arrival-factor 0.02 --sla libra-sla --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.policies = []string{"fifo"} // the bound is of no policy; this one has no settings that could be meant
			if err := opts.check(cmd.Flags().Changed); err != nil {
				return err
			}
			effort := bound.Thorough
			if quick {
				effort = bound.Quick
			}
			return runBound(cmd.Context(), con, opts, effort)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opts.workload, "workload", "w", "", "workload `file`: .swf or .csv, also .gz, .yaml or .json, or - for standard input")
	f.IntVarP(&opts.nodes, "nodes", "n", 0, "`number` of equal nodes (default: what the header of a log says)")
	f.StringVar(&opts.cluster, "cluster", "", "`file` that describes the nodes, in place of --nodes")
	f.IntVar(&opts.last, "last", 0, "take only the last `number` of jobs in the file")
	f.Float64Var(&opts.factor, "arrival-factor", 1, "multiply the gaps between submissions by a `factor`")
	f.StringVar(&opts.sla, "sla", "", "`model` of deadlines and budgets: "+strings.Join(workload.Models(), ", "))
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting of the SLA model; may be repeated")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of the SLA model")
	f.BoolVar(&quick, "quick", false, "search less: a few parts in a thousand higher")
	f.BoolVar(&opts.json, "json", false, "print the bounds as JSON")
	if err := cmd.RegisterFlagCompletionFunc("workload", completeWorkload); err != nil {
		panic(err)
	}
	completeFlag(cmd, "sla", workload.Models()...)
	return cmd
}

func runBound(ctx context.Context, con *console, opts simulateOptions, effort bound.Effort) error {
	s := &simulation{simulateOptions: opts, con: con}
	kind, err := policy.Find(opts.policies[0])
	if err != nil {
		return err
	}
	s.contenders = []trial.Contender{{Kind: kind, Set: map[string]string{}}}
	if s.settings, err = parseSettings(opts.set); err != nil {
		return err
	}
	file, err := con.openWorkload(ctx, opts.workload)
	if err != nil {
		return err
	}
	defer file.Close()
	if err = s.prepare(file); err != nil {
		return err
	}
	arrivals, err := con.loadWorkload(ctx, file, opts.last)
	if err != nil {
		return err
	}
	workload.Sort(arrivals)
	if err = s.applyModel(arrivals); err != nil {
		return err
	}
	limits, err := s.limits(arrivals, effort)
	if err != nil {
		return err
	}
	con.warnSkipped(opts.workload, file.Skipped())
	if opts.json {
		return con.writeJSON(struct {
			*bound.Limits

			Assumes string `json:"assumes"`
		}{limits, bound.Assumes})
	}
	if _, err = printf(con.out, "%s\n\n", s.headline(limits.Jobs)); err != nil {
		return err
	}
	g := &grid{left: 1}
	addLimits(g, limits, "")
	if err = g.write(con.out, ""); err != nil {
		return err
	}
	_, err = printf(con.out, "\nno policy exceeds this: %s\n", bound.Assumes)
	return err
}

// addLimits writes bounds down as lines of a table.
func addLimits(g *grid, l *bound.Limits, on string) {
	g.add(on+"QoS satisfaction", percent(l.QoS))
	if l.Revenue != nil {
		g.add(on+"profitability", percent(*l.Profitability))
		g.add(on+"revenue", amount(*l.Revenue))
	} else {
		g.add(on+"revenue", "none: some jobs name no budget")
	}
	g.add(on+"utility", amount(l.Utility))
}
