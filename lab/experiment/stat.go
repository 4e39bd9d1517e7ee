package experiment

import (
	"math"
	"slices"
)

// Estimate is what several runs say about one number.
type Estimate struct {
	Mean, Low, High float64
	N               int
}

// Confidence gives the mean of values that differ only by their seed, with its
// 95 % confidence interval by Student's t. A single value has no interval: both
// ends are the value. Values that are not finite make the mean so.
func Confidence(values []float64) Estimate {
	e := Estimate{N: len(values)}
	e.Mean, e.Low, e.High = math.NaN(), math.NaN(), math.NaN()
	if e.N == 0 {
		return e
	}
	mean, deviation := moments(values)
	half := 0.0
	if e.N > 1 {
		half = studentT(e.N-1) * deviation / math.Sqrt(float64(e.N))
	}
	e.Mean, e.Low, e.High = mean, mean-half, mean+half
	return e
}

// Range gives the mean and the middle 95 % of the values: where a single run
// falls, rather than where their mean lies.
func Range(values []float64) Estimate {
	e := Confidence(values)
	if e.N > 0 {
		sorted := slices.Sorted(slices.Values(values))
		e.Low, e.High = quantile(sorted, 0.025), quantile(sorted, 0.975)
	}
	return e
}

// moments are the mean and the standard deviation with n-1.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		deviation += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(deviation / float64(max(1, len(values)-1)))
}

func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	below := int(place)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := place - float64(below)
	return sorted[below] + float64(part*(sorted[below+1]-sorted[below]))
}

// studentT is the 97.5 % quantile of Student's t with so many degrees of
// freedom, found by bisection.
func studentT(freedom int) float64 {
	low, high := 0.0, 20.0 // 12.71 for one degree
	for range 60 {
		mid := (low + high) / 2
		if studentCDF(mid, float64(freedom)) < 0.975 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// studentCDF is P(T <= t) for t >= 0, through the incomplete beta function
// (Abramowitz and Stegun, 26.7.1 and 26.5.8).
func studentCDF(t, freedom float64) float64 {
	x := freedom / (freedom + t*t)
	return 1 - incompleteBeta(x, freedom/2, 0.5)/2
}

// incompleteBeta is I_x(a, b), by its continued fraction where that converges
// fast and by symmetry elsewhere.
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return max(0, min(1, x))
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(1-x, b, a)
	}
	lga, _ := math.Lgamma(a)
	lgb, _ := math.Lgamma(b)
	lgab, _ := math.Lgamma(a + b)
	front := math.Exp(lgab-lga-lgb+a*math.Log(x)+b*math.Log(1-x)) / a
	// Lentz's method, modified.
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := range 300 {
		m := float64(i / 2)
		term := 1.0
		switch {
		case i > 0 && i%2 == 0:
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		case i > 0:
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 + term*d
		if math.Abs(d) < tiny {
			d = tiny
		}
		d = 1 / d
		c = 1 + term/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 && i > 1 {
			break
		}
	}
	return front * (f - 1)
}
