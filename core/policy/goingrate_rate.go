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
	slot       book.Slot
}

// before reports whether an offer is better, or of two that are equal that which needs more.
func (o *offerHere) before(other *offerHere) bool {
	return o.rate > other.rate || o.rate == other.rate && o.need > other.need
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
			o := offerHere{rate: p.offers(s, e), need: float64(e.Job.Width) * share, slot: s}
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
	p.arrange()
	p.here = p.here[:0]
	sum := 0.0
	for _, o := range p.order {
		sum += o.need
		o.need = sum / float64(v.Processors())
		p.here = append(p.here, o)
	}
}

// arrange puts what was found in order: who was there the last time stands as he stood, and those who are
// new go between them.
func (p *goingRate) arrange() {
	for i := range p.found {
		for s := int(p.found[i].slot); s >= len(p.at); {
			p.at = append(p.at, 0)
		}
		p.at[p.found[i].slot] = market.Int32(i + 1)
	}
	stay := p.order[:0]
	for _, o := range p.order {
		if i := p.at[o.slot]; i > 0 && p.found[i-1] == o {
			p.at[o.slot] = 0
			stay = append(stay, o)
		}
	}
	p.come = p.come[:0]
	for i := range p.found {
		if o := p.found[i]; p.at[o.slot] != 0 {
			p.at[o.slot] = 0
			p.come = append(p.come, o)
		}
	}
	slices.SortFunc(p.come, func(a, b offerHere) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(b.need, a.need))
	})
	// From the end on, so that nobody is in the way.
	old, free := len(stay), len(stay)+len(p.come)
	p.order = append(stay, p.come...)
	for fresh := len(p.come); fresh > 0; {
		free--
		if old > 0 && p.come[fresh-1].before(&p.order[old-1]) {
			old--
			p.order[free] = p.order[old]
		} else {
			fresh--
			p.order[free] = p.come[fresh]
		}
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
