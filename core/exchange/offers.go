package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// counterOffers finds what the market would take instead of a request it refused: a
// later deadline, a larger budget, fewer processors. Each is tried before it is
// offered, and can be taken by its number as long as the market stands.
func (x *pricer) counterOffers(j *underway.Job, reason string) []trade.Offer {
	switch reason {
	case trade.ReasonDependency, trade.ReasonDraining, trade.ReasonImprecise:
		return []trade.Offer{}
	}
	if x.cluster == nil || j.Request.Later() { // what is offered begins when it is taken
		return []trade.Offer{}
	}
	look := quote.Search{
		Request: j.Request, Imprecise: x.kind.Imprecise, Processors: x.nodes.ProcessorsUp(), Ahead: x.nodes.Census().Ahead(),
		Least: func(r *trade.Request) int64 { return x.leastBid(r, x.nodes.ProcessorsUp()) },
		Ask: func(r trade.Request) (trade.Quote, bool) {
			q, _, _, ok := x.terms(j, r)
			if reason, _ := x.cannotPromise(&r, market.Money(q.Price), q.Storage, q.Width, 0); reason != "" {
				return q, false
			}
			return q, ok
		},
		Pays: func(r *trade.Request, q *trade.Quote) bool {
			reason, _ := x.bank.cannotHold(j.Account, x.mostCost(r, market.Money(q.Price), q.Storage, q.Width))
			return reason == ""
		},
	}
	found := look.Offers()
	for i := range found { // of the many that were tried
		if q, ok := x.ask(j, found[i].Quote.Request); ok {
			found[i].Quote.PredictedUS = q.PredictedUS
		}
	}
	return found
}

// offers finds counter-offers and keeps them for a while.
func (x *door) offers(j *underway.Job, reason string) []trade.Offer {
	if x.alone {
		return []trade.Offer{}
	}
	found := x.price.counterOffers(j, reason)
	for i := range found {
		q := &found[i].Quote
		if x.program > 0 && q.Request.ProgramSize() > x.program {
			q.Request = q.Request.WithoutProgram()
		}
		q.Request.Behind(func(id int64) bool { return x.jobs.Find(id) != nil })
		q.ID = fmt.Sprintf("q%d%c", j.ID, 'a'+i)
		q.ExpiresUS = x.now + trade.DefaultTTL*1000
		x.floor.touched.Quote(q.ID)
		x.quotes.Add(&quote.Held{Quote: *q, Account: j.Account})
	}
	return found
}
