package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// planAlike is Plan where all processors are alike, everybody has a deadline and nobody
// only keeps his place: what most clusters are most of the time. It gives the same
// speeds, to the last bit, since loads are summed in the same order.
func (p *proportional) planAlike(v book.View, d *book.Draft) {
	now, running := v.Now(), v.Running()
	p.load = zeroed(p.load, v.Houses())
	load, shares := p.load, p.demands[:0]
	for _, s := range running {
		e := v.Entry(s)
		share := shareOf(e.Demand(now), 1)
		shares = append(shares, share)
		addTo(load, e.Houses(), share)
	}
	p.demands = shares
	least := 0.0
	if p.spare != "proportional" {
		least = 1
	}
	wait := math.Inf(1)
	for i, s := range running {
		e := v.Entry(s)
		most := fullest(load, e.Houses())
		if most < least {
			most = least
		}
		speed := shares[i] / most
		left := float64(d.Speed(s, speed))
		// The end of an estimate is an event, for a late job too. Of most it is seen
		// without a division that they are not the first.
		if left <= float64(wait*speed)*(1+1e-12) && !market.Work(left).Done() && speed > 0 {
			wait = min(wait, left/speed)
		}
	}
	d.Wake(now + market.Time(wait))
}

// addTo adds a share to the loads of some houses.
func addTo(load []float64, houses []int32, share float64) {
	for _, h := range houses {
		load[h] += share
	}
}

// fullest is the highest load of some houses. Loads are not negative, so that they
// compare like the numbers their bits are, which takes no branch: most of the time of
// a run goes into this loop, and which of a job's processors is the fullest is
// anybody's guess.
func fullest(load []float64, houses []int32) float64 {
	most := uint64(0)
	for _, h := range houses {
		most = max(most, math.Float64bits(load[h]))
	}
	return math.Float64frombits(most)
}
