package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// offerHere is the work of a job that is here, and what is offered for it.
type offerHere struct {
	rate, work float64
}

// appraised is the rate that a job offers, kept until the job is another: a power takes longer than all
// the rest.
type appraised struct {
	offer    market.Price
	estimate market.Work
	rate     float64
	width    int32
}

// rate is the going rate: what the marginal job here offers for its size. A job needs the share of
// its processors that its estimate is of its deadline (000), whether it runs or waits. While all
// together need no more of the cluster than room, any offer will do. Where they need it so many times
// over, that part of their work can be done at most: what the best offers are for part of it goes
// for the rate or more.
//
// A job counts as it came, whatever has been done of it: so the rate changes when jobs come and
// go and not as time passes, and everybody who asks meanwhile is told the same.
func (p *goingRate) rate(v book.View) float64 {
	p.here = p.here[:0]
	work, need := 0.0, 0.0
	for _, jobs := range [...][]book.Slot{v.Running(), v.InOrder()} {
		for _, s := range jobs {
			e := v.Entry(s)
			if e.Reserved() || !e.Job.SLA.Deadline.Finite() {
				continue // it is a quote so far, or in no hurry
			}
			o := offerHere{rate: p.offers(s, e), work: float64(e.Job.Estimate) * float64(e.Job.Width)}
			p.here = append(p.here, o)
			work += o.work
			need += float64(e.Job.Width) * min(1, float64(e.Job.Estimate)/math.Max(float64(e.Job.SLA.Deadline), float64(market.TimeSlack)))
		}
	}
	times := need / float64(v.Processors())
	if times <= p.room {
		return 0
	}
	slices.SortFunc(p.here, func(a, b offerHere) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(b.work, a.work))
	})
	left := work * p.part / times
	for _, o := range p.here {
		if left -= o.work; left <= 0 {
			return o.rate
		}
	}
	return 0
}

// offers is the rate that a job offers which is here.
func (p *goingRate) offers(s book.Slot, e *book.Entry) float64 {
	for int(s) >= len(p.rates) {
		p.rates = append(p.rates, appraised{})
	}
	r, offer := &p.rates[s], offered(e)
	if r.offer != offer || r.estimate != e.Job.Estimate || r.width != e.Job.Width {
		*r = appraised{offer: offer, estimate: e.Job.Estimate, width: e.Job.Width}
		r.rate = market.RoundSignificant(float64(offer) / p.size(&e.Job))
	}
	return r.rate
}
