package main

import (
	"context"
	"io"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

type revenueTuneOptions struct {
	revenueSimulateOptions
	searchPeriods int
}

func newRevenueTune(con *console) *cobra.Command {
	var opts revenueTuneOptions
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Find the admission probabilities that earn most in the simulated cluster",
		Long: `Find the admission probabilities that earn most in the paper's simulated cluster
at each load, by a search on the simulator in which all candidates see the same
jobs, and compare them with the paper's rules (admit-all and q*), with "one LvLu in
five", and with the optimum of the model with a T0 of the right size.

The rules are measured on periods that the search has not seen. The gap of a rule
is how much it earns less than the best found, on the same jobs, with its 95 %
confidence interval. A line in which the gap is 0.00 % and the interval 0 is the
best itself, or a rule that admits exactly the same jobs.`,
		Example: `  libra revenue tune --load 2
  libra revenue tune --load 0.6:3:0.4 --periods 100 --out tuned.csv
  libra revenue tune --load 1.5 --width mixed --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(func(string) bool { return false }); err != nil {
				return err
			}
			return runRevenueTune(cmd.Context(), con, opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.load, "load", "0.6:3:0.4", "offered `loads`: numbers with commas between them, or from:to:step")
	f.IntVar(&opts.processors, "processors", 5000, "`number` of processors of the cluster")
	f.StringVar(&opts.width, "width", "500", "processors of a job: a `number`, or mixed (250, 750 and 1500)")
	f.Float64Var(&opts.days, "days", 182.5, "length of a period in `days`")
	f.Float64Var(&opts.phi, "phi", admission.PaperPhi, "`factor` on the delays of the model behind q*")
	f.StringVar(&opts.offset, "offset", string(admission.Scaled), "`form` of tau_min in that model: "+strings.Join(admission.Offsets(), ", "))
	f.IntVar(&opts.searchPeriods, "search-periods", 8, "`number` of periods on which candidates are compared")
	f.IntVar(&opts.periods, "periods", 40, "`number` of other periods on which the rules are measured")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of all that is random")
	f.IntVar(&opts.workers, "workers", 0, "`number` of periods simulated at the same time (default: one per processor)")
	f.StringVarP(&opts.out, "out", "o", "", "also write the results to a CSV `file`")
	f.BoolVar(&opts.json, "json", false, "print the results as JSON")
	completeFlag(cmd, "offset", admission.Offsets()...)
	completeFlag(cmd, "width", "500", "mixed")
	return cmd
}

// tunedRule is one rule at one load, as programs read it.
type tunedRule struct {
	simulated
	Gap     revenue.Estimate `json:"gap_per_s"` // revenue per second less than the best found
	GapPart float64          `json:"gap"`
}

// tunedLoad is all rules at one load.
type tunedLoad struct {
	Load      float64            `json:"load"`
	Best      string             `json:"best"`
	Q         map[string]float64 `json:"q"`
	Evaluated int                `json:"evaluated"`
	Rules     []tunedRule        `json:"rules"`
}

func runRevenueTune(ctx context.Context, con *console, opts revenueTuneOptions) error {
	system, err := opts.system()
	if err != nil {
		return err
	}
	loads, err := parseSteps("load", opts.load)
	if err != nil {
		return err
	}
	if opts.searchPeriods < 1 || opts.periods < 2 {
		return usagef("--search-periods and --periods: want 1 and 2, or more")
	}
	var done atomic.Int64
	finish := con.progress("simulated jobs", 0, done.Load)
	defer finish()
	var results []tunedLoad
	var hints [][]float64
	for _, load := range loads {
		if !(load > 0) {
			return usagef("--load: %v makes no sense (want more than 0)", load)
		}
		tuned, err := revenue.Tune(ctx, revenue.Tuning{
			System: system, Load: load, Phi: opts.phi, Offset: admission.Offset(opts.offset), SearchPeriods: opts.searchPeriods,
			Periods: opts.periods, Seed: opts.seed, Workers: opts.workers, Hints: hints, Jobs: &done,
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &usageError{err}
		}
		hints = [][]float64{tuned.Best.Q} // what is best at this load is a good start for the next
		results = append(results, newTunedLoad(&system, tuned))
	}
	finish()
	if opts.out != "" {
		write := func(out io.Writer) error { return writeTuned(out, &system, results) }
		if err := con.writeOutput(opts.out, write); err != nil {
			return err
		}
	}
	switch {
	case opts.json:
		return con.writeJSON(map[string]any{
			"processors": system.Processors, "search_periods": opts.searchPeriods, "periods": opts.periods, "seed": opts.seed,
			"phi": opts.phi, "offset": opts.offset, "loads": results,
		})
	case opts.out == "-":
		return nil
	}
	return printTuned(con, &system, opts, results)
}

func newTunedLoad(s *revenue.System, t *revenue.Tuned) tunedLoad {
	row := tunedLoad{Load: t.Load, Best: t.Best.Name, Q: map[string]float64{}, Evaluated: t.Evaluated}
	for i, c := range s.Classes {
		row.Q[c.Name] = t.Best.Q[i]
	}
	for i := range t.Standings {
		standing := &t.Standings[i]
		row.Rules = append(row.Rules, tunedRule{
			simulated: newSimulated(s, t.Load, &standing.Result), Gap: standing.Gap, GapPart: standing.Part,
		})
	}
	return row
}

func printTuned(con *console, s *revenue.System, opts revenueTuneOptions, results []tunedLoad) error {
	g := &grid{left: 2, head: true}
	header := []string{"load", "rule"}
	for _, c := range s.Classes {
		header = append(header, "q "+c.Name)
	}
	g.add(append(header, "revenue/s", "+-", "gap %", "+-", "per job", "delay s", "used %")...)
	for _, load := range results {
		best := 0.0
		for _, r := range load.Rules {
			best = max(best, r.RevenuePerS.Mean)
		}
		for _, r := range load.Rules {
			row := []string{inFull(r.Load), r.Rule}
			for _, c := range s.Classes {
				row = append(row, grouped(r.Q[c.Name], 3))
			}
			g.add(append(row, grouped(r.RevenuePerS.Mean, 4), grouped(r.RevenuePerS.Interval, 4), grouped(100*r.GapPart, 2),
				grouped(100*r.Gap.Interval/best, 2), grouped(r.RevenuePerJob.Mean, 0), grouped(r.MeanDelay.Mean, 0),
				grouped(100*r.Utilisation.Mean, 1))...)
		}
	}
	if err := g.write(con.out, ""); err != nil {
		return err
	}
	_, err := printf(con.out, "\nsearched on %s, measured on %s others, seed %d\n",
		number(int64(opts.searchPeriods), "period"), count(int64(opts.periods)), opts.seed)
	return err
}

func writeTuned(out io.Writer, s *revenue.System, results []tunedLoad) error {
	header := []string{"load", "rule"}
	for _, c := range s.Classes {
		header = append(header, "q_"+c.Name)
	}
	rows := [][]string{append(header, "revenue_per_s", "revenue_ci95", "gap_per_s", "gap_ci95", "gap", "revenue_per_job", "mean_delay", "utilisation")}
	for _, load := range results {
		for _, r := range load.Rules {
			row := []string{inFull(r.Load), r.Rule}
			for _, c := range s.Classes {
				row = append(row, inFull(r.Q[c.Name]))
			}
			rows = append(rows, append(row, inFull(r.RevenuePerS.Mean), inFull(r.RevenuePerS.Interval), inFull(r.Gap.Mean),
				inFull(r.Gap.Interval), inFull(r.GapPart), inFull(r.RevenuePerJob.Mean), inFull(r.MeanDelay.Mean), inFull(r.Utilisation.Mean)))
		}
	}
	return writeLines(out, rows)
}
