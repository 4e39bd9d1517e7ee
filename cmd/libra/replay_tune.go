package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/chart"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/experiment"
)

// tuning is what --tune found.
type tuning struct {
	Policy  string      `json:"policy"`
	Setting string      `json:"setting"`
	Best    float64     `json:"best"`
	Revenue float64     `json:"revenue"`
	Default float64     `json:"default"`
	Curve   []tuneValue `json:"curve"` // in the order of values
}

type tuneValue struct {
	Value     float64 `json:"value"`
	Revenue   float64 `json:"revenue"`
	Satisfied int64   `json:"satisfied"`
}

const (
	tuneCoarse = 19 // values over the whole range, evenly on a logarithmic scale
	tuneFine   = 7  // values between the neighbours of the best, twice
)

// parseSpan reads from:to.
func parseSpan(text string) (low, high float64, err error) {
	from, to, found := strings.Cut(text, ":")
	low, wrong := strconv.ParseFloat(from, 64)
	high, wrong2 := strconv.ParseFloat(to, 64)
	if !found || wrong != nil || wrong2 != nil || !(low > 0) || !(high > low) || math.IsInf(high, 0) {
		return 0, 0, usagef("--range: %q is not a range (want from:to, both above 0)", text)
	}
	return low, high, nil
}

// tuneSetting looks for the value of a setting that earns most. Revenue is not
// smooth in a price (a job more or less is a step), so it looks everywhere
// first and then closer around the best, rather than following a slope. The
// contender keeps the best value.
func (r *replay) tuneSetting(ctx context.Context, contenders []contender, low, high float64) (*tuning, error) {
	at := slices.IndexFunc(contenders, func(c contender) bool {
		return slices.ContainsFunc(c.kind.Settings(), func(s policy.Setting) bool { return s.Name == r.tune && len(s.Choices) == 0 })
	})
	if at < 0 {
		return nil, usagef("--tune: no policy of --policy has a number %q to set", r.tune)
	}
	c := contenders[at]
	t := &tuning{Policy: c.kind.Name, Setting: r.tune}
	for _, s := range c.kind.Settings() {
		if s.Name == r.tune {
			t.Default, _ = strconv.ParseFloat(cmp.Or(c.set[r.tune], s.Value()), 64) // a number, as found above
		}
	}
	values := spread(low, high, tuneCoarse)
	if t.Default >= low && t.Default <= high {
		values = append(values, t.Default)
	}
	for range 3 {
		if err := r.tryValues(ctx, c, t, values); err != nil {
			return nil, err
		}
		best := t.best()
		values = spread(t.Curve[max(0, best-1)].Value, t.Curve[min(len(t.Curve)-1, best+1)].Value, tuneFine)
	}
	best := t.Curve[t.best()]
	t.Best, t.Revenue = best.Value, best.Revenue
	c.set[r.tune] = strconv.FormatFloat(t.Best, 'g', -1, 64)
	return t, nil
}

// spread gives n values from low to high, evenly on a logarithmic scale, with
// three digits: more would be noise.
func spread(low, high float64, n int) []float64 {
	var values []float64
	for i := range n {
		x := low * math.Pow(high/low, float64(i)/float64(n-1))
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64) // its own output
		values = append(values, min(max(x, low), high))
	}
	return values
}

// tryValues runs the history for values that have not been tried.
func (r *replay) tryValues(ctx context.Context, c contender, t *tuning, values []float64) error {
	slices.Sort(values)
	values = slices.DeleteFunc(slices.Compact(values), func(x float64) bool {
		return slices.ContainsFunc(t.Curve, func(v tuneValue) bool { return v.Value == x })
	})
	bars := &stageBars{con: r.con}
	defer bars.finish()
	lab := &experiment.Lab{Progress: bars.tell}
	found := make([]tuneValue, len(values))
	err := lab.Each(ctx, fmt.Sprintf("%s %d", r.tune, len(t.Curve)), len(values), func(ctx context.Context, i int) error {
		cell := r.cell(c)
		cell.Set = cell.Set.Set(r.tune, values[i])
		satisfied := int64(0)
		summary, err := cell.RunOn(ctx, r.arrivals, func(rec *market.Record) {
			if rec.Kind == market.Completed && !rec.Finish.After(rec.Spec.Due()) && rec.Price.Within(rec.Spec.SLA.Budget) {
				satisfied++
			}
		})
		if err != nil {
			return err
		}
		found[i] = tuneValue{values[i], finiteOr(summary.Revenue, 0), satisfied}
		return nil
	})
	if err != nil {
		return err
	}
	t.Curve = append(t.Curve, found...)
	slices.SortFunc(t.Curve, func(a, b tuneValue) int { return cmp.Compare(a.Value, b.Value) })
	return nil
}

// best is the place of the value that earns most; of equals, the lowest price.
func (t *tuning) best() int {
	best := 0
	for i := range t.Curve {
		if t.Curve[i].Revenue > t.Curve[best].Revenue {
			best = i
		}
	}
	return best
}

// drawCurve writes the curve as a drawing.
func (r *replay) drawCurve(t *tuning) error {
	l := &chart.Lines{
		Title:    fmt.Sprintf("Revenue by %s of %s", t.Setting, t.Policy),
		Subtitle: fmt.Sprintf("Revenue of the jobs done in time and within budget. The best is %s, at %v.", amount(t.Revenue), t.Best),
		Source:   r.headline(),
		X:        chart.Axis{Label: t.Setting, Log: true}, Y: chart.Axis{Label: "revenue", Zero: true},
		Series: []chart.Series{{Name: t.Policy}},
		Marks:  []chart.Mark{{X: t.Best, Y: t.Revenue, Text: fmt.Sprintf("best: %v", t.Best), Series: -1}},
	}
	for _, v := range t.Curve {
		l.Series[0].Points = append(l.Series[0].Points, chart.Point{X: v.Value, Y: v.Revenue, Low: v.Revenue, High: v.Revenue})
	}
	return r.con.writeOutput(r.svg, func(out io.Writer) error {
		_, err := out.Write(l.SVG())
		return err
	})
}
