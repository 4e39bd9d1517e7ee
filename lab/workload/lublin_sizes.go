package workload

import "math"

// sizes draws the widths of jobs: some are serial, and the logarithm of the
// others is even in two stages, mostly rounded to a power of two.
type sizes struct {
	nodes             int
	low, middle, high float64 // logarithms to base 2
}

func newSizes(nodes int) sizes {
	high := math.Log2(float64(nodes))
	low := min(sizeLow, high)
	return sizes{nodes: nodes, low: low, middle: max(low, high-sizeBelow), high: high}
}

func (s *sizes) draw(d *draws) int {
	kind := d.Float64()
	if kind <= serialShare {
		return 1
	}
	from, to := s.low, s.middle
	if d.Float64() > sizeFirst {
		from, to = s.middle, s.high
	}
	return s.width(from+float64((to-from)*d.Float64()), kind <= serialShare+powerShare)
}

// width is the size whose logarithm was drawn.
func (s *sizes) width(log float64, power bool) int {
	if power {
		log = math.Round(log)
	}
	return min(s.nodes, int(math.Round(math.Exp2(log))))
}

// meanWork is the expected runtime x width of a job, by which a load becomes a
// gap. It is computed from the distributions, not sampled: the same for all
// seeds, and right for short workloads too.
func (s *sizes) meanWork() float64 {
	const points = 2000
	shortWork, shortPart := expMoments(runShape1, runScale1, runMost)
	longWork, longPart := expMoments(runShape2, runScale2, runMost)
	work := func(width int) float64 {
		p := shortRuns(width)
		run := (float64(p*shortWork) + float64((1-p)*longWork)) / (float64(p*shortPart) + float64((1-p)*longPart))
		return run * float64(width)
	}
	sum := serialShare * work(1)
	for _, stage := range [...]struct{ from, to, share float64 }{
		{s.low, s.middle, sizeFirst}, {s.middle, s.high, 1 - sizeFirst},
	} {
		for i := range points {
			log := stage.from + float64((stage.to-stage.from)*(float64(i)+0.5)/points)
			share := stage.share / points
			sum += float64(share * powerShare * work(s.width(log, true)))
			sum += float64(share * (1 - serialShare - powerShare) * work(s.width(log, false)))
		}
	}
	return sum
}

// meanOfExp is the mean of exp(x) for a gamma x that is drawn again above most.
func meanOfExp(shape, scale, most float64) float64 {
	mean, part := expMoments(shape, scale, most)
	return mean / part
}

// expMoments integrates exp(x), and 1, over the density of a gamma up to most
// (Simpson's rule).
func expMoments(shape, scale, most float64) (mean, part float64) {
	const steps = 20000
	logGamma, _ := math.Lgamma(shape)
	constant := logGamma + float64(shape*math.Log(scale))
	h := most / steps
	for i := 1; i <= steps; i++ { // the density is 0 at 0
		x := float64(i) * h
		weight := 4.0
		switch {
		case i == steps:
			weight = 1
		case i%2 == 0:
			weight = 2
		}
		logDensity := float64((shape-1)*math.Log(x)) - x/scale - constant
		part += float64(weight * math.Exp(logDensity))
		mean += float64(weight * math.Exp(logDensity+x))
	}
	return mean * h / 3, part * h / 3
}
