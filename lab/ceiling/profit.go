package ceiling

import (
	"math"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/lab/grid"
)

// The efforts: for somebody who waits for one number, and for hundreds of them. The
// second is a few parts in a thousand above the first.
var (
	Thorough = bound.Effort{Buckets: 400, Looks: 40_000_000}
	Quick    = bound.Effort{Buckets: 150, Looks: 16_000_000}
)

// Profit is an amount that applications do not pay together at these sites, whoever takes
// which of them, sends them where he likes and does their parts in any order, as
// long as all jobs of an application are at one site and the mandatory parts of those taken are
// in time.
func Profit(sites []grid.Resource, apps []grid.Application, e bound.Effort) float64 {
	offered := 0.0
	for i := range apps {
		offered += float64(apps[i].Offered())
	}
	if offered == 0 || math.IsInf(offered, 1) {
		return offered
	}
	d := newDual(sites, apps, e.Buckets)
	if len(d.asks) == 0 {
		return 0
	}
	// What an instruction costs is nearly the same at all sites: so that is
	// searched for first, and then what each site has of its own.
	e.Looks /= 2
	together := &pool{dual: d, offered: offered}
	alike, flat := bound.Least(together, e)
	apart, _ := bound.Least(&started{dual: d, from: together.spread(flat)}, e)
	return math.Min(offered, math.Min(alike, apart))
}

// started is a dual of which prices are known that are not bad.
type started struct {
	*dual

	from []float64
}

// Guess are those.
func (s *started) Guess(prices []float64) { copy(prices, s.from) }

// pool is the dual with one price of an MI for all sites in each bucket.
type pool struct {
	*dual

	offered float64
}

// Room is the MI that can be done in each bucket.
func (p *pool) Room() []float64 { return p.gather(p.room) }

// gather is the MI of processor-seconds by site and bucket.
func (p *pool) gather(seconds []float64) []float64 {
	sum := make([]float64, p.buckets())
	for s, r := range p.sites {
		for b := range sum {
			sum[b] += r.MIPS * seconds[s*len(sum)+b]
		}
	}
	return sum
}

// spread makes prices of processor-seconds of prices of an MI.
func (p *pool) spread(prices []float64) []float64 {
	list := make([]float64, 0, len(p.room))
	for _, r := range p.sites {
		for _, price := range prices {
			list = append(list, r.MIPS*price)
		}
	}
	return list
}

// Value is that of the dual.
func (p *pool) Value(prices, used []float64, near float64) float64 {
	bought := make([]float64, len(p.room))
	value := p.dual.Value(p.spread(prices), bought, near)
	copy(used, p.gather(bought))
	return value
}

// Guess is one price for all times: the best of a few, between far too little and far too
// much.
func (p *pool) Guess(prices []float64) {
	work := 0.0
	for _, room := range p.Room() {
		work += room
	}
	used := make([]float64, len(prices))
	best, found := math.Inf(1), 0.0
	for e := -6; e <= 6; e++ {
		price := math.Ldexp(p.offered/work, e)
		for b := range prices {
			prices[b] = price
		}
		if v := p.Value(prices, used, 0); v < best {
			best, found = v, price
		}
	}
	for b := range prices {
		prices[b] = found
	}
}
