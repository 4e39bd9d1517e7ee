package optimize

import (
	"errors"
	"fmt"
	"math"
)

// Objective is a function to be made as large as possible. It is asked for at
// points of the open domain: every x[i] >= 0 and their sum below the bound of
// the problem. It must be finite there.
type Objective interface {
	// Value is the function at x.
	Value(x []float64) float64
	// Expand is the function near x, with its kinks rounded off over a width
	// between 0 and 1 (as a part of whatever is natural to the function; one
	// without kinks ignores it). It writes the gradient and the matrix of second
	// derivatives (rows one after the other, symmetric) and returns the value.
	Expand(x []float64, width float64, gradient, hessian []float64) float64
}

// Problem asks for the x with the largest value, where 0 <= x[i] <= Upper[i]
// and the sum of all x is less than Below.
type Problem struct {
	Objective Objective
	Upper     []float64
	Below     float64
	// Starts are points from which to climb besides the usual ones. They need
	// not lie in the domain.
	Starts [][]float64
}

// Result is the best point found.
type Result struct {
	X     []float64
	Value float64
	// Summits is how many of the climbs ended within a millionth of the best
	// value, and Climbs how many there were. A problem with one hill has them equal.
	Summits, Climbs int
}

// ErrProblem marks a problem that cannot be posed.
var ErrProblem = errors.New("not a problem that can be solved")

// margin is how far the sum stays away from its bound, relative to it: the
// domain is open there, and the bound itself may be a pole.
const margin = 1e-9

func (p *Problem) check() error {
	if p.Objective == nil {
		return fmt.Errorf("%w: no objective", ErrProblem)
	}
	if !(p.Below > 0) || math.IsInf(p.Below, 0) {
		return fmt.Errorf("%w: the sum is to be below %v", ErrProblem, p.Below)
	}
	for i, u := range p.Upper {
		if !(u >= 0) || math.IsInf(u, 0) {
			return fmt.Errorf("%w: bound %d is %v", ErrProblem, i, u)
		}
	}
	for i, s := range p.Starts {
		if len(s) != len(p.Upper) {
			return fmt.Errorf("%w: start %d has %d coordinates of %d", ErrProblem, i, len(s), len(p.Upper))
		}
	}
	return nil
}

// most is the largest sum that is tried.
func (p *Problem) most() float64 { return p.Below * (1 - margin) }

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
