package workload

import (
	"math/rand/v2"

	"github.com/libra-market/libra/core/market"
)

// draws gives the random numbers of one parameter of one workload. Every
// parameter has a stream of its own, and within it every job: what is drawn for
// one job depends on the seed, the parameter and the job's place, and on
// nothing else. So a sweep over one parameter compares like with like.
type draws struct {
	key uint64
	pcg rand.PCG
	*rand.Rand
}

// The parameters, by number. The numbers are part of what a seed means: a new
// parameter takes a new number, and none is ever used again for another.
const (
	drawUrgency  = 1
	drawDeadline = 2
	drawBudget   = 3
	drawPenalty  = 4
	drawArrival  = 5
	drawLength   = 6
	drawGap      = 7
	drawSize     = 8
	drawRuntime  = 9
	drawEstimate = 10
	drawUser     = 11
	drawRichness = 12
)

func newDraws(seed uint64, parameter uint64) *draws {
	d := &draws{key: scramble(scramble(seed) + parameter)}
	d.Rand = rand.New(&d.pcg)
	d.pcg.Seed(d.key, 0)
	return d
}

// job turns to the numbers of the job at the given place.
func (d *draws) job(place int) { d.pcg.Seed(d.key, scramble(market.Bits(place)+1)) }

// places returns k different places out of n, chosen at random, as marks. A
// larger k with the same n and seed keeps the places of the smaller.
func (d *draws) places(k, n int) []bool {
	marks := make([]bool, n)
	for _, place := range d.Perm(n)[:k] {
		marks[place] = true
	}
	return marks
}

// normal draws around a mean until the value is not below least. Where that is
// all but hopeless it settles for least, so that no parameters make it hang.
func (d *draws) normal(mean, deviation, least float64) float64 {
	for range 1000 {
		if x := mean + float64(deviation*d.NormFloat64()); x >= least {
			return x
		}
	}
	return least
}

// scramble spreads close numbers far apart (the finaliser of splitmix64), so
// that seeds 1, 2, 3 and parameters 1, 2, 3 have nothing in common.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
