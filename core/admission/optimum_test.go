package admission

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/optimize"
)

// randomModel is a model of up to so many classes, with prices and decays over
// several orders of magnitude, so that there are many hills.
func randomModel(r *rand.Rand, most int) Model {
	m := Model{
		Capacity: float64(1 + r.IntN(60)), Phi: []float64{1, 0.56, 0.1}[r.IntN(3)],
		Offset: Offset(Offsets()[r.IntN(4)]), Load: 0.05 + 3*r.Float64(),
		TauMin: []float64{0, 5000, 20000}[r.IntN(3)] * r.Float64(),
	}
	for i := range 1 + r.IntN(most) {
		b, cv := 1000+9000*r.Float64(), 1.5*r.Float64()
		m.Classes = append(m.Classes, Class{
			Name: fmt.Sprint("c", i), P0: math.Pow(10, 2+3*r.Float64()), V1: math.Pow(10, -3+4*r.Float64()),
			Share: 0.01 + r.Float64(), B1: b, B2: b * b * (1 + cv*cv),
		})
	}
	return m
}

func loss(found, other float64) float64 { return (other - found) / math.Max(math.Abs(found), 1e-12) }

// The second method compares values only and may stop a little short on a
// ridge; it must never find more.
func TestOptimizeAgainstSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	same, all := 0, 500
	for i := range all {
		m := randomModel(r, 6)
		o, err := m.Optimize()
		if err != nil {
			t.Fatal(err)
		}
		second, err := optimize.Search(m.problem())
		if err != nil {
			t.Fatal(err)
		}
		d := loss(o.RevenuePerSecond, second.Value)
		if d > 1e-9 {
			t.Errorf("model %d %+v: %v at %v, but %v at %v", i, m, o.RevenuePerSecond, o.RhoByClass, second.Value, second.X)
		}
		if d > -1e-7 {
			same++
		}
	}
	if same < all*95/100 {
		t.Errorf("the second method came as far in only %d of %d", same, all)
	}
}

// The third method looks everywhere: a grid over the whole box, finer towards
// zero, and finer grids around its best points.
func TestOptimizeAgainstGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 150
	if testing.Short() {
		n = 20
	}
	for i := range n {
		m := randomModel(r, 3)
		o, err := m.Optimize()
		if err != nil {
			t.Fatal(err)
		}
		x, value := gridSearch(&m)
		if d := loss(o.RevenuePerSecond, value); d > 1e-9 {
			t.Errorf("model %d %+v: %v at %v, but %v at %v", i, m, o.RevenuePerSecond, o.RhoByClass, value, x)
		} else if d < -1e-3 {
			t.Logf("model %d: the grid is %v short", i, -d)
		}
	}
}

func gridSearch(m *Model) ([]float64, float64) {
	beta, order, n := m.Beta(), m.Order(), len(m.Classes)
	delays := make([]float64, n)
	var marks []float64
	for k := range 16 {
		marks = append(marks, math.Pow(10, -3.2+float64(k)/5))
	}
	for k := range 15 {
		marks = append(marks, 0.72+0.02*float64(k))
	}
	marks = append([]float64{0}, marks...)
	type point struct {
		x     []float64
		value float64
	}
	var top []point
	x := make([]float64, n)
	visit := func() {
		total := 0.0
		for _, v := range x {
			total += v
		}
		if total >= 1 {
			return
		}
		v := m.rate(x, order, delays)
		if len(top) < 12 || v > top[len(top)-1].value {
			top = append(top, point{slices.Clone(x), v})
			slices.SortFunc(top, func(a, b point) int { return int(math.Copysign(1, b.value-a.value)) })
			top = top[:min(len(top), 12)]
		}
	}
	var walk func(i int, at func(i, k int) float64, count int)
	walk = func(i int, at func(i, k int) float64, count int) {
		if i == n {
			visit()
			return
		}
		for k := range count {
			x[i] = at(i, k)
			walk(i+1, at, count)
		}
	}
	walk(0, func(i, k int) float64 { return beta[i] * marks[k] }, len(marks))
	best := top[0]
	for _, seed := range slices.Clone(top) {
		centre, size := seed, 0.3
		for range 40 {
			top = nil
			walk(0, func(i, k int) float64 {
				return min(max(centre.x[i]+size*float64(k-2)*max(centre.x[i], 1e-4*beta[i]), 0), beta[i])
			}, 5)
			if len(top) > 0 && top[0].value > centre.value {
				centre = top[0]
			} else {
				size /= 2
			}
		}
		if centre.value > best.value {
			best = centre
		}
	}
	return best.x, best.value
}

func TestOptimizeAgainstClosedForm(t *testing.T) {
	for _, k := range []float64{0, 0.1, 1, 2, 5, 10, 100, 1000} {
		for _, load := range []float64{0.05, 0.3, 0.8, 1.4, 3} {
			for _, phi := range []float64{1, 0.56, 0.1} {
				for _, offset := range []Offset{Scaled, None} {
					m := OneClass(k)
					m.Load, m.Phi, m.Offset = load, phi, offset
					o, err := m.Optimize()
					if err != nil {
						t.Fatal(err)
					}
					rho, q, ok := m.ClosedForm()
					if !ok || math.Abs(o.Rho-rho) > 1e-7 || math.Abs(o.QByClass[0]-q) > 1e-7 {
						t.Errorf("k %v load %v phi %v %s: rho %v q %v, closed form %v and %v", k, load, phi, offset, o.Rho, o.QByClass[0], rho, q)
					}
				}
			}
		}
	}
	m := TwoClasses(0.3)
	if _, _, ok := m.ClosedForm(); ok {
		t.Error("two classes have no closed form")
	}
}

// At the optimum of (27) the price lost at the margin is the price gained.
func TestPhaseBoundary(t *testing.T) {
	m := OneClass(5)
	m.Offset, m.Load = None, 0.9
	_, q, _ := m.ClosedForm()
	c := m.Classes[0]
	left := c.P0 / c.V1
	right := m.Capacity * c.B2 / (2 * c.B1) * (1/math.Pow(1-q*m.Load, 2) - 1)
	if math.Abs(left-right) > 1e-9*left {
		t.Errorf("(27): %v is not %v", left, right)
	}
}

func TestDerivatives(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		m := randomModel(r, 5)
		o := newObjective(&m)
		n := len(m.Classes)
		x := make([]float64, n)
		for i := range x {
			x[i] = (0.1 + 0.8*r.Float64()) / float64(n)
		}
		g, h := make([]float64, n), make([]float64, n*n)
		g1, g2, none := make([]float64, n), make([]float64, n), make([]float64, n*n)
		const width, step = 0.3, 1e-6
		o.Expand(x, width, g, h)
		for i := range x {
			at := x[i]
			x[i] = at + step
			up := o.Expand(x, width, g1, none)
			x[i] = at - step
			down := o.Expand(x, width, g2, none)
			x[i] = at
			size := math.Abs(up) + math.Abs(down)
			if d := (up - down) / (2 * step); math.Abs(d-g[i]) > 1e-5*math.Abs(g[i])+1e-8*size {
				t.Fatalf("%+v: slope %d is %v, not %v", m, i, g[i], d)
			}
			for j := range x {
				d := (g1[j] - g2[j]) / (2 * step)
				if math.Abs(d-h[i*n+j]) > 1e-4*math.Abs(h[i*n+j])+1e-7*(math.Abs(g1[j])+math.Abs(g2[j])) {
					t.Fatalf("%+v: second derivative %d %d is %v, not %v", m, i, j, h[i*n+j], d)
				}
			}
		}
	}
}

// A class of which there is nothing does not disturb the others.
func TestEmptyClass(t *testing.T) {
	with, without := TwoClasses(0), TwoClasses(0)
	without.Classes = without.Classes[1:]
	a, err := with.Optimize()
	if err != nil {
		t.Fatal(err)
	}
	b, err := without.Optimize()
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.RevenuePerSecond-b.RevenuePerSecond) > 1e-12 || math.Abs(a.Q["low"]-b.Q["low"]) > 1e-9 {
		t.Errorf("%+v and %+v", a, b)
	}
	if a.Q["high"] != 1 {
		t.Errorf("the first valuable job is worth admitting: q %v", a.Q["high"])
	}
}

func BenchmarkOptimize(b *testing.B) {
	m := SectionVI()
	m.Load = 2
	for b.Loop() {
		if _, err := m.Optimize(); err != nil {
			b.Fatal(err)
		}
	}
}
