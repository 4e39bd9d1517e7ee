package admission

import (
	"fmt"
	"slices"
	"strings"
)

// The service of sections IV and V: normal lengths of mean 4400 s and deviation
// 1500 s, thirty jobs in parallel, and three mean lengths without loss.
const (
	paperCapacity = 30
	paperB1       = 4400
	paperB2       = 4400*4400 + 1500*1500
	paperTauMin   = 3 * 4400
)

// OneClass is section IV: price 1000 and a decay of 0.001 k per second, so that
// a job is worth nothing after tau = p0/v1 = 1,000,000/k seconds.
func OneClass(k float64) Model {
	return Model{
		Capacity: paperCapacity, TauMin: paperTauMin, Phi: 1, Offset: Scaled, Load: 0.8,
		Classes: []Class{{Name: "job", P0: 1000, V1: 0.001 * k, Share: 1, B1: paperB1, B2: paperB2}},
	}
}

// TwoClasses is section V, figures 9 to 11: a part of the jobs is worth five
// times as much as the others and decays ten times as fast, at a load of 0.8.
func TwoClasses(high float64) Model {
	return Model{
		Capacity: paperCapacity, TauMin: paperTauMin, Phi: 1, Offset: Scaled, Load: 0.8,
		Classes: []Class{
			{Name: "high", P0: 30000, V1: 0.1, Share: high, B1: paperB1, B2: paperB2},
			{Name: "low", P0: 6000, V1: 0.01, Share: 1 - high, B1: paperB1, B2: paperB2},
		},
	}
}

// FourClasses is section V, figures 12 to 14.
func FourClasses() Model {
	return Model{
		Capacity: paperCapacity, TauMin: paperTauMin, Phi: 1, Offset: Scaled, Load: 0.8,
		Classes: []Class{
			{Name: "LvLu", P0: 10000, V1: 0.25, Share: 0.60, B1: paperB1, B2: paperB2},
			{Name: "LvHu", P0: 20000, V1: 1, Share: 0.15, B1: paperB1, B2: paperB2},
			{Name: "HvLu", P0: 40000, V1: 4.0 / 3, Share: 0.20, B1: paperB1, B2: paperB2},
			{Name: "HvHu", P0: 60000, V1: 4, Share: 0.05, B1: paperB1, B2: paperB2},
		},
	}
}

// The two values of Phi to show side by side: the one that section VI prints,
// and the one with which its "beyond 285 %" comes out. The results hang on
// Phi*40,000 - 21,600, so that the third digit matters.
const (
	PaperPhi  = 0.56
	FittedPhi = 0.556
)

// SectionVI is the analytic model of the simulated cluster, table 2 and (30).
func SectionVI() Model {
	const b1, b2 = 7200, 7200*7200 + 2400*2400
	return Model{
		Capacity: 10, TauMin: 3 * b1, Phi: PaperPhi, Offset: Scaled, Load: 1,
		Classes: []Class{
			{Name: "LvLu", P0: 1000, V1: 0.1, Share: 0.64, B1: b1, B2: b2},
			{Name: "LvHu", P0: 1000, V1: 1, Share: 0.16, B1: b1, B2: b2},
			{Name: "HvLu", P0: 5000, V1: 0.5, Share: 0.16, B1: b1, B2: b2},
			{Name: "HvHu", P0: 5000, V1: 5, Share: 0.04, B1: b1, B2: b2},
		},
	}
}

// presets are the models that the paper computes with, by name.
var presets = []struct {
	name  string
	about string
	make  func() Model
}{
	{"one-class", "section IV, figures 5 to 8 (k = 1)", func() Model { return OneClass(1) }},
	{"two-classes", "section V, figures 9 to 11 (half of the jobs high)", func() Model { return TwoClasses(0.5) }},
	{"four-classes", "section V, figures 12 to 14", FourClasses},
	{"section-vi", "section VI, figure 15 (Phi 0.56)", SectionVI},
}

// Presets are the names of the paper's models.
func Presets() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// PresetHelp says what the presets are, a line each.
func PresetHelp() string {
	var b strings.Builder
	for _, p := range presets {
		fmt.Fprintf(&b, "  %-13s %s\n", p.name, p.about)
	}
	return b.String()
}

// Preset is a model of the paper by name.
func Preset(name string) (Model, error) {
	i := slices.Index(Presets(), name)
	if i < 0 {
		return Model{}, fmt.Errorf("%q is not one of %s", name, strings.Join(Presets(), ", "))
	}
	return presets[i].make(), nil
}
