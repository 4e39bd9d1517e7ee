package revenue

import (
	"math"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/admission"
)

// leaves finds where q leaves 1 and where it comes to 0.
func leaves(s Series) (one, zero float64) {
	one, zero = math.NaN(), math.NaN()
	for i, q := range s.Y {
		if q < 1-1e-4 && math.IsNaN(one) {
			one = s.X[i]
		}
		if q < 1e-4 && math.IsNaN(zero) {
			zero = s.X[i]
		}
	}
	return one, zero
}

func draw(t *testing.T, number string, o FigureOptions) *Figure {
	t.Helper()
	f, err := Draw(number, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The numbers that the paper prints of its figures, to the precision at which a
// curve can be read. They hold for the offset scaled, and for no other.
func TestPrintedNumbers(t *testing.T) {
	near := func(what string, got, printed, slack float64) {
		t.Helper()
		if !(math.Abs(got-printed) <= slack) {
			t.Errorf("%s: %.3f, the paper has %v", what, got, printed)
		}
	}
	f := draw(t, "13", FigureOptions{})
	for i, printed := range [][2]float64{{0.15, 0.21}, {0.28, 0.40}, {0.90, math.NaN()}, {0.60, 0.80}} {
		one, zero := leaves(f.Series[i])
		near("figure 13, "+f.Series[i].Name+" leaves 1", one, printed[0], 0.0201)
		if !math.IsNaN(printed[1]) {
			near("figure 13, "+f.Series[i].Name+" comes to 0", zero, printed[1], 0.0201)
		}
	}
	f = draw(t, "10", FigureOptions{})
	high, _ := leaves(f.Series[0])
	near("figure 10, high leaves 1", high, 0.75, 0.02)
	_, low := leaves(f.Series[1])
	near("figure 10, low comes to 0", low, 0.60, 0.04)
	// "Cannot admit more than 70 % of the low-value jobs" is not what (28) gives.
	if q := f.Series[1].Y[1]; math.Abs(q-0.869) > 0.001 {
		t.Errorf("figure 10: low with one per cent high: %v", q)
	}
	for phi, printed := range map[float64]float64{admission.PaperPhi: 2.555, admission.FittedPhi: 2.865} {
		f = draw(t, "15", FigureOptions{Phi: phi, Step: 0.01})
		_, zero := leaves(f.Series[0])
		near("figure 15, only high-value jobs", zero, printed, 0.01)
	}
}

func TestEveryFigure(t *testing.T) {
	for _, number := range Figures() {
		f := draw(t, number, FigureOptions{Step: 0.1})
		if f.Number != number || len(f.Series) == 0 {
			t.Errorf("figure %s: %+v", number, f)
		}
		for _, s := range f.Series {
			if len(s.X) == 0 || len(s.X) != len(s.Y) {
				t.Errorf("figure %s, %s: %d and %d points", number, s.Name, len(s.X), len(s.Y))
			}
		}
	}
	if _, err := Draw("12", FigureOptions{}); err == nil {
		t.Error("figure 12 is a drawing of the classes, not of a result")
	}
}

// The preset of section VI is the model of the system that it simulates.
func TestSystemModel(t *testing.T) {
	s := PaperSystem()
	m := s.Model(1, admission.PaperPhi, admission.Scaled)
	want := admission.SectionVI()
	if m.Capacity != want.Capacity || m.TauMin != want.TauMin || !slices.Equal(m.Classes, want.Classes) {
		t.Errorf("%+v, not %+v", m, want)
	}
}
