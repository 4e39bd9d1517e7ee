package revenue

import (
	"math"
	"slices"
	"testing"
)

func TestPriorityOrder(t *testing.T) {
	m := FourClasses()
	if got := m.Order(); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("figure 12: %v", got)
	}
	m.Classes[0].V1, m.Classes[3].V1 = 1, 1
	if got := m.Order(); !slices.Equal(got, []int{0, 1, 3, 2}) {
		t.Errorf("of equal classes the later has priority: %v", got)
	}
}

// The four forms of the delay, by hand.
func TestDelays(t *testing.T) {
	m := TwoClasses(0.5)
	rho := []float64{0.2, 0.3}
	t0 := 30.0 / 2 * 0.5 * paperB2 / paperB1
	high, low := 1/(1-0.2), 1/((1-0.5)*(1-0.2))
	for offset, want := range map[Offset][]float64{
		Scaled:  {(t0 - 0.5*13200) * high, (t0 - 0.5*13200) * low},
		Literal: {(t0 - 13200) * high, (t0 - 13200) * low},
		Wait:    {t0*high - 13200, t0*low - 13200},
		None:    {t0 * high, t0 * low},
	} {
		m.Offset = offset
		for s, d := range m.Delays(rho) {
			if math.Abs(d-want[s]) > 1e-9*want[s] {
				t.Errorf("%s: class %d: %v, not %v", offset, s, d, want[s])
			}
		}
	}
	m.Offset = Scaled
	rate := 30 * (0.2/4400*(30000-0.1*m.Delays(rho)[0]) + 0.3/4400*(6000-0.01*m.Delays(rho)[1]))
	if math.Abs(m.Rate(rho)-rate) > 1e-9 {
		t.Errorf("revenue %v, not %v", m.Rate(rho), rate)
	}
}

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
	for phi, printed := range map[float64]float64{PaperPhi: 2.555, FittedPhi: 2.865} {
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
	m := s.Model(1, PaperPhi, Scaled)
	want := SectionVI()
	if m.Capacity != want.Capacity || m.TauMin != want.TauMin || !slices.Equal(m.Classes, want.Classes) {
		t.Errorf("%+v, not %+v", m, want)
	}
}

func TestSweepShare(t *testing.T) {
	m := FourClasses()
	changed, err := m.With("share:HvHu", 0.525)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(changed.Classes[0].Share-0.3) > 1e-12 || m.Classes[0].Share != 0.6 {
		t.Errorf("%+v", changed)
	}
	if _, err := m.With("share:nobody", 0.5); err == nil {
		t.Error("a class that is not there")
	}
}
