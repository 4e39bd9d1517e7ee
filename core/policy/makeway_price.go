package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// What a job costs: what it offers or, so that nobody gains by offering less, the least
// offer that would have got the same answer.
const (
	priceBid      = "bid"
	priceCritical = "critical"
)

// size is what an offer is divided by for its place in the order.
func (p *makeWay) size(j *market.Job) float64 {
	return math.Pow(lengthOf(j), 1+p.lean) * float64(j.Width)
}

// worth is what a job that is here offers, whatever it pays.
func (p *makeWay) worth(e *book.Entry) market.Price {
	if p.price == priceBid || !e.Job.SLA.Budget.Limited() {
		return e.Terms.Price
	}
	return e.Job.SLA.Budget
}

// charge is what a job costs that had to offer so much to be answered at all, and so much to get the answer.
func (p *makeWay) charge(offer, least, outbid market.Price, a *Answer) market.Price {
	a.Working = Working{}
	if p.price == priceBid {
		return offer
	}
	price := min(offer, max(least, outbid)) // which is no more, but for rounding
	a.Working.add("least", "", float64(price))
	return price
}

// beats is the least offer with which a job could begin that does: 0 where it takes idle
// processors and delays nobody who waits.
func (p *makeWay) beats(v book.View, j *market.Job, long market.Time, idle bool) market.Price {
	if p.price == priceBid {
		return 0
	}
	if !idle {
		others, _ := p.room(v, j, long)
		return others
	}
	head, some := v.Head()
	if !some || p.spares(v, j, head, long) {
		return 0
	}
	least := p.levels(v, j, head)
	if others, too := p.room(v, j, long); too {
		least = min(least, others)
	}
	p.idle(v, j) // the processors are these
	return least
}

// outranks is the least offer with which a job would be as far ahead among those who wait: what
// would be level with the next.
func (p *makeWay) outranks(v book.View, j *market.Job, rank market.Number) market.Price {
	if p.price == priceBid {
		return 0
	}
	for _, s := range v.InOrder() {
		if v.Entry(s).Terms.Rank > rank {
			return p.levels(v, j, s)
		}
	}
	return 0
}

// levels is the offer with which a job would be level with one that waits.
func (p *makeWay) levels(v book.View, j *market.Job, s book.Slot) market.Price {
	return market.Price(-float64(v.Entry(s).Terms.Rank) * p.size(j))
}
