package experiment

import (
	"context"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
)

// Line is one line of a figure: a cell for every x and seed.
type Line struct {
	Name  string
	Muted bool // drawn as something to compare with
	Hue   int  // as of chart.Series
	Cell  func(x float64, seed uint64) Cell
}

// Grid is lines x values x seeds.
type Grid struct {
	Stage string // what progress calls it
	Lines []Line
	Xs    []float64
	Seeds []uint64
	// Reading changes every run, if there is one.
	Reading *Reading
}

// Outcome is a grid that has been run.
type Outcome struct {
	Grid
	results [][][]*report.Summary // by line, x and seed
}

// Metric is a number of a run.
type Metric func(*report.Summary) float64

// Grid runs a grid.
func (l *Lab) Grid(ctx context.Context, g Grid) (*Outcome, error) {
	var cells []Cell
	for _, line := range g.Lines {
		for _, x := range g.Xs {
			for _, seed := range g.Seeds {
				cells = append(cells, g.Reading.change(line.Cell(x, seed)))
			}
		}
	}
	summaries, err := l.Run(ctx, g.Stage, cells)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Grid: g}
	for range g.Lines {
		var line [][]*report.Summary
		for range g.Xs {
			line = append(line, summaries[:len(g.Seeds)])
			summaries = summaries[len(g.Seeds):]
		}
		o.results = append(o.results, line)
	}
	return o, nil
}

// Series measures every line: the mean over the seeds, with its interval.
func (o *Outcome) Series(m Metric) []Series {
	all := make([]Series, len(o.Lines))
	for i, line := range o.Lines {
		all[i] = o.series(line.Name, func(x, seed int) float64 { return m(o.results[i][x][seed]) })
		all[i].Muted, all[i].Hue = line.Muted, line.Hue
	}
	return all
}

// Improvement measures how much more line a has than line b, in per cent of
// what b has. Both ran on the same jobs seed by seed, so the ratio is taken seed by
// seed as well, and its interval is that of paired runs.
func (o *Outcome) Improvement(name string, a, b int, m Metric) Series {
	return o.series(name, func(x, seed int) float64 {
		base := m(o.results[b][x][seed])
		return 100 * (m(o.results[a][x][seed]) - base) / base
	})
}

func (o *Outcome) series(name string, value func(x, seed int) float64) Series {
	s := Series{Name: name}
	for x := range o.Xs {
		values := make([]float64, len(o.Seeds))
		for seed := range values {
			values[seed] = value(x, seed)
		}
		s.add(o.Xs[x], Confidence(values), values)
	}
	return s
}

// seeds are n seeds from first on; from 1 where it is 0.
func seeds(first, n int) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = market.Bits(max(1, first) + i)
	}
	return all
}

// The metrics of the papers; parts are per cent, as their figures have them.
var (
	satisfaction  Metric = func(s *report.Summary) float64 { return 100 * s.QoSSatisfaction } // (7) of 000
	profitability Metric = func(s *report.Summary) float64 { return 100 * s.Profitability }   // (8) of 000
	accepted      Metric = func(s *report.Summary) float64 { return 100 * share(s.Accepted, s.Jobs) }
	tooDear       Metric = func(s *report.Summary) float64 { return 100 * share(s.Reasons["cannot_meet_budget"], s.Jobs) }
	completed     Metric = func(s *report.Summary) float64 { return float64(s.Completed) }
	keptPromises  Metric = func(s *report.Summary) float64 {
		return 100 * s.QoSSatisfaction * float64(s.Jobs) / float64(max(1, s.Accepted))
	}
	unitPrice Metric = func(s *report.Summary) float64 { return s.UnitPrices / float64(max(1, s.Completed)) }
	hardLate  Metric = func(s *report.Summary) float64 { return float64(s.HardLate) }
	utility   Metric = func(s *report.Summary) float64 { return s.Utility } // (1) of 001
)

func share(part, whole int64) float64 { return float64(part) / float64(max(1, whole)) }
