package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// submitOnQuote submits a job on a quote.
func (x *door) submitOnQuote(by trade.Identity, s *trade.Submit) (trade.Outcome, error) {
	q := x.quotes.Find(s.Quote)
	if q == nil || q.Owner != by.User {
		return trade.Outcome{}, fmt.Errorf("quote %s: %w, or it has expired: ask for a new one", s.Quote, trade.ErrUnknown)
	}
	given := s.Request
	if least, _ := x.ruled[x.eraOf(q)].Least.Count(); given.EstimateMS > 0 && q.Request.EstimateMS == least {
		given.EstimateMS = max(given.EstimateMS, least) // what was asked for when it was quoted
	}
	if q.Request.Partition == "" && x.rates.Usual() == "" { // the market has none: what a script names was passed over
		given.Partition = ""
	}
	r, err := trade.Merge(q.Request, given)
	if err != nil {
		return trade.Outcome{}, err
	}
	if err := x.validate(&r); err != nil {
		return trade.Outcome{}, err
	}
	if !q.Reserved {
		o, err := x.submitNew(by, r, s.Settled)
		if err == nil { // else nothing has happened
			x.floor.removeQuote(q)
		}
		if o.Job != nil {
			o.Job.Quote = s.Quote
		}
		return o, err
	}
	if len(r.Follows()) > 0 {
		return trade.Outcome{}, market.Wrong("after", "none with a quote: it is for a job that can begin now")
	}
	j := x.newJob(by, r, q.Account)
	x.next--
	j.QuotedUS, j.Era, j.Policy = q.MadeUS, x.eraOf(q)+1, q.Policy
	j.ID, j.Quote, j.Owed, j.Width, j.Working, j.Storage = q.Job, q.ID, q.Owed, q.Width, q.Working, q.Storage
	if !x.bank.holds(q) { // what it holds becomes what is held for the job
		if reason, why := x.bank.cannotHold(q.Account, x.price.mostCost(&r, market.Money(q.Price), q.Storage, q.Width)); reason != "" {
			return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: why, Offers: []trade.Offer{}}}, nil // the quote stands
		}
	}
	x.floor.removeQuote(q)
	x.jobs.Add(j)
	if err := x.floor.step(market.Event{Kind: market.Confirmed, Job: market.JobID(j.ID)}); err != nil {
		x.jobs.Remove(j.ID)
		x.quotes.Add(q)
		return trade.Outcome{}, err
	}
	return x.reserveFunds(j)
}
