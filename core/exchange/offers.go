package exchange

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// offers finds what the market would take instead of a request it refused: a
// later deadline, a larger budget, fewer processors. Each is tried before it is
// offered, and can be taken by its number as long as the market stands.
func (x *Exchange) offers(j *live, reason string) []Offer {
	found := []Offer{}
	switch reason {
	case ReasonDependency, ReasonDraining, ReasonImprecise:
		return found
	}
	if x.cluster == nil {
		return found
	}
	for _, vary := range []func(*live) (Offer, bool){x.laterDeadline, x.largerBudget, x.fewerProcessors} {
		if o, ok := vary(j); ok {
			if j.ID != 0 { // a preview leaves no trace
				o.Quote.ID = fmt.Sprintf("q%d%c", j.ID, 'a'+len(found))
				o.Quote.ExpiresUS = x.now + DefaultTTL*1000
				x.touched.quote(o.Quote.ID)
				x.quotes[o.Quote.ID] = &kept{Quote: o.Quote, Account: j.Account}
				x.expiry.push(o.Quote.ExpiresUS, o.Quote.ID)
			}
			found = append(found, o)
		}
	}
	return found
}

// affordable tries a request with no limit to its budget; the budget of what
// comes back is raised to the price where it was below.
func (x *Exchange) affordable(j *live, r Request) (Request, Quote, bool) {
	open := r
	open.Budget = nil
	// Where the budget is the price there is no price without one.
	if price, ok := x.ask(j, open); ok && r.Budget != nil && price.Price > *r.Budget {
		raised := roundUp(price.Price)
		r.Budget = &raised
	}
	q, ok := x.ask(j, r)
	if !ok {
		return r, Quote{}, false
	}
	if reason, _ := x.cannotHold(j.Account, r.mostCost(market.Money(q.Price))); reason != "" {
		return r, Quote{}, false
	}
	return r, q, true
}

// ask is a quote that binds nobody.
func (x *Exchange) ask(j *live, r Request) (Quote, bool) {
	trial := &live{Job: Job{ID: x.next, Owner: j.Owner, Request: r}}
	asked := x.fitting(trial)
	core, err := x.cluster.Quote(x.time(), asked)
	if err != nil || !core.Price.Limited() {
		return Quote{}, false
	}
	x.prepareWorking(trial, &asked)
	q := &kept{Working: trial.Working, Quote: Quote{
		Owner: j.Owner, Request: r, MadeUS: x.now, Width: int(asked.Width), Policy: x.epoch().Policy,
	}}
	x.fill(q, &asked, core)
	return q.Quote, true
}

// laterDeadline looks for the nearest deadline that can be met: outwards in
// growing steps, then back in between.
func (x *Exchange) laterDeadline(j *live) (Offer, bool) {
	r := j.Request
	if r.DeadlineMS == 0 {
		return Offer{}, false
	}
	least, most := r.DeadlineMS, int64(0)
	floor := max(r.DeadlineMS, r.EstimateMS)
	for _, factor := range []float64{1, 1.25, 1.5, 2, 3, 5, 8, 13, 21, 50, 200} {
		r.DeadlineMS = roundSeconds(float64(floor) * factor)
		if r.DeadlineMS <= j.Request.DeadlineMS || r.DeadlineMS > maxMS {
			continue
		}
		if _, _, ok := x.affordable(j, r); ok {
			most = r.DeadlineMS
			break
		}
		least = r.DeadlineMS
	}
	if most == 0 {
		return Offer{}, false
	}
	for range 5 {
		r.DeadlineMS = roundSeconds(float64(least+most) / 2)
		if r.DeadlineMS <= least || r.DeadlineMS >= most {
			break
		}
		if _, _, ok := x.affordable(j, r); ok {
			most = r.DeadlineMS
		} else {
			least = r.DeadlineMS
		}
	}
	r.DeadlineMS = most
	r, q, ok := x.affordable(j, r)
	detail := fmt.Sprintf("deadline %s instead of %s", market.Span(r.DeadlineMS), market.Span(j.Request.DeadlineMS))
	return Offer{Change: "deadline", Detail: detail + x.forPrice(j, &r, &q), Quote: q}, ok
}

// largerBudget offers the same at its price.
func (x *Exchange) largerBudget(j *live) (Offer, bool) {
	if j.Request.Budget == nil {
		return Offer{}, false
	}
	if x.kind.Imprecise {
		return x.worthwhileBudget(j)
	}
	r, q, ok := x.affordable(j, j.Request)
	if !ok || *r.Budget == *j.Request.Budget {
		return Offer{}, false
	}
	return Offer{
		Change: "budget", Quote: q,
		Detail: fmt.Sprintf("budget %s instead of %s", market.Money(*r.Budget), market.Money(*j.Request.Budget)),
	}, true
}

// fewerProcessors offers the same work on fewer processors, for longer.
func (x *Exchange) fewerProcessors(j *live) (Offer, bool) {
	width := j.Request.Procs()
	if j.Request.Optional != nil {
		return Offer{}, false // so many independent tasks: fewer of them are another job
	}
	threads := j.threads()
	for n := min(width-1, x.nodes.processorsUp()); n >= threads; n = n * 3 / 4 {
		n -= n % threads
		r := j.Request
		r.Processors = n
		r.EstimateMS = int64(math.Ceil(float64(j.Request.EstimateMS) * float64(width) / float64(n)))
		if fits, q, ok := x.affordable(j, r); ok {
			detail := fmt.Sprintf("%d processors instead of %d, %s on each", n, width, market.Span(r.EstimateMS))
			return Offer{Change: "processors", Detail: detail + x.forPrice(j, &fits, &q), Quote: q}, true
		}
	}
	return Offer{}, false
}

func (x *Exchange) forPrice(j *live, r *Request, q *Quote) string {
	text := ", for " + market.Money(q.Price).String()
	if r.Budget != nil && j.Request.Budget != nil && *r.Budget != *j.Request.Budget {
		text += fmt.Sprintf(" (budget %s instead of %s)", market.Money(*r.Budget), market.Money(*j.Request.Budget))
	}
	return text
}

// roundUp is an amount to the next hundredth: what people write.
func roundUp(micros int64) int64 {
	const cent = int64(market.Unit) / 100
	return (micros + cent - 1) / cent * cent
}

// roundSeconds is a period to the next whole second.
func roundSeconds(ms float64) int64 { return int64(math.Ceil(ms/1000)) * 1000 }
