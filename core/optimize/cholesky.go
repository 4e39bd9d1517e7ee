package optimize

import "math"

// solve finds the step with a*step = g. A matrix that is not positive definite
// gets its diagonal enlarged until it is, and the step turns towards the
// gradient.
func (c *climber) solve() {
	for shift := 0.0; ; shift = max(1e-6, 10*shift) {
		if c.decompose(shift) || shift > 1e12 {
			break
		}
	}
	m := len(c.free)
	for i := range m {
		s := c.g[i]
		for k := range i {
			s -= c.factor[i*m+k] * c.step[k]
		}
		c.step[i] = s / c.factor[i*m+i]
	}
	for i := m - 1; i >= 0; i-- {
		s := c.step[i]
		for k := i + 1; k < m; k++ {
			s -= c.factor[k*m+i] * c.step[k]
		}
		c.step[i] = s / c.factor[i*m+i]
	}
}

// decompose writes the Cholesky factor of a, its diagonal enlarged by a part of
// itself, or reports that there is none.
func (c *climber) decompose(shift float64) bool {
	m := len(c.free)
	for i := range m {
		for j := range i + 1 {
			s := c.a[i*m+j]
			if i == j {
				s += shift * (math.Abs(s) + c.scale*1e-12)
			}
			for k := range j {
				s -= c.factor[i*m+k] * c.factor[j*m+k]
			}
			if i != j {
				c.factor[i*m+j] = s / c.factor[j*m+j]
				continue
			}
			if !(s > 1e-14*math.Abs(c.a[i*m+i])) || math.IsInf(s, 0) {
				return false
			}
			c.factor[i*m+i] = math.Sqrt(s)
		}
	}
	return true
}
