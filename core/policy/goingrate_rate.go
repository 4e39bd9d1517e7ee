package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

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
	p.survey(v)
	rate, _ := p.here.marginal(p.part * wholeCluster)
	return rate
}

// needAbove is how much of the cluster those need who offer more than a rate, as surveyed.
func (p *goingRate) needAbove(rate float64) float64 {
	return float64(p.here.needAbove(rate)) / wholeCluster
}

// wholeCluster is what a job needs that needs all of all processors. Needs are whole numbers, so that their sum
// is the same in whatever order they came and went.
const wholeCluster = 1e12

// survey looks at those who have come, gone, or agreed on something else since the last one.
func (p *goingRate) survey(v book.View) {
	since := p.here.turn
	if p.here.of != v || p.everybody {
		since = 0
	}
	changed, turn, known := v.Changes(since)
	if !known {
		p.here = bids{of: v}
		for _, jobs := range [...][]book.Slot{v.Running(), v.InOrder()} {
			for _, s := range jobs {
				p.look(v, s)
			}
		}
	}
	for _, s := range changed {
		p.look(v, s)
	}
	p.here.turn = turn
}

// look takes down what a job offers, and how much of the cluster it needs, as it is now. Who is a quote so far, or in no
// hurry, does not count.
func (p *goingRate) look(v book.View, s book.Slot) {
	e := v.Entry(s)
	if !v.Here(s) || e.Reserved() || !e.Job.SLA.Deadline.Finite() {
		p.here.remove(s)
		return
	}
	share := min(1, float64(e.Job.Estimate)/math.Max(float64(e.Job.SLA.Deadline), float64(market.TimeSlack)))
	need := float64(e.Job.Width) * share / float64(v.Processors())
	p.here.put(bid{rate: p.offers(s, e), need: int64(math.Round(need * wholeCluster)), slot: s})
}

// offers is the rate that a job offers which is here.
func (p *goingRate) offers(s book.Slot, e *book.Entry) float64 {
	for int(s) >= len(p.rates) {
		p.rates = append(p.rates, appraised{})
	}
	r, offer := &p.rates[s], offered(e)
	if p.keeps() > 0 {
		offer = e.Terms.Price
	}
	if r.offer != offer || r.estimate != e.Job.Estimate || r.width != e.Job.Width {
		*r = appraised{offer: offer, estimate: e.Job.Estimate, width: e.Job.Width}
		r.rate = market.RoundSignificant(float64(offer) / p.size(&e.Job))
	}
	return r.rate
}
