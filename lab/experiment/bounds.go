package experiment

import (
	"context"

	"github.com/libra-market/libra/lab/report"
)

// What no policy could exceed (core/bound), beside the figures of the papers that it can
// be held against: how far the best policy is from the best that there is.

const (
	upperBound = "upper bound"
	bestOffer  = "best offer"
	makeWay    = "make way"
)

// bounds is figure 2 of 000 once more, with policies that charge the offer, and the
// bound.
func (r *libraPlusRun) bounds(ctx context.Context) ([]Figure, error) {
	lines := r.byFactor(libra, libraPlus, edfBF)
	for i, policy := range []string{"best-offer", "make-way", Bound} {
		lines = append(lines, Line{Name: []string{bestOffer, makeWay, upperBound}[i], Muted: policy == Bound, Cell: func(factor float64, seed uint64) Cell {
			c := r.cell(libra, seed)
			c.Policy, c.Jobs.Factor = policy, factor
			return c
		}})
	}
	o, err := r.lab.Grid(ctx, r.grid("bound", r.Factors, lines...))
	if err != nil {
		return nil, err
	}
	const title = "Decreasing workload, and what no policy could exceed"
	figures := r.panels("2", title, factorAxis, o, nil)
	for i := range figures {
		f := &figures[i]
		f.Number += ", bound"
		f.ID, f.Title, f.Beside = figureID(nameLibraPlus, f.Number), figureTitle(f.Number, title), true
	}
	return figures, nil
}

// bounds is the utility of 001 at its defaults, and the bound.
func (r *libraSLARun) bounds(ctx context.Context) ([]Figure, error) {
	s := r.Studies[0]
	var lines []Line
	for _, name := range []string{libraSLA, libra, upperBound} {
		lines = append(lines, Line{Name: name, Muted: name == upperBound, Cell: func(factor float64, seed uint64) Cell {
			c := r.cell(name, s, s.Default, factor, seed)
			if name == upperBound {
				c.Policy = Bound
			}
			return c
		}})
	}
	o, err := r.lab.Grid(ctx, Grid{Stage: "LibraSLA, bound", Lines: lines, Xs: r.Factors, Seeds: seeds(r.First, r.Seeds), Reading: r.reading})
	if err != nil {
		return nil, err
	}
	f := r.figure(s, s.Number+"(b), bound", "utility, and what no policy could exceed", Axis{Name: "utility", Unit: "millions"},
		"Utility of LibraSLA and of Libra, and an upper bound on that of any policy.")
	f.Series, f.Beside = o.Series(func(s *report.Summary) float64 { return s.Utility / 1e6 }), true
	return []Figure{f}, nil
}
