package admission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// SweepPoint is the optimum at one value of a parameter.
type SweepPoint struct {
	Value float64 `json:"value"`
	*Optimum
}

// parameters are what a sweep can vary, besides the share of a class.
var parameters = []struct {
	name string
	set  func(*Model, float64)
}{
	{"load", func(m *Model, x float64) { m.Load = x }},
	{"capacity", func(m *Model, x float64) { m.Capacity = x }},
	{"tau_min", func(m *Model, x float64) { m.TauMin = x }},
	{"phi", func(m *Model, x float64) { m.Phi = x }},
	{"decay", func(m *Model, x float64) {
		for i := range m.Classes {
			m.Classes[i].V1 *= x
		}
	}},
}

// Parameters are the names of what a sweep can vary: load, capacity, tau_min,
// phi, decay (a factor on every v1), and share:NAME, the part of one class of
// all jobs while the others keep their proportions.
func Parameters() []string {
	var names []string
	for _, p := range parameters {
		names = append(names, p.name)
	}
	return append(names, "share:NAME")
}

// With is the model with one parameter changed.
func (m *Model) With(parameter string, x float64) (Model, error) {
	changed := *m
	changed.Classes = slices.Clone(m.Classes)
	for _, p := range parameters {
		if p.name == parameter {
			p.set(&changed, x)
			return changed, changed.Validate()
		}
	}
	name, isShare := strings.CutPrefix(parameter, "share:")
	if !isShare {
		return changed, fmt.Errorf("%q is not one of %s", parameter, strings.Join(Parameters(), ", "))
	}
	others, at := 0.0, -1
	for i := range changed.Classes {
		if changed.Classes[i].Name == name {
			at = i
		} else {
			others += changed.Classes[i].Share
		}
	}
	if at < 0 {
		return changed, fmt.Errorf("no class %q", name)
	}
	if !(x >= 0 && x <= 1) {
		return changed, fmt.Errorf("share of %s: %v makes no sense (want 0 to 1)", name, x)
	}
	for i := range changed.Classes {
		if i != at && others > 0 {
			changed.Classes[i].Share *= (1 - x) / others
		}
	}
	changed.Classes[at].Share = x
	return changed, changed.Validate()
}

// Sweep finds the optimum at every value of a parameter.
func (m *Model) Sweep(parameter string, values []float64) ([]SweepPoint, error) {
	points := make([]SweepPoint, 0, len(values))
	for _, x := range values {
		changed, err := m.With(parameter, x)
		if err != nil {
			return nil, err
		}
		o, err := changed.Optimize()
		if err != nil {
			return nil, err
		}
		points = append(points, SweepPoint{Value: x, Optimum: o})
	}
	return points, nil
}

// Steps are values from one number to another, both included, evenly apart.
func Steps(from, to, step float64) []float64 {
	var values []float64
	for k := 0; ; k++ {
		x := from + float64(k)*step
		if x > to+1e-9*step {
			return values
		}
		values = append(values, min(market.RoundSignificant(x), to)) // 1.8, not 1.7999999999999998
	}
}
