package adversary

import (
	"math"

	"github.com/libra-market/libra/core/trade"
)

// bids are strategies for markets in which a job costs what it bids.
func bids() []Strategy {
	return []Strategy{
		{Name: "lowball", Does: "bids a micro-unit where the price is what is bid", policy: "libra-sla", cheat: func(p *player, i int) {
			v := &p.wants[i]
			for _, part := range []float64{0, 0.01, 0.5, 0.999} { // until somebody takes it
				if _, ok := p.submit(i, p.bid(v, part), program{work: v.work}); ok {
					return
				}
			}
			p.honestly(i)
		}},
		{Name: "lowball-over", Does: "bids for a tenth of what it needs, and over-runs", policy: "libra-sla", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.work /= 10
			p.submit(i, p.bid(&v, 1), program{work: 10 * v.work})
		}},
	}
}

// bid is the request for a wish with a part of what it costs at the market's rate as
// its budget, and a micro-unit at least.
func (p *player) bid(v *wish, part float64) trade.Request {
	r := ask(v, v.work)
	bid := max(1, int64(part*float64(p.w.honestBid(&r))))
	r.Budget = &bid
	return r
}

// honestBid is what a request costs at the market's rate.
func (w *world) honestBid(r *trade.Request) int64 {
	return max(1, int64(math.Ceil(w.rate*float64(r.EstimateMS)*float64(r.Procs())/1e3)))
}

// bidding is a request as an honest user makes it: with a bid, where that is the price.
func (w *world) bidding(r trade.Request) trade.Request {
	switch {
	case r.Budget != nil:
	case w.policy == "libra-sla":
		bid := w.honestBid(&r)
		r.Budget = &bid
	case w.posted:
		bid := worth(&r, w.honestBid(&r))
		r.Budget = &bid
	}
	return r
}
