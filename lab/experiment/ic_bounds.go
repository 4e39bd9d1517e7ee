package experiment

import (
	"context"

	"github.com/libra-market/libra/lab/ceiling"
	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// How far the policies of 003 are from what nobody could exceed (lab/ceiling), and how far an
// order of our own is.

const (
	mfRate = "by rate"
	// hurdleTried is the part of an offer that a site has to gain by it in the last line.
	hurdleTried  = 0.4
	mfRateHurdle = "by rate, hurdle 0.4"
	// boundSeeds is how many seeds bounds are worked out for at most.
	boundSeeds = 10
)

// boundLines are the policies of the paper and our own.
func (r *icRun) boundLines() []icLine {
	return append(r.lines(),
		icLine{name: mfRate, policy: mfRate, refuse: r.refuse, hue: 6},
		icLine{name: mfRateHurdle, policy: mfRate, refuse: r.refuse, hurdle: hurdleTried, hue: 7, muted: true})
}

// bounds are figures 5(b) and 6 once more, in per cent of the bound on profit, and what optional
// parts paid in per cent of what the best order would have made of them.
func (r *icRun) bounds(ctx context.Context) ([]Figure, error) {
	fewer := *r
	fewer.Seeds, fewer.bounded = min(r.Seeds, boundSeeds), true
	loose, err := fewer.run(ctx, "imprecise grid, bounds of figure 5", r.Laxities, r.boundLines(), func(laxity float64) grid.Workload { return grid.Figure5(laxity / 100) })
	if err != nil {
		return nil, err
	}
	paid, err := fewer.run(ctx, "imprecise grid, bounds of figure 6", r.Rates, r.boundLines(), grid.Figure6)
	if err != nil {
		return nil, err
	}
	const (
		profit = "All that applications paid, in per cent of what nobody could exceed who knows the future, whatever is taken and wherever it goes."
		order  = "What optional parts paid, in per cent of the best order of them behind the mandatory parts of what each policy has taken."
		any    = "What optional parts paid, in per cent of the best schedule that keeps the mandatory parts of what each policy has taken, first or not."
	)
	var all []Figure
	for _, of := range []struct {
		number, when string
		x            Axis
		outcome      *icOutcome
		source       string
	}{
		{"5(b)", "as deadlines get later", Axis{Name: "deadline laxity", Unit: "%"}, loose, fixedRate},
		{"6", "as optional work pays more", Axis{Name: "budget rate of optional work, k"}, paid, variedLaxity},
	} {
		for _, f := range []struct {
			number, title, axis, measure string
			metric                       func(icResult) float64
			optional                     bool
		}{
			{"bound", "Profit and its bound ", "profit, of the bound", profit, boundOf, false},
			{"order", "Optional parts and their best order ", "paid for optional parts, of the best order", order, orderOf, true},
			{"schedule", "Optional parts and their best schedule ", "paid for optional parts, of the best schedule", any, scheduleOf, true},
		} {
			figure := r.figure(of.number+", "+f.number, f.title+of.when, of.x, Axis{Name: f.axis, Unit: "%"}, f.measure, of.source)
			figure.Beside = true
			for i, s := range of.outcome.all(f.metric) {
				if f.optional && !of.outcome.imprecise(i) {
					continue
				}
				figure.Series = append(figure.Series, s)
			}
			all = append(all, figure)
		}
	}
	return all, nil
}

// The metrics, in per cent.
func boundOf(r icResult) float64    { return 100 * r.profit / r.bound.Profit }
func orderOf(r icResult) float64    { return 100 * r.bound.Optional.Paid / r.bound.Optional.First }
func scheduleOf(r icResult) float64 { return 100 * r.bound.Optional.Paid / r.bound.Optional.Kept }

// imprecise says whether a line sells optional parts.
func (o *icOutcome) imprecise(line int) bool {
	p, err := grid.FindPolicy(gridPolicyOf[o.lines[line].policy])
	return err == nil && p.Imprecise
}

// limit works out what nobody could have exceeded.
func (l icLine) limit(p grid.Policy, apps []grid.Application, outcomes []tender.Outcome, most float64) (*tender.Bound, error) {
	b := &tender.Bound{Profit: most, Optional: &tender.Optional{}}
	if !p.Imprecise {
		return b, nil
	}
	var err error
	b.Optional, err = tender.OptionalParts(grid.PaperSites(), apps, outcomes)
	return b, err
}

// most is the bound on profit.
func (r *icRun) most(apps []grid.Application) float64 {
	if !r.bounded {
		return 0
	}
	return ceiling.Profit(grid.PaperSites(), apps, ceiling.Quick)
}
