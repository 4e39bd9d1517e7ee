package revenue

import (
	"math/rand/v2"

	"github.com/libra-market/libra/core/market"
)

// The streams of random numbers of a period, one for each thing that is drawn.
// What one of them gives depends on the seed and on how many jobs there were
// before, and on nothing else: two admission rules, or two loads, see the same
// jobs with the same draws. The numbers are part of what a seed means.
const (
	streamArrival = 1 + iota
	streamClass
	streamLength
	streamAdmission
	streamWidth
	streamCount
)

// generator makes the jobs of one period: Poisson arrivals, and class, length,
// width and admission draw of each job independent of all others.
type generator struct {
	system  *System
	bounds  []float64 // of the classes on the unit interval
	widths  []float64
	sources [streamCount]rand.PCG
	streams [streamCount]*rand.Rand
	gap     float64 // mean time between arrivals
	clock   float64
}

func newGenerator(s *System) *generator {
	g := &generator{system: s}
	for i := range g.streams {
		g.streams[i] = rand.New(&g.sources[i])
	}
	total, sum := s.totalShare(), 0.0
	for _, c := range s.Classes {
		sum += c.Share
		g.bounds = append(g.bounds, sum/total)
	}
	total, sum = 0, 0
	for _, w := range s.Widths {
		total += w.Share
	}
	for _, w := range s.Widths {
		sum += w.Share
		g.widths = append(g.widths, sum/total)
	}
	return g
}

// begin turns to the first job of a period.
func (g *generator) begin(seed uint64, period int, load float64) {
	key := scramble(scramble(seed) + market.Bits(period))
	for i := range g.sources {
		g.sources[i].Seed(key, scramble(market.Bits(i)))
	}
	g.gap = 1 / g.system.ArrivalRate(load)
	g.clock = 0
}

// next makes the next job, and its draw for admission: it is let in if the draw
// is below the q of its class.
func (g *generator) next(j *Job) (draw float64) {
	g.clock += g.streams[streamArrival].ExpFloat64() * g.gap
	j.Arrival = g.clock
	j.Class = place(g.bounds, g.streams[streamClass].Float64())
	length := g.system.Length.Mean + float64(g.system.Length.Deviation*g.streams[streamLength].NormFloat64())
	j.Length = max(g.system.Length.Least, length)
	width := int32(0)
	if len(g.widths) > 1 {
		width = place(g.widths, g.streams[streamWidth].Float64())
	}
	j.Width = market.Int32(g.system.Widths[width].Processors)
	return g.streams[streamAdmission].Float64()
}

// place finds in which part of the unit interval u lies.
func place(bounds []float64, u float64) int32 {
	for i, b := range bounds {
		if u < b {
			return market.Int32(i)
		}
	}
	return market.Int32(len(bounds) - 1)
}

// scramble spreads close numbers far apart (the finaliser of splitmix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
