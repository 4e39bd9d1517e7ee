package optimize

import (
	"errors"
	"math"
	"testing"
)

// A plain function for tests: its value, with derivatives by differences.
type plain func(x []float64) float64

func (f plain) Value(x []float64) float64 { return f(x) }

func (f plain) Expand(x []float64, _ float64, gradient, hessian []float64) float64 {
	const h = 1e-5
	n := len(x)
	at := func(i int, di float64, j int, dj float64) float64 {
		y := append([]float64(nil), x...)
		y[i] += di
		y[j] += dj
		return f(y)
	}
	for i := range n {
		gradient[i] = (at(i, h, i, 0) - at(i, -h, i, 0)) / (2 * h)
		for j := range n {
			hessian[i*n+j] = (at(i, h, j, h) - at(i, h, j, -h) - at(i, -h, j, h) + at(i, -h, j, -h)) / (4 * h * h)
		}
	}
	return f(x)
}

func TestKnownSummits(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     plain
		upper []float64
		want  []float64
	}{
		{"a parabola inside", func(x []float64) float64 { return -math.Pow(x[0]-0.3, 2) - math.Pow(x[1]-0.2, 2) }, []float64{1, 1}, []float64{0.3, 0.2}},
		{"at a bound", func(x []float64) float64 { return x[0] - math.Pow(x[1]-0.2, 2) }, []float64{0.5, 1}, []float64{0.5, 0.2}},
		{"at the bound of the sum", func(x []float64) float64 { return 2*x[0] + x[1] }, []float64{0.6, 1}, []float64{0.6, 0.4}},
		{"nothing to gain", func(x []float64) float64 { return -x[0] - x[1] }, []float64{1, 1}, []float64{0, 0}},
		{
			"a low hill in front of a high one",
			func(x []float64) float64 {
				return math.Exp(-200*math.Pow(x[0]-0.1, 2)) + 2*math.Exp(-200*math.Pow(x[0]-0.8, 2))
			},
			[]float64{0.9},
			[]float64{0.8},
		},
		{
			"a ridge across", // flat from one side, steep from the other
			func(x []float64) float64 { return x[0] + 0.7*x[1] - 9*max(0, x[0]+2*x[1]-0.5) - x[1]*x[1] },
			[]float64{0.3, 1},
			[]float64{0.3, 0.1},
		},
		{"a variable that cannot move", func(x []float64) float64 { return x[0] + x[1] - x[1]*x[1] }, []float64{0, 1}, []float64{0, 0.5}},
	} {
		p := Problem{Objective: c.f, Upper: c.upper, Below: 1}
		for method, solve := range map[string]func(Problem) (Result, error){"maximize": Maximize, "search": Search} {
			r, err := solve(p)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				if math.Abs(r.X[i]-c.want[i]) > 1e-4 {
					t.Errorf("%s, %s: %v, not %v", c.name, method, r.X, c.want)
					break
				}
			}
		}
	}
}

// Every point stays in the domain, even that of a function with a pole at its
// end.
func TestDomain(t *testing.T) {
	upper := []float64{0.8, 0.7, 2}
	f := plain(func(x []float64) float64 {
		total := sum(x)
		if total >= 1 {
			t.Fatalf("asked at %v", x)
		}
		for i, v := range x {
			if v < -1e-4 || v > upper[i]+1e-4 { // the differences of this test reach out
				t.Fatalf("asked at %v", x)
			}
		}
		return sum(x) - 1e-3/(1-total)
	})
	r, err := Search(Problem{Objective: f, Upper: upper, Below: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 - math.Sqrt(1e-3); math.Abs(sum(r.X)-want) > 1e-4 {
		t.Errorf("sum %v, not %v", sum(r.X), want)
	}
}

func TestNotAProblem(t *testing.T) {
	f := plain(func([]float64) float64 { return 0 })
	for _, p := range []Problem{
		{Upper: []float64{1}, Below: 1},
		{Objective: f, Upper: []float64{-1}, Below: 1},
		{Objective: f, Upper: []float64{math.NaN()}, Below: 1},
		{Objective: f, Upper: []float64{1}, Below: 0},
		{Objective: f, Upper: []float64{1}, Below: 1, Starts: [][]float64{{1, 2}}},
	} {
		if _, err := Maximize(p); !errors.Is(err, ErrProblem) {
			t.Errorf("%+v: %v", p, err)
		}
		if _, err := Search(p); !errors.Is(err, ErrProblem) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if r, err := Maximize(Problem{Objective: f, Upper: nil, Below: 1}); err != nil || len(r.X) != 0 {
		t.Errorf("no variables: %+v, %v", r, err)
	}
}
