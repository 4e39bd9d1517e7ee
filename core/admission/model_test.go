package admission

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
