package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

// What the figures of the analytic model hang on, for their small print. The
// offset is the one of docs/semantics.md, section 5.
const (
	sourceIV = "Computed, not simulated: (28) with N = 30 jobs in parallel, b = 4400 s with a deviation of 1500 s, τmin = 13,200 s, " +
		"p0 = 1000. τmin is multiplied by ρ, since (28) as printed frees a little load of every delay."
	sourceTwo  = "Computed, not simulated: section V, $30,000 and 0.1 a second against $6,000 and 0.01; otherwise as in figure 6."
	sourceFour = "Computed, not simulated: section V, the four classes of figure 12; otherwise as in figure 6."
	sourceVI   = "Computed, not simulated: (30) with the classes of table 2, N = 10, b = 7200 s with a deviation of 2400 s, τmin = 21,600 s. " +
		"It hangs on Φ · 40,000 s − τmin: 800 s for 0.56, 640 s for 0.556."
)

var (
	loadAxis    = Axis{Name: "offered load", Unit: "%"}
	perSecond   = Axis{Name: "revenue", Unit: "$ per second"}
	probability = Axis{Name: "optimal admission probability q"}
)

// modelFigure says how a figure of package revenue is shown.
type modelFigure struct {
	number, title, measure, source string
	x, y                           Axis
	names                          []string // of the series, where those of package revenue do not do
	least                          float64  // what is below is cut off
	stated                         []Stated
	step                           float64 // between the loads that are computed; 0: as package revenue has it
	slack                          float64 // how far the line may be from points that are left out, as a part of its height; 0: lineSlack
}

func modelFigures() []modelFigure {
	var taus []string
	for _, k := range revenue.Decays {
		taus = append(taus, nistTau(k))
	}
	never := math.Inf(-1)
	mix := Axis{Name: "high-value jobs", Unit: "%"}
	return []modelFigure{
		{
			number: "5", title: "Phase diagram, one class", source: sourceIV, least: never,
			measure: "Price over decay, p0/v1, at which a part q of the jobs should be admitted, (26) and (27). Above the line q = 1 admission control does nothing.",
			x:       loadAxis, y: Axis{Name: "p0/v1", Unit: "s", Log: true},
		},
		{
			number: "6", title: "Revenue without admission control", source: sourceIV, names: taus, least: -1,
			measure: "Revenue when all jobs are admitted, for jobs that are worth nothing after a delay of τ. Cut off below −$1 per second.",
			x:       Axis{Name: "utilisation", Unit: "%"}, y: perSecond, slack: 0.002,
		},
		{
			number: "7", title: "Optimal admission probability", source: sourceIV, names: taus, least: never,
			measure: "The part of the jobs that it pays to admit.", x: loadAxis, y: probability,
		},
		{
			number: "8", title: "Revenue with optimal admission", source: sourceIV, names: taus, least: never,
			measure: "Revenue when jobs are admitted as in figure 7.", x: loadAxis, y: perSecond, slack: 0.002,
		},
		{
			number: "10", title: "Optimal admission as the mix of two classes varies", source: sourceTwo, names: []string{highValue, lowValue}, least: never,
			measure: "The part of the jobs of each class that it pays to admit, at a load of 80\u00a0%.", x: mix, y: probability,
			stated: []Stated{{highValue, 75, 1}, {lowValue, 0, 0.7}, {lowValue, 60, 0}},
		},
		{
			number: "11", title: "Revenue as the mix of two classes varies", source: sourceTwo, least: never,
			measure: "Revenue when jobs are admitted as in figure 10.", x: mix, y: perSecond,
		},
		{
			number: "13", title: "Optimal admission as the load of four classes grows", source: sourceFour, least: never,
			measure: "The part of the jobs of each class that it pays to admit: Hv and Lv are high and low value, Hu and Lu high and low urgency.",
			x:       loadAxis, y: probability,
			stated: []Stated{{"LvLu", 15, 1}, {"LvLu", 21, 0}, {"LvHu", 28, 1}, {"LvHu", 40, 0}, {"HvHu", 60, 1}, {"HvHu", 80, 0}, {"HvLu", 90, 1}},
		},
		{
			number: "14", title: "Revenue as the load of four classes grows", source: sourceFour, least: never,
			measure: "Revenue when jobs are admitted as in figure 13.", x: loadAxis, y: perSecond,
		},
		{
			number: "15", title: "Optimal admission for the simulated cluster", source: sourceVI, least: never,
			measure: "The part of the jobs of each class that it pays to admit by (30), with Φ = 0.56 as section VI prints it and, dashed, with 0.556.",
			x:       loadAxis, y: probability, step: 0.025,
		},
	}
}

const (
	highValue = "high value"
	lowValue  = "low value"
)

func nistTau(k float64) string {
	if k == 1 {
		return "τ = 1,000,000\u00a0s"
	}
	return "τ = " + thousands(int(math.Round(1e6/k))) + "\u00a0s"
}

// withPhi names a line of figure 15 that is not for the Phi of the paper.
func withPhi(class string, phi float64) string { return fmt.Sprintf("%s, Φ = %v", class, phi) }

// model is figures 5 to 15.
func (r *nistRun) model(ctx context.Context) ([]Figure, error) {
	list := modelFigures()
	figures := make([]Figure, len(list))
	err := r.o.Lab.Each(ctx, "provider revenue, figures 5 to 15", len(list), func(_ context.Context, i int) error {
		m := &list[i]
		drawn, err := revenue.Draw(m.number, revenue.FigureOptions{Step: m.step})
		if err != nil {
			return err
		}
		f := r.figure(m.number, m.title, m.x, m.y, m.measure, m.source)
		f.Stated = m.stated
		for k, s := range drawn.Series {
			if k < len(m.names) {
				s.Name = m.names[k]
			}
			f.Series = append(f.Series, Series{Name: s.Name, Points: m.points(s)})
		}
		if m.number == "15" {
			if drawn, err = revenue.Draw(m.number, revenue.FigureOptions{Phi: admission.FittedPhi, Step: m.step}); err != nil {
				return err
			}
			for k, s := range drawn.Series {
				f.Series = append(f.Series, Series{Name: withPhi(s.Name, admission.FittedPhi), Muted: true, Hue: k + 1, Points: m.points(s)})
			}
		}
		figures[i] = f
		return nil
	})
	return figures, err
}

// points takes a computed line over: x in per cent, and no more points than the
// line needs, as each is drawn with a marker.
func (m *modelFigure) points(s revenue.Series) []Point {
	var line curve
	for i, x := range s.X {
		y := s.Y[i]
		if y < m.least {
			break
		}
		if m.y.Log && !(y > 0) {
			continue // a logarithmic axis has no place for it
		}
		line = append(line, computed(math.Round(1e8*x)/1e6, y))
	}
	return slim(line, cmp.Or(m.slack, lineSlack)*line.spread(), m.y.Log)
}

// lineSlack is less than what refusedAny and refusedAll tell apart.
const lineSlack = 0.0005

// computed is a value that has no error.
func computed(x, y float64) Point { return Point{X: x, Estimate: Estimate{Mean: y, Low: y, High: y}} }

// slim leaves points out as long as straight lines between the others come
// within tolerance of them (Douglas and Peucker); on a logarithmic axis, as long
// as they come within 2 % of their value.
func slim(line curve, tolerance float64, log bool) curve {
	if len(line) < 3 {
		return line
	}
	first, last := line[0], line[len(line)-1]
	worst, at := 0.0, 0
	for i := 1; i < len(line)-1; i++ {
		t := (line[i].X - first.X) / (last.X - first.X)
		off := math.Abs(line[i].Mean - (first.Mean + float64(t*(last.Mean-first.Mean))))
		if log {
			straight := math.Log(first.Mean) + float64(t*math.Log(last.Mean/first.Mean))
			off, tolerance = math.Abs(math.Log(line[i].Mean)-straight), 0.02
		}
		if off > worst {
			worst, at = off, i
		}
	}
	if worst <= tolerance {
		return curve{first, last}
	}
	left := slim(line[:at+1], tolerance, log)
	return append(left[:len(left):len(left)], slim(line[at:], tolerance, log)[1:]...)
}
