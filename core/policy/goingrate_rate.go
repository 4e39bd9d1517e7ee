package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// offerHere is what a job that is here offers, and how much of the cluster it needs together with all
// that offer more.
type offerHere struct {
	rate, need float64
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
// its processors that its estimate is of its deadline (000), whether it runs or waits. The best
// offers that together need part of the cluster are sold at the door, and what they have of it stands for
// what will come and offer as much. While all need no more than that, any offer will do.
//
// A job counts as it came, whatever has been done of it: so the rate changes when jobs come and
// go and not as time passes, and everybody who asks meanwhile is told the same.
func (p *goingRate) rate(v book.View) float64 {
	if p.survey(v, v.InOrder()) <= p.part {
		return 0
	}
	p.sum(v)
	for _, o := range p.here {
		if o.need > p.part {
			return o.rate
		}
	}
	return 0
}

// survey lists what is here, and says how much of the cluster that needs.
func (p *goingRate) survey(v book.View, waiting []book.Slot) (need float64) {
	p.found = p.found[:0]
	for _, jobs := range [...][]book.Slot{v.Running(), waiting} {
		for _, s := range jobs {
			e := v.Entry(s)
			if e.Reserved() || !e.Job.SLA.Deadline.Finite() {
				continue // it is a quote so far, or in no hurry
			}
			share := min(1, float64(e.Job.Estimate)/math.Max(float64(e.Job.SLA.Deadline), float64(market.TimeSlack)))
			o := offerHere{rate: p.offers(s, e), need: float64(e.Job.Width) * share}
			p.found = append(p.found, o)
			need += o.need
		}
	}
	return need / float64(v.Processors())
}

// sum puts what was surveyed in order, the best offer first, and adds it up. Tasks come and go more often than jobs:
// what was found the last time, too, is in order.
func (p *goingRate) sum(v book.View) {
	if p.among == v.Processors() && slices.Equal(p.found, p.summed) {
		return
	}
	p.among = v.Processors()
	p.summed = append(p.summed[:0], p.found...)
	p.here = append(p.here[:0], p.found...)
	slices.SortFunc(p.here, func(a, b offerHere) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(b.need, a.need))
	})
	sum := 0.0
	for i := range p.here {
		sum += p.here[i].need
		p.here[i].need = sum / float64(v.Processors())
	}
}

// needAbove is how much of the cluster those need who offer more than a rate, as surveyed.
func (p *goingRate) needAbove(rate float64) float64 {
	n, _ := slices.BinarySearchFunc(p.here, rate, func(o offerHere, rate float64) int { return cmp.Compare(rate, o.rate) })
	if n == 0 {
		return 0
	}
	return p.here[n-1].need
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
