package optimize

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// Search finds the best point of a problem by comparing values only, from the
// same kind of starts as [Maximize] but on a way of its own: it is there to
// check the other, and to go where a function has no derivatives at all.
func Search(p Problem) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	var free []int
	for i, u := range p.Upper {
		if u > 0 {
			free = append(free, i)
		}
	}
	best := Result{X: make([]float64, len(p.Upper))}
	best.Value = p.Objective.Value(best.X)
	if len(free) == 0 {
		return best, nil
	}
	w := newWalker(&p, free)
	for _, x := range p.starts(free) {
		best.Climbs++
		if value := w.walk(x, 0.1, 1e-4); value > best.Value {
			best.Value = value
			copy(best.X, x)
		}
	}
	best.Value = w.walk(best.X, 1e-2, 1e-10)
	return best, nil
}

// walker walks uphill by trying steps along directions: each variable alone,
// each against each other, and directions that never repeat, so that it also
// gets along ridges that lie across all variables (the idea of mesh adaptive
// direct search). A step that fails in all directions is halved.
type walker struct {
	problem   *Problem
	free      []int
	direction []float64 // in units of the bounds
	try       []float64
	random    uint64
}

func newWalker(p *Problem, free []int) *walker {
	return &walker{
		problem: p, free: free,
		direction: make([]float64, len(p.Upper)), try: make([]float64, len(p.Upper)),
		random: 0x9e3779b97f4a7c15,
	}
}

// maxPolls is after how many rounds a walk only goes on with smaller steps.
const maxPolls = 300

// walk moves x uphill with steps between first and last, which are parts of the
// bounds, and returns the value it came to.
func (w *walker) walk(x []float64, first, last float64) float64 {
	value := w.problem.Objective.Value(x)
	for step, polls := first, 0; step >= last; polls++ {
		before := value
		w.poll(x, &value, step)
		// A function with slopes beyond all measure can be climbed for ever in
		// steps that are all but nothing.
		if !(value > before+1e-13*math.Abs(before)) || polls > maxPolls {
			step /= 2
		}
	}
	return value
}

func (w *walker) poll(x []float64, value *float64, step float64) {
	for a, i := range w.free {
		w.along(x, value, step, i, 1, i, 0)
		for _, j := range w.free[a+1:] {
			// As much of the one as of the other, by amount and not by share.
			ratio := w.problem.Upper[i] / w.problem.Upper[j]
			if ratio > 1 {
				w.along(x, value, step, i, 1/ratio, j, -1)
			} else {
				w.along(x, value, step, i, 1, j, -ratio)
			}
		}
	}
	for range 2 * len(w.free) {
		for _, i := range w.free {
			w.direction[i] = w.next()
		}
		w.both(x, value, step)
		for _, i := range w.free {
			w.direction[i] = 0
		}
	}
}

// along tries a direction with two variables in it, or one.
func (w *walker) along(x []float64, value *float64, step float64, i int, di float64, j int, dj float64) {
	w.direction[j] = dj
	w.direction[i] = di
	w.both(x, value, step)
	w.direction[i], w.direction[j] = 0, 0
}

// both tries a direction forwards and, if that leads nowhere, backwards.
func (w *walker) both(x []float64, value *float64, step float64) {
	if !w.stride(x, value, step) {
		w.stride(x, value, -step)
	}
}

// stride goes along the direction as long as doubling the step pays.
func (w *walker) stride(x []float64, value *float64, step float64) (moved bool) {
	for range 40 {
		copy(w.try, x)
		if !w.move(step) {
			return moved
		}
		v := w.problem.Objective.Value(w.try)
		if !(v > *value+1e-15*math.Abs(*value)) {
			return moved
		}
		*value, moved = v, true
		copy(x, w.try)
		step *= 2
	}
	return moved
}

// move adds the step to what is tried, each variable as far as its bounds let
// it, and shortens all of it at the bound of the sum.
func (w *walker) move(step float64) bool {
	p := w.problem
	old := sum(w.try)
	var changed float64
	for _, i := range w.free {
		at := min(max(w.try[i]+step*w.direction[i]*p.Upper[i], 0), p.Upper[i])
		changed = max(changed, math.Abs(at-w.try[i]))
		w.try[i] = at
	}
	if total := sum(w.try); total > p.most() {
		if total <= old {
			return false
		}
		for _, i := range w.free {
			w.try[i] *= p.most() / total
		}
		if sum(w.try) > p.most()*(1+1e-15) {
			return false
		}
	}
	return changed > 0
}

// next is a number between -1 and 1 (xorshift, always the same sequence).
func (w *walker) next() float64 {
	w.random ^= w.random << 13
	w.random ^= w.random >> 7
	w.random ^= w.random << 17
	return float64(market.Signed(w.random)) / (1 << 63)
}
