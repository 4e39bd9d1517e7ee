package admission

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Numbers at the ends of what is allowed give an answer, quickly, and no
// infinity.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	extreme := func() float64 {
		switch r.IntN(6) {
		case 0:
			return 0
		case 1:
			return largest
		case 2:
			return smallest
		case 3:
			return math.Pow(10, 27*r.Float64()-12)
		default:
			return 10 * r.Float64()
		}
	}
	solved := 0
	for range 2000 {
		m := Model{Capacity: extreme(), Phi: extreme(), Offset: Offset(Offsets()[r.IntN(4)]), Load: extreme(), TauMin: extreme()}
		for i := range 1 + r.IntN(4) {
			m.Classes = append(m.Classes, Class{
				Name: fmt.Sprint(i), P0: extreme(), V1: extreme(), Share: extreme(), B1: extreme(), B2: extreme(),
			})
		}
		if m.Validate() != nil {
			continue
		}
		o, err := m.Optimize()
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if !(o.RevenuePerSecond >= 0) || math.IsInf(o.RevenuePerSecond, 0) {
			t.Fatalf("%+v: revenue %v", m, o.RevenuePerSecond)
		}
		for s := range m.Classes {
			if q, d := o.QByClass[s], o.DelayByClass[s]; !(q >= 0 && q <= 1) || !(d >= 0) || math.IsInf(d, 1) {
				t.Fatalf("%+v: class %d: q %v, delay %v", m, s, q, d)
			}
		}
		solved++
	}
	if solved < 500 {
		t.Errorf("only %d models were valid", solved)
	}
}
