package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// counterOffers finds what the market would take instead of a request it refused: a
// later deadline, a larger budget, fewer processors. Each is tried before it is
// offered, and can be taken by its number as long as the market stands.
func (x *state) counterOffers(j *activeJob, reason string) []Offer {
	switch reason {
	case ReasonDependency, ReasonDraining, ReasonImprecise:
		return []Offer{}
	}
	if x.cluster == nil {
		return []Offer{}
	}
	look := search{
		request: j.Request, imprecise: x.kind.Imprecise, processors: x.nodes.processorsUp(),
		ask: func(r Request) (Quote, bool) {
			q, ok := x.ask(j, r)
			if reason, _ := x.cannotPromise(&r, market.Money(q.Price), q.Width, 0); reason != "" {
				return q, false
			}
			return q, ok
		},
		pays: func(r *Request, q *Quote) bool {
			reason, _ := x.cannotHold(j.Account, x.mostCost(r, market.Money(q.Price), q.Width))
			return reason == ""
		},
	}
	return look.offers()
}

// offers finds counter-offers and keeps them for a while.
func (x *Exchange) offers(j *activeJob, reason string) []Offer {
	found := x.counterOffers(j, reason)
	for i := range found {
		q := &found[i].Quote
		if x.program > 0 && q.Request.programSize() > x.program {
			q.Request = q.Request.withoutProgram()
		}
		q.ID = fmt.Sprintf("q%d%c", j.ID, 'a'+i)
		q.ExpiresUS = x.now + DefaultTTL*1000
		x.touched.quote(q.ID)
		x.quotes.add(&heldQuote{Quote: *q, Account: j.Account})
	}
	return found
}

// ask is a quote that binds nobody.
func (x *state) ask(j *activeJob, r Request) (Quote, bool) {
	trial := &activeJob{Job: Job{ID: x.next, Owner: j.Owner, Request: r}}
	asked := x.fitting(trial)
	core, err := x.cluster.Quote(x.time(), asked)
	if err != nil || !core.Price.Limited() {
		return Quote{}, false
	}
	x.prepareWorking(trial, &asked)
	q := &heldQuote{Working: trial.Working, Quote: Quote{
		Owner: j.Owner, Request: r, MadeUS: x.now, Width: int(asked.Width), Policy: x.epoch().Policy,
	}}
	x.fill(q, &asked, core)
	return q.Quote, true
}
