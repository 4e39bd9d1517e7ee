package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// appraisal is what a job that is here offers for a unit of its measure, on so many processors.
type appraisal struct {
	offer float64
	procs int
}

// asks is the least that a job is sold for: the reserve, and a part of what is offered here for as
// much.
func (p *makeWay) asks(v book.View, j *market.Job) market.Price {
	least := p.least.of(v, j)
	if p.follow > 0 {
		least = max(least, market.Price(p.follow*p.goingRate(v)*p.measure(j)))
	}
	return least
}

// goingRate is what is offered for the processor in the middle: of all on which somebody runs, for
// which somebody waits, and which are idle, for which nothing is offered. So it follows the load and
// what people offer, and is read off the book. Where half of the processors are idle anything will
// do; and nobody moves it far with one offer, however large.
func (p *makeWay) goingRate(v book.View) float64 {
	p.offers = append(p.offers[:0], appraisal{procs: v.Idle()})
	all := v.Idle()
	for _, jobs := range [...][]book.Slot{v.Running(), v.InOrder()} {
		for _, s := range jobs {
			e := v.Entry(s)
			if e.Reserved() {
				continue // it is a quote so far
			}
			p.offers = append(p.offers, appraisal{float64(offered(e)) / p.measure(&e.Job), int(e.Job.Width)})
			all += int(e.Job.Width)
		}
	}
	slices.SortFunc(p.offers, func(a, b appraisal) int { return cmp.Compare(a.offer, b.offer) })
	for _, o := range p.offers {
		if all -= 2 * o.procs; all <= 0 {
			return o.offer
		}
	}
	return 0
}

// leastUrgent is the share of a processor as which every lesser one counts, that of a job without
// a deadline too.
const leastUrgent = 0.05

// measure is by what offers are compared: the work, and how urgent it is, as the share of
// a processor that it takes until its deadline.
func (p *makeWay) measure(j *market.Job) float64 {
	size := lengthOf(j)
	if p.tariff.each() {
		size *= float64(j.Width)
	}
	share := leastUrgent
	if j.SLA.Deadline.Finite() {
		share = min(1, max(share, float64(j.Estimate)/float64(j.SLA.Deadline)))
	}
	return size * math.Pow(share, p.urgency)
}
