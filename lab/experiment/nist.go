package experiment

import (
	"context"

	"github.com/libra-market/libra/lab/revenue"
)

// nistPaper is 004. Figures 5 to 15 come from its analytic model, figures 16 to
// 19 from the cluster that its section VI simulates; both are package revenue.
var nistPaper = Paper{
	Name:   nameNIST,
	Title:  "On Maximizing Provider Revenue in Market-Based Compute Grids",
	Source: "Vladimir Marbukh and Kevin Mills",
	Run:    runNIST,
	rejudge: func(r *Reading, figures []Figure) []Claim {
		return judgeUnder(r, nameNIST, nil, figures, nistStatements())
	},
}

const nameNIST = "nist"

// nistSetting is what the simulated figures of 004 go through. Loads are in per
// cent, as its text has them.
type nistSetting struct {
	Periods int       // of half a year, per load and rule: section VI has 500
	First   int       // of the periods, counted from 1
	Loads   []float64 // figures 16 to 19
	// Beside is how many of the periods are simulated for what is in no figure of the
	// paper: other rules, which are compared in pairs, and jobs of mixed widths.
	// Expired is how many Phi is measured on.
	Beside, Expired int
	Widths          []float64 // loads with jobs of mixed widths, last paragraph of section VI
	Expiry          []float64 // loads at which the effect of expiry is measured, for Phi

	Search     int     // periods on which candidates for the best rule are compared
	SearchDays float64 // and how long these are
}

func newNISTSetting(o Options) nistSetting {
	s := nistSetting{
		Periods: o.count(500, 4), First: max(1, o.First),
		// Steps of 25 %, and the loads that the text names.
		Loads: []float64{
			25, 50, 65, 75, 85, 90, 95, 100, 125, 150, 175, 200, 225, 250, 275, 285, 300, 325, 350, 375, 400, 425, 450, 475, 500,
		},
		Widths: []float64{50, 100, 150, 200, 250, 300, 350, 400, 450, 500},
		Expiry: []float64{50, 60, 70, 80, 85, 87.5, 90, 92.5, 95, 97.5, 100},
		Search: 8, SearchDays: 182.5,
	}
	if o.Quick {
		s.Loads = []float64{50, 65, 90, 100, 150, 200, 250, 285, 300, 350, 450, 500}
		s.Widths = []float64{100, 200, 300, 400, 500}
		s.Expiry = []float64{60, 85, 90, 95, 100}
		s.Search, s.SearchDays = 4, 20
	}
	s.Beside = max(min(s.Periods, 4), s.Periods/5)
	s.Expired = min(s.Periods, 2*s.Beside)
	return s
}

// nistRun makes the figures of 004.
type nistRun struct {
	nistSetting
	o      Options
	system revenue.System
	phi    curve // measured, in per cent; none: as printed
}

func runNIST(ctx context.Context, o Options) ([]Figure, []Claim, error) {
	o.Trace = nil // no log is used, and another one changes nothing
	r := nistRun{nistSetting: newNISTSetting(o), o: o, system: revenue.PaperSystem()}
	var all []Figure
	for _, part := range []struct {
		name    string
		params  any
		measure func(context.Context) ([]Figure, error)
	}{
		{"nist-given", nil, r.given},
		{"nist-model", nil, r.model},
		{"nist-phi", r.nistSetting, r.expiry}, // before those who use the Phi that it measures
		{"nist-simulated", r.nistSetting, r.simulated},
		{"nist-widths", r.nistSetting, r.widths},
	} {
		figures, err := o.Figures(part.name, part.params, func() ([]Figure, error) { return part.measure(ctx) })
		if err != nil {
			return nil, nil, err
		}
		all = append(all, figures...)
		if part.name == "nist-phi" {
			r.phi = evidence{figures: map[string]*Figure{"15, phi": &figures[1]}, missing: new(bool), noisy: new(bool)}.line("15, phi", "Φ")
		}
	}
	return all, judgeUnder(o.Reading, nameNIST, nil, all, nistStatements()), nil
}

// remember is Options.Figures for a step on the way to figures: it is kept for
// a run that is interrupted, and not drawn.
func (r *nistRun) remember(name string, params any, measure func() ([]Figure, error)) ([]Figure, error) {
	if r.o.Store == nil {
		return measure()
	}
	key, err := r.o.key(name, params)
	if err != nil {
		return nil, err
	}
	if step, ok := r.o.Store.load(name, key); ok {
		return step, nil
	}
	step, err := measure()
	if err != nil {
		return nil, err
	}
	return step, r.o.Store.save(name, key, step)
}

func (r *nistRun) figure(number, title string, x, y Axis, measure, source string) Figure {
	return Figure{
		ID: figureID(nameNIST, number), Number: number, Title: figureTitle(number, title), Measure: measure, Source: source,
		X: x, Y: y, Interval: noIntervals,
	}
}
