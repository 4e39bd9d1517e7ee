package revenue

import "math"

// Estimate is a mean over periods with the half width of its 95 % confidence
// interval.
type Estimate struct {
	Mean     float64 `json:"mean"`
	Interval float64 `json:"ci95"`
}

// estimate takes the mean of values, which are independent.
func estimate(values []float64) Estimate {
	n := float64(len(values))
	if n == 0 {
		return Estimate{}
	}
	mean := 0.0
	for _, v := range values {
		mean += v
	}
	mean /= n
	if n < 2 {
		return Estimate{Mean: mean}
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return Estimate{Mean: mean, Interval: student(int(n)-1) * math.Sqrt(squares/(n-1)/n)}
}

// student is the 97.5 % quantile of Student's t. Beyond a few degrees of freedom
// the expansion of Cornish and Fisher around the normal quantile is good to
// four digits.
func student(freedom int) float64 {
	first := [...]float64{0, 12.7062, 4.30265, 3.18245, 2.77645, 2.57058}
	if freedom < len(first) {
		return first[freedom]
	}
	const z = 1.959963984540054
	v := float64(freedom)
	z3, z5, z7 := z*z*z, z*z*z*z*z, z*z*z*z*z*z*z
	return z + (z3+z)/(4*v) + (5*z5+16*z3+3*z)/(96*v*v) + (3*z7+19*z5+17*z3-15*z)/(384*v*v*v)
}
