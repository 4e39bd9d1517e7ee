package optimize

import "math"

// starts are the points from which every problem is climbed. A hill can be
// narrow and near zero, where a point in the middle of the box is deep in a
// valley and everything leads away from it. So the starts are looked for: along
// rays from zero in many directions, each ray's best point, improved by changing
// one variable at a time, or dropping one for another, over its whole range.
func (p *Problem) starts(free []int) [][]float64 {
	s := newScout(p, free)
	var points [][]float64
	add := func(x []float64) {
		value := s.hop(x)
		for i, q := range points {
			if s.near(x, q) {
				if value > p.Objective.Value(q) {
					points[i] = x
				}
				return
			}
		}
		points = append(points, x)
	}
	for _, direction := range directions(len(free)) {
		if x, ok := s.ray(direction); ok {
			add(x)
		}
	}
	for _, x := range p.Starts {
		x = append([]float64(nil), x...)
		p.bring(x)
		add(x)
	}
	return points
}

// directions of the rays: every set of variables where there are few of them,
// otherwise small sets and runs, and a sequence that spreads evenly (Halton).
func directions(n int) [][]float64 {
	var list [][]float64
	add := func(part func(i int) float64) {
		d := make([]float64, n)
		for i := range d {
			d[i] = part(i)
		}
		list = append(list, d)
	}
	if n <= 5 {
		for set := 1; set < 1<<n; set++ {
			add(func(i int) float64 { return float64(set >> i & 1) })
		}
	} else {
		add(func(int) float64 { return 1 })
		for k := range n {
			add(func(i int) float64 { return pick(i == k) })
			add(func(i int) float64 { return pick(i != k) })
			add(func(i int) float64 { return pick(i <= k) })
			add(func(i int) float64 { return pick(i >= k) })
		}
	}
	for k := range 2 * n {
		add(func(i int) float64 { return halton(k+1, i) })
	}
	return list
}

// bring moves a point into the domain.
func (p *Problem) bring(x []float64) {
	for i, u := range p.Upper {
		if !(x[i] > 0) { // also a NaN
			x[i] = 0
		}
		x[i] = min(x[i], u)
	}
	if total := sum(x); total > p.most() {
		for i := range x {
			x[i] *= p.most() / total
		}
	}
}

// inside moves a point of the domain off its bounds, where barriers are finite.
func (p *Problem) inside(x []float64, edge float64) {
	total := 0.0
	for i, u := range p.Upper {
		x[i] = min(max(x[i], edge*u), (1-edge)*u)
		total += x[i]
	}
	if limit := (1 - edge) * p.most(); total > limit {
		for i := range x {
			x[i] *= limit / total
		}
	}
}

func pick(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

var primes = [...]int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}

// halton is coordinate i of point k of the Halton sequence. Beyond the primes at
// hand the coordinates repeat, shifted.
func halton(k, i int) float64 {
	base := primes[i%len(primes)]
	k += 7 * (i / len(primes))
	x, part := 0.0, 1.0
	for ; k > 0; k /= base {
		part /= float64(base)
		x += part * float64(k%base)
	}
	return x
}

// scout looks over whole lines through the domain.
type scout struct {
	problem *Problem
	free    []int
	try     []float64
	best    []float64
}

func newScout(p *Problem, free []int) *scout {
	return &scout{problem: p, free: free, try: make([]float64, len(p.Upper)), best: make([]float64, len(p.Upper))}
}

// places along a line, as parts of its length: even ones, and ever smaller ones
// towards zero.
var places = func() (list []float64) {
	for k := range 14 {
		list = append(list, math.Pow(10, -4+float64(k)/5))
	}
	for k := range 12 {
		list = append(list, 0.56+0.04*float64(k))
	}
	for _, k := range []float64{0.02, 0.01, 0.003, 0.001, 0} {
		list = append(list, 1-k)
	}
	return list
}()

// ray finds the best point along a ray from zero; none is better than zero
// itself where the function falls all the way.
func (s *scout) ray(direction []float64) (x []float64, ok bool) {
	p := s.problem
	full := make([]float64, len(p.Upper))
	for r, i := range s.free {
		full[i] = direction[r] * p.Upper[i]
	}
	p.bring(full)
	x = make([]float64, len(full))
	best := math.Inf(-1)
	for _, part := range places {
		for i := range full {
			s.try[i] = part * full[i]
		}
		if v := p.Objective.Value(s.try); v > best {
			best = v
			copy(x, s.try)
		}
	}
	return x, best > math.Inf(-1)
}

// hop improves x by moves along whole lines until none helps any more.
func (s *scout) hop(x []float64) float64 {
	value := s.problem.Objective.Value(x)
	for range 50 {
		start := value
		for _, j := range s.free {
			value = s.line(x, value, j, j)
			for _, i := range s.free {
				if i != j && x[i] > 0 {
					value = s.line(x, value, i, j)
				}
			}
		}
		if !(value > start+1e-6*math.Abs(start)) {
			break
		}
	}
	return value
}

// line gives up all of x[drop] and sets x[j] to the best of many places, if
// that is better than what there is.
func (s *scout) line(x []float64, value float64, drop, j int) float64 {
	p := s.problem
	copy(s.try, x)
	s.try[drop], s.try[j] = 0, 0
	most := max(0, min(p.Upper[j], p.most()-sum(s.try)))
	found := -1.0
	// Refined twice around the best place, where it matters to a hill how high
	// it is and not only that it is there.
	low, high := 0.0, 1.0
	look := func(part float64) {
		s.try[j] = part * most
		if v := p.Objective.Value(s.try); v > value+1e-12*math.Abs(value) {
			value, found = v, part
		}
	}
	look(0)
	for k, part := range places {
		before := found
		look(part)
		if found != before {
			low, high = 0, 1
			if k > 0 {
				low = places[k-1]
			}
			if k+1 < len(places) {
				high = places[k+1]
			}
		}
	}
	if found < 0 {
		return value
	}
	for range 2 {
		step := (high - low) / 10
		from := low
		for k := 1; k < 10; k++ {
			look(from + float64(k)*step)
		}
		low, high = max(0, found-step), min(1, found+step)
	}
	x[drop] = 0
	x[j] = found * most
	return value
}

// near reports whether two points are all but the same.
func (s *scout) near(x, y []float64) bool {
	for _, i := range s.free {
		if math.Abs(x[i]-y[i]) > 1e-3*s.problem.Upper[i] {
			return false
		}
	}
	return true
}
