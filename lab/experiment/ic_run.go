package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// icLine is one line of the figures of 003: a policy at all sites, and what
// their tender refuses.
type icLine struct {
	name   string
	policy string
	refuse tender.Refuse
	hurdle float64
	hue    int
	muted  bool
}

// icResult is what the figures take from a run.
type icResult struct {
	acceptance float64 // of all submitted
	profit     float64
	work       float64 // MI executed
	bound      *tender.Bound
}

// The metrics; parts are per cent and money is in millions, as shown.
func acceptanceOf(r icResult) float64 { return 100 * r.acceptance }
func profitOf(r icResult) float64     { return r.profit / 1e6 }
func yieldOf(r icResult) float64      { return 1e6 * r.profit / r.work }

// icRun makes the figures of 003.
type icRun struct {
	icSetting
	lab    *Lab
	refuse tender.Refuse // of those who propose; where a line says nothing
	// bounded says that bounds are worked out beside.
	bounded bool
}

// icOutcome is lines x values x seeds that have been run. What a [Grid] runs
// are jobs on one cluster; these are applications on several sites.
type icOutcome struct {
	Outcome
	lines   []icLine
	results [][][]icResult // by line, x and seed
}

// run makes the applications of every value and seed, and runs all lines on
// the same ones: policies differ by what they do and not by their luck.
func (r *icRun) run(ctx context.Context, stage string, xs []float64, lines []icLine, workload func(x float64) grid.Workload) (*icOutcome, error) {
	o := &icOutcome{Outcome: Outcome{Grid: Grid{Stage: stage, Xs: xs, Seeds: seeds(r.First, r.Seeds)}}, lines: lines}
	for range lines {
		line := make([][]icResult, len(xs))
		for x := range line {
			line[x] = make([]icResult, r.Seeds)
		}
		o.results = append(o.results, line)
	}
	return o, r.lab.Each(ctx, stage, len(xs)*r.Seeds, func(ctx context.Context, i int) error {
		x, seed := i/r.Seeds, i%r.Seeds
		w := workload(xs[x])
		w.Applications = r.Applications
		apps, err := w.Generate(o.Seeds[seed])
		if err != nil {
			return err
		}
		most := r.most(apps)
		for l, line := range lines {
			if o.results[l][x][seed], err = line.run(ctx, apps, most); err != nil {
				return fmt.Errorf("%s (%v, seed %d): %w", line.name, xs[x], o.Seeds[seed], err)
			}
		}
		return nil
	})
}

// run sells the sites of the paper to applications, which it only reads. Where there is a
// bound on their profit, it looks how far from it and from others they are.
func (l icLine) run(ctx context.Context, apps []grid.Application, most float64) (icResult, error) {
	policy, err := grid.FindPolicy(gridPolicyOf[l.policy])
	if err != nil {
		return icResult{}, err
	}
	door, err := tender.NewGrid(grid.PaperSites(), policy, l.refuse)
	if err != nil {
		return icResult{}, err
	}
	door.Hurdle = l.hurdle
	outcomes, err := tender.Run(ctx, door, apps, nil)
	if err != nil {
		return icResult{}, err
	}
	summary := tender.Summarize(policy.Name, door, outcomes)
	result := icResult{acceptance: summary.Acceptance, profit: summary.Profit, work: summary.OptionalMI}
	if most > 0 {
		if result.bound, err = l.limit(policy, apps, outcomes, most); err != nil {
			return icResult{}, err
		}
	}
	for i := range outcomes {
		if !outcomes[i].Accepted {
			continue
		}
		result.work += float64(apps[i].Jobs) * float64(apps[i].Mandatory)
	}
	return result, nil
}

// all measures every line: the mean over the seeds, with its interval.
func (o *icOutcome) all(metric func(icResult) float64) []Series {
	list := make([]Series, len(o.lines))
	for i, line := range o.lines {
		list[i] = o.series(line.name, func(x, seed int) float64 { return metric(o.results[i][x][seed]) })
		list[i].Muted, list[i].Hue = line.muted, line.hue
	}
	return list
}

// acceptance is a part of a whole: its interval ends where the whole does,
// whatever Student's t has to say.
func (o *icOutcome) acceptance() []Series {
	list := o.all(acceptanceOf)
	for _, s := range list {
		for i := range s.Points {
			s.Points[i].Low, s.Points[i].High = max(0, s.Points[i].Low), min(100, s.Points[i].High)
		}
	}
	return list
}

// leads measures how much more every line earns than the better of the lines
// under hard terms, in per cent. All ran on the same applications seed by
// seed, so the ratio is taken seed by seed, and its interval is that of paired
// runs.
func (o *icOutcome) leads() []Series {
	best := func(x, seed int) float64 {
		most := 0.0
		for i, line := range o.lines {
			if slices.Contains(hardTerms, line.policy) {
				most = max(most, o.results[i][x][seed].profit)
			}
		}
		return most
	}
	list := o.all(profitOf)
	for i := range list {
		s := o.series("", func(x, seed int) float64 { return 100 * (o.results[i][x][seed].profit/best(x, seed) - 1) })
		list[i].Points, list[i].Runs = s.Points, s.Runs
	}
	return list
}
