package optimize

import "math"

// climber climbs by Newton's method with logarithmic barriers at the bounds:
// it maximises f_w(x) + t*(sum log x + sum log(u-x) + log(below - sum x)) for
// smaller and smaller t and w. Where the function is not concave, the matrix is
// shifted until the step leads uphill.
type climber struct {
	problem  *Problem
	free     []int // variables that can move
	scale    float64
	gradient []float64 // of all variables
	hessian  []float64
	g        []float64 // of those that can move, with barriers
	a        []float64 // minus the second derivatives
	factor   []float64
	step     []float64
	try      []float64
}

func newClimber(p *Problem, free []int, starts [][]float64) *climber {
	n, m := len(p.Upper), len(free)
	c := &climber{
		problem: p, free: free,
		gradient: make([]float64, n), hessian: make([]float64, n*n),
		g: make([]float64, m), a: make([]float64, m*m), factor: make([]float64, m*m),
		step: make([]float64, m), try: make([]float64, n),
	}
	// What there is to gain, by what the starts have of it.
	zero := p.Objective.Value(c.try)
	for _, x := range starts {
		c.scale = max(c.scale, math.Abs(p.Objective.Value(x)-zero))
	}
	if c.scale == 0 {
		c.scale = 1
	}
	return c
}

// The barriers and widths of a climb, relative to the scale.
const (
	firstBarrier = 1e-4
	lastBarrier  = 1e-13
	barrierRatio = 0.1
	stageSteps   = 40
)

// climb moves x to a summit and returns the value of the function there.
func (c *climber) climb(x []float64) float64 {
	c.problem.inside(x, 1e-5)
	for t := firstBarrier; t > lastBarrier; t *= barrierRatio {
		// The value of what is behind the barriers is known to about 16 digits
		// of the scale; no step can be told from none below that.
		for range stageSteps {
			if gain := c.newton(x, t*c.scale, min(1, 10*t)); !(gain > 1e-3*t*c.scale) {
				break
			}
		}
	}
	return c.problem.Objective.Value(x)
}

// newton makes one step and returns by how much it went up.
func (c *climber) newton(x []float64, t, width float64) (gain float64) {
	p := c.problem
	here := p.Objective.Expand(x, width, c.gradient, c.hessian) + t*c.barriers(x)
	n, m := len(x), len(c.free)
	slack := p.most() - sum(x)
	for r, i := range c.free {
		low, high := x[i], p.Upper[i]-x[i]
		c.g[r] = c.gradient[i] + t*(1/low-1/high-1/slack)
		for s, j := range c.free {
			c.a[r*m+s] = t/(slack*slack) - c.hessian[i*n+j]
		}
		c.a[r*m+r] += t * (1/(low*low) + 1/(high*high))
	}
	c.solve()
	slope := 0.0
	for r := range c.free {
		slope += c.g[r] * c.step[r]
	}
	if !(slope > 0) || math.IsInf(slope, 0) {
		return 0
	}
	length := min(1, 0.95*c.room(x, slack))
	for range 60 {
		copy(c.try, x)
		for r, i := range c.free {
			c.try[i] += length * c.step[r]
		}
		if c.interior(c.try) {
			there := p.Objective.Expand(c.try, width, c.gradient, c.hessian) + t*c.barriers(c.try)
			if there >= here+1e-4*length*slope {
				copy(x, c.try)
				return there - here
			}
		}
		length *= 0.4
	}
	return 0
}

func (c *climber) barriers(x []float64) float64 {
	b := math.Log(c.problem.most() - sum(x))
	for _, i := range c.free {
		b += math.Log(x[i]) + math.Log(c.problem.Upper[i]-x[i])
	}
	return b
}

// interior reports whether all barriers are finite at x.
func (c *climber) interior(x []float64) bool {
	for _, i := range c.free {
		if !(x[i] > 0 && x[i] < c.problem.Upper[i]) {
			return false
		}
	}
	return sum(x) < c.problem.most()
}

// room is how many steps it is to the nearest bound.
func (c *climber) room(x []float64, slack float64) float64 {
	room, total := math.Inf(1), 0.0
	for r, i := range c.free {
		d := c.step[r]
		total += d
		switch {
		case d < 0:
			room = min(room, -x[i]/d)
		case d > 0:
			room = min(room, (c.problem.Upper[i]-x[i])/d)
		}
	}
	if total > 0 {
		room = min(room, slack/total)
	}
	return room
}
