package experiment

import (
	"math"
	"math/rand/v2"
)

// Verdict is one of three words: what the seeds do not decide is not decided.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"
	Fails   Verdict = "fails"
	InNoise Verdict = "noise"
)

// String is the verdict as people read it.
func (v Verdict) String() string {
	switch v {
	case Fails:
		return "does not hold"
	case InNoise:
		return "within the noise"
	default:
		return string(v)
	}
}

const (
	// drawCount is how many falls of the noise a statement is judged on.
	drawCount = 1000
	// sure is how many of them must agree: a comparison of two means on the same
	// seeds holds if its paired 95 % confidence interval is on the right side,
	// which leaves 2.5 % on the other.
	sure = 0.975
)

// draw is one way in which the means of all figures could as well have come out:
// a weight for every seed, the same in all series, as runs of one seed were shown
// the same jobs. Whatever is a sum or a difference of means then follows Student's
// t, as in the confidence interval of paired runs; what is a least or a largest of
// many follows from that.
type draw struct {
	weights, others []float64
}

// mostRuns is how many runs of a point are kept one by one; more of them are
// kept as means of neighbours.
const (
	mostRuns = 100
	batches  = 50
)

// draws are the same in every run of the program.
func draws() []draw {
	random := rand.New(rand.NewPCG(17, 2))
	all := make([]draw, drawCount)
	for i := range all {
		all[i] = draw{make([]float64, mostRuns), make([]float64, mostRuns)}
		for k := range mostRuns {
			all[i].weights[k], all[i].others[k] = random.NormFloat64(), random.NormFloat64()
		}
	}
	return all
}

// offset is how far the mean of some runs falls from where it was measured.
func (d *draw) offset(runs []float64) float64 {
	n := len(runs)
	if n < 2 {
		return 0
	}
	mean, _ := moments(runs)
	sum, spread := 0.0, 0.0
	for i, x := range runs {
		sum += float64(d.weights[i] * (x - mean))
		if i > 0 {
			spread += float64(d.others[i] * d.others[i])
		}
	}
	return sum / math.Sqrt(float64(n)*spread)
}

// condense keeps what the runs of a point say about its noise: nothing if one of
// them is no number.
func condense(values []float64) []float64 {
	for _, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	if len(values) <= mostRuns {
		return values
	}
	means := make([]float64, batches)
	for i := range means {
		from, to := i*len(values)/batches, (i+1)*len(values)/batches
		means[i], _ = moments(values[from:to])
	}
	return means
}

// weigh is the verdict on a statement that holds in a part of the draws.
func weigh(part float64) Verdict {
	switch {
	case part >= sure:
		return Holds
	case part <= 1-sure:
		return Fails
	}
	return InNoise
}
