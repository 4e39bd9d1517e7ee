package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/experiment"
)

// Tuning is the value of a setting that earns most, and what was tried.
type Tuning struct {
	Policy  string  `json:"policy"`
	Setting string  `json:"setting"`
	Best    float64 `json:"best"`
	Revenue float64 `json:"revenue"`
	Default float64 `json:"default"`
	Curve   []Value `json:"curve"` // in the order of values
}

// Value is one value of the setting and what it brings.
type Value struct {
	Value     float64 `json:"value"`
	Revenue   float64 `json:"revenue"`
	Satisfied int64   `json:"satisfied"`
}

const (
	coarse = 19 // values over the whole range, evenly on a logarithmic scale
	fine   = 7  // values between the neighbours of the best, twice
)

// Tunable reports whether a policy has a number of that name to set.
func Tunable(kind policy.Kind, setting string) bool {
	return slices.ContainsFunc(kind.Settings(), func(s policy.Setting) bool { return s.Name == setting && len(s.Choices) == 0 })
}

// Tune looks for the value of a setting, between two, that earns most. Revenue
// is not smooth in a price (a job more or less is a step), so it looks
// everywhere first and then closer around the best, rather than following a
// slope.
func (h *History) Tune(ctx context.Context, lab *experiment.Lab,
	kind policy.Kind, set map[string]string, setting string, low, high float64,
) (*Tuning, error) {
	t := &Tuning{Policy: kind.Name, Setting: setting}
	for _, s := range kind.Settings() {
		if s.Name == setting {
			t.Default, _ = strconv.ParseFloat(cmp.Or(set[setting], s.Value()), 64) // a number, as Tunable says
		}
	}
	values := spread(low, high, coarse)
	if t.Default >= low && t.Default <= high {
		values = append(values, t.Default)
	}
	base := h.cell(kind.Name, set)
	base.Rate = h.Rate
	for range 3 {
		if err := t.try(ctx, lab, h, base, values); err != nil {
			return nil, err
		}
		best := t.best()
		values = spread(t.Curve[max(0, best-1)].Value, t.Curve[min(len(t.Curve)-1, best+1)].Value, fine)
	}
	best := t.Curve[t.best()]
	t.Best, t.Revenue = best.Value, best.Revenue
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

// try runs the history for values that have not been tried.
func (t *Tuning) try(ctx context.Context, lab *experiment.Lab, h *History, base experiment.Cell, values []float64) error {
	slices.Sort(values)
	values = slices.DeleteFunc(slices.Compact(values), func(x float64) bool {
		return slices.ContainsFunc(t.Curve, func(v Value) bool { return v.Value == x })
	})
	found := make([]Value, len(values))
	err := lab.Each(ctx, fmt.Sprintf("%s %d", t.Setting, len(t.Curve)), len(values), func(ctx context.Context, i int) error {
		cell := base
		cell.Set = cell.Set.Set(t.Setting, values[i])
		e, err := h.run(ctx, &cell)
		if err != nil {
			return err
		}
		_, _, satisfied := e.sums()
		found[i] = Value{values[i], finiteOr(e.revenue, 0), int64(satisfied)}
		return nil
	})
	if err != nil {
		return err
	}
	t.Curve = append(t.Curve, found...)
	slices.SortFunc(t.Curve, func(a, b Value) int { return cmp.Compare(a.Value, b.Value) })
	return nil
}

// best is the place of the value that earns most; of equals, the lowest price.
func (t *Tuning) best() int {
	best := 0
	for i := range t.Curve {
		if t.Curve[i].Revenue > t.Curve[best].Revenue {
			best = i
		}
	}
	return best
}
