package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// reserve is the least that work is sold for where a job's price is what it bids, as
// a multiple of what a second of a processor costs; 0: any bid will do, as in the
// papers, and an idle market is sold for a micro-unit.
type reserve float64

func (r *reserve) setting() Setting {
	return later(number("reserve", (*float64)(r), "the least that a second of a processor is sold for where the price is what is bid, as a multiple of the rate of processors"))
}

// rate is the least for a second of a processor. The rate is that of the first node,
// as in a [tariff].
func (r reserve) rate(v book.View) market.Price {
	return market.Price(r) * v.Node(0).Base.Processor
}

// Reserve is the least that a policy sells a second of a processor for, where a job
// costs what it bids; 0: there is none.
func Reserve(p Policy, v book.View) market.Price {
	if b, does := p.(interface{ reserved(book.View) market.Price }); does {
		return b.reserved(v)
	}
	return 0
}

func (p *libraSLA) reserved(v book.View) market.Price       { return p.least.rate(v) }
func (p *firstPrice) reserved(v book.View) market.Price     { return p.least.rate(v) }
func (p *firstReward) reserved(v book.View) market.Price    { return p.least.rate(v) }
func (p *hol) reserved(v book.View) market.Price            { return p.least.rate(v) }
func (p *bidShare) reserved(v book.View) market.Price       { return p.least.rate(v) }
func (p *mandatoryFirst) reserved(v book.View) market.Price { return p.least.rate(v) }

// unmet reports whether a price is less than a job is sold for, on each of its
// processors, or less is bid for a second of its optional part.
func (r reserve) unmet(v book.View, j *market.Job, price market.Price) bool {
	if r == 0 {
		return false
	}
	return !r.of(v, j).Within(price) || j.Optional > 0 && !r.rate(v).Within(j.SLA.Bonus)
}

// of is the least that a job is sold for.
func (r reserve) of(v book.View, j *market.Job) market.Price {
	return market.Price(float64(r.rate(v)) * float64(j.Estimate) * float64(j.Width))
}
