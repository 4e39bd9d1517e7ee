package main

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

type revenueSimulateOptions struct {
	jobs       string
	out        string
	processors int
	width      string
	days       float64
	load       string
	rules      []string
	q          map[string]string
	phi        float64
	offset     string
	periods    int
	seed       uint64
	workers    int
	json       bool
}

func newRevenueSimulate(con *console) *cobra.Command {
	var opts revenueSimulateOptions
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate the paper's cluster with bounded penalties",
		Long: `Simulate the cluster of section VI of the paper: Poisson arrivals of four classes
(LvLu, LvHu, HvLu, HvHu), head-of-the-line priority without preemption, jobs that
expire in the queue at a limit and then cost 5 % of their value.

Without --jobs it simulates periods of 182.5 days at each load under each rule:
  admit-all    everybody
  optimal      q* of the analytic model (--phi, --offset)
  one-in-five  one LvLu in five, all others
  multi-server the optimum of the model with a T0 of the right size
  given        the probabilities of --q (1 where not given)
All rules see the same jobs. Results do not depend on the number of workers.

With --jobs it runs the jobs of a CSV (id,arrival,class,length,width) and says what
became of each: run, expired or rejected.`,
		Example: `  libra revenue simulate --load 1,2,3 --rule admit-all,optimal --periods 50
  libra revenue simulate --load 2 --q LvLu=0.45,LvHu=0.08 --width mixed
  libra revenue simulate --jobs jobs.csv --processors 5000 --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if opts.jobs != "" {
				return runRevenueJobs(con, opts)
			}
			return runRevenueSimulate(cmd.Context(), con, opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.jobs, "jobs", "", "run the jobs of a CSV `file` (- is standard input) in place of generated ones")
	f.StringVarP(&opts.out, "out", "o", "", "with --jobs: write what became of each job to a CSV `file`")
	f.IntVar(&opts.processors, "processors", 5000, "`number` of processors of the cluster")
	f.StringVar(&opts.width, "width", "500", "processors of a job: a `number`, or mixed (250, 750 and 1500)")
	f.Float64Var(&opts.days, "days", 182.5, "length of a period in `days`")
	f.StringVar(&opts.load, "load", "1", "offered `loads`: numbers with commas between them, or from:to:step")
	f.StringSliceVar(&opts.rules, "rule", nil, "admission `rules` to compare (default: admit-all,optimal, or given with --q)")
	f.StringToStringVar(&opts.q, "q", nil, "admission probabilities: `class=q`, several with commas between them")
	f.Float64Var(&opts.phi, "phi", admission.PaperPhi, "`factor` on the delays of the model behind optimal")
	f.StringVar(&opts.offset, "offset", string(admission.Scaled), "`form` of tau_min in that model: "+strings.Join(admission.Offsets(), ", "))
	f.IntVar(&opts.periods, "periods", 20, "`number` of periods at each load (the paper has 500)")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of all that is random")
	f.IntVar(&opts.workers, "workers", 0, "`number` of periods simulated at the same time (default: one per processor)")
	f.BoolVar(&opts.json, "json", false, "print the results as JSON")
	completeFlag(cmd, "rule", "admit-all", "optimal", "one-in-five", "multi-server", "given")
	completeFlag(cmd, "offset", admission.Offsets()...)
	completeFlag(cmd, "width", "500", "mixed")
	return cmd
}

func (o *revenueSimulateOptions) check(given func(string) bool) error {
	switch {
	case o.jobs == "" && given("out"):
		return usagef("--out is for --jobs")
	case o.out == "-" && o.json:
		return usagef("--out: the result has standard output; give a file")
	case !slices.Contains(admission.Offsets(), o.offset):
		return usagef("--offset: %q is not one of %s", o.offset, strings.Join(admission.Offsets(), ", "))
	}
	if o.jobs != "" {
		for _, flag := range []string{"load", "rule", "periods", "days", "width", "phi", "offset"} {
			if given(flag) {
				return usagef("--jobs and --%s exclude each other", flag)
			}
		}
	}
	return nil
}

// system is the paper's cluster as the flags change it.
func (o *revenueSimulateOptions) system() (revenue.System, error) {
	s := revenue.PaperSystem()
	s.Processors = o.processors
	s.Period = o.days * 86400
	if o.width == "mixed" {
		s.Widths = revenue.MixedWidths()
		s.ModelWidth = 500 // as in the paper, whose q* stays that of table 1
	} else {
		width, err := strconv.Atoi(o.width)
		if err != nil || width < 1 {
			return s, usagef("--width: %q is not a whole number of 1 or more, nor mixed", o.width)
		}
		s.Widths = []revenue.Width{{Processors: width, Share: 1}}
	}
	if err := s.Validate(); err != nil {
		return s, &usageError{err}
	}
	return s, nil
}

// givenRule is the rule of --q.
func (o *revenueSimulateOptions) givenRule(s *revenue.System) (revenue.Rule, error) {
	rule := revenue.AdmitAll(s)
	rule.Name = "given"
	for _, name := range slices.Sorted(maps.Keys(o.q)) {
		class, known := s.ClassNumber(name)
		if !known {
			return rule, usagef("--q: %q is not a class (want LvLu, LvHu, HvLu, HvHu)", name)
		}
		q, err := strconv.ParseFloat(o.q[name], 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return rule, usagef("--q: %s: %q is not a probability", name, o.q[name])
		}
		rule.Q[class] = q
	}
	return rule, nil
}

// rulesAt are the rules to compare at a load.
func (o *revenueSimulateOptions) rulesAt(s *revenue.System, load float64) ([]revenue.Rule, error) {
	names := o.rules
	if len(names) == 0 {
		names = []string{"admit-all", "optimal"}
		if len(o.q) > 0 {
			names = []string{"given"}
		}
	}
	tuning := revenue.Tuning{System: *s, Load: load, Phi: o.phi, Offset: admission.Offset(o.offset)}
	fixed, err := tuning.Rules()
	if err != nil {
		return nil, &usageError{err}
	}
	given, err := o.givenRule(s)
	if err != nil {
		return nil, err
	}
	known := map[string]revenue.Rule{"given": given}
	for _, rule := range fixed {
		known[rule.Name] = rule
	}
	known["optimal"] = known[revenue.RuleOptimal]
	var rules []revenue.Rule
	for _, name := range names {
		rule, there := known[name]
		if !there {
			return nil, usagef("--rule: %q is not one of admit-all, optimal, one-in-five, multi-server, given", name)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// simulated is the result of one rule at one load, as programs read it.
type simulated struct {
	Load          float64            `json:"load"`
	Rule          string             `json:"rule"`
	Q             map[string]float64 `json:"q"`
	Jobs          int64              `json:"jobs"`
	Started       int64              `json:"started"`
	Expired       int64              `json:"expired"`
	Rejected      int64              `json:"rejected"`
	RevenuePerS   revenue.Estimate   `json:"revenue_per_s"`
	RevenuePerJob revenue.Estimate   `json:"revenue_per_job"`
	MeanDelay     revenue.Estimate   `json:"mean_delay"` // of jobs that started or expired
	MeanWait      revenue.Estimate   `json:"mean_wait"`  // of jobs that started
	Utilisation   revenue.Estimate   `json:"utilisation"`
}

func newSimulated(s *revenue.System, load float64, r *revenue.RuleResult) simulated {
	jobs := r.Jobs()
	row := simulated{
		Load: load, Rule: r.Rule.Name, Q: map[string]float64{},
		Jobs: jobs.Arrived, Started: jobs.Ran, Expired: jobs.Expired, Rejected: jobs.Rejected,
		RevenuePerS: r.RevenuePerSecond(), RevenuePerJob: r.RevenuePerJob(),
		MeanDelay: r.MeanDelay(), MeanWait: r.MeanWait(), Utilisation: r.Utilisation(),
	}
	for i, c := range s.Classes {
		row.Q[c.Name] = r.Rule.Q[i]
	}
	return row
}

func runRevenueSimulate(ctx context.Context, con *console, opts revenueSimulateOptions) error {
	system, err := opts.system()
	if err != nil {
		return err
	}
	loads, err := parseSteps("load", opts.load)
	if err != nil {
		return err
	}
	var studies []revenue.Study
	var expected float64
	var done atomic.Int64
	for _, load := range loads {
		rules, wrong := opts.rulesAt(&system, load)
		if wrong != nil {
			return wrong
		}
		studies = append(studies, revenue.Study{
			System: system, Load: load, Rules: rules, Periods: opts.periods, Seed: opts.seed, Workers: opts.workers, Jobs: &done,
		})
		expected += system.ArrivalRate(load) * system.Period * float64(opts.periods*len(rules))
	}
	began := time.Now()
	finish := con.progress("simulating", int64(expected), done.Load)
	defer finish()
	var rows []simulated
	for i := range studies {
		results, wrong := studies[i].Run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if wrong != nil {
			return &usageError{wrong}
		}
		for r := range results {
			rows = append(rows, newSimulated(&system, studies[i].Load, &results[r]))
		}
	}
	finish()
	wall := time.Since(began).Seconds()
	speed := 0.0
	if wall > 0 {
		speed = float64(done.Load()) / wall
	}
	if opts.json {
		return con.writeJSON(map[string]any{
			"processors": system.Processors, "periods": opts.periods, "period_s": system.Period, "seed": opts.seed, "phi": opts.phi,
			"offset": opts.offset, "results": rows, "jobs": done.Load(), "wall_seconds": wall, "jobs_per_second": speed,
		})
	}
	g := &grid{left: 2, head: true}
	g.add("load", "rule", "revenue/s", "+-", "per job", "delay s", "used %", "expired %", "refused %")
	for _, r := range rows {
		g.add(inFull(r.Load), r.Rule, grouped(r.RevenuePerS.Mean, 4), grouped(r.RevenuePerS.Interval, 4), grouped(r.RevenuePerJob.Mean, 0),
			grouped(r.MeanDelay.Mean, 0), grouped(100*r.Utilisation.Mean, 1), percentOf(r.Expired, r.Jobs), percentOf(r.Rejected, r.Jobs))
	}
	if err = g.write(con.out, ""); err != nil {
		return err
	}
	_, err = printf(con.out, "\n%s of %v days each, seed %d; %s, %s jobs/s\n", number(int64(opts.periods), "period"),
		opts.days, opts.seed, number(done.Load(), "job"), count(int64(speed)))
	return err
}
