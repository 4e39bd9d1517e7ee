package optimize

import "math"

// Maximize finds the best point of a problem in three steps: climb from every
// start, take the best summit, and polish it by comparing values only.
func Maximize(p Problem) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	free := make([]int, 0, len(p.Upper))
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

	// 1. Climb.
	starts := p.starts(free)
	c := newClimber(&p, free, starts)
	var ends []float64
	for _, x := range starts {
		if v := p.Objective.Value(x); v > best.Value {
			best.Value = v
			copy(best.X, x)
		}
		value := c.climb(x)
		ends = append(ends, value)
		if value > best.Value {
			best.Value = value
			copy(best.X, x)
		}
	}

	// 2. How many came to the same height?
	best.Climbs = len(ends)
	for _, value := range ends {
		if value >= best.Value-1e-6*math.Abs(best.Value) {
			best.Summits++
		}
	}

	// 3. Polish: barriers keep a climb off the bounds by a hair, and rounded
	// kinks are not quite the kinks.
	best.Value = newWalker(&p, free).walk(best.X, 1e-4, 1e-10)
	c.snap(best.X, &best.Value)
	return best, nil
}

// snap puts variables that are all but at a bound on it, where that is no loss
// but rounding.
func (c *climber) snap(x []float64, value *float64) {
	const near = 1e-6
	try := append([]float64(nil), x...)
	for _, i := range c.free {
		u := c.problem.Upper[i]
		switch {
		case x[i] < near*u:
			try[i] = 0
		case x[i] > (1-near)*u:
			try[i] = u
		default:
			continue
		}
		if sum(try) <= c.problem.most() {
			if v := c.problem.Objective.Value(try); v >= *value-1e-11*math.Abs(*value) {
				*value = v
				x[i] = try[i]
			}
		}
		try[i] = x[i]
	}
}
