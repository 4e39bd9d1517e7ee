package exchange

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// quote gives a price that binds until it expires.
func (x *Exchange) quote(by trade.Identity, a *trade.AskQuote) (trade.Outcome, error) {
	r := a.Request
	err := x.validateTerms(&r)
	if err == nil && r.HasProgram() {
		err = r.ValidateProgram()
	}
	if err != nil {
		return trade.Outcome{}, err
	}
	if a.TTLMS < 0 || a.TTLMS > trade.MaxTTL {
		return trade.Outcome{}, market.Wrong("ttl_ms", fmt.Sprintf("at most %d", trade.MaxTTL))
	}
	account, err := x.payer(by, r.Account)
	if err != nil {
		return trade.Outcome{}, err
	}
	if n, _ := x.quotes.of(by.User); n >= x.mostQuotes() {
		return trade.Outcome{}, fmt.Errorf("%w: %d quotes are open; take or cancel one first", trade.ErrConflict, n)
	}
	ttl := a.TTLMS
	if ttl == 0 {
		ttl = trade.DefaultTTL
	}
	j := x.newJob(by, withProgram(r), account)
	if why := x.onlyPrecise(&r); why != "" {
		return x.refuseQuote(j, trade.ReasonImprecise, why), nil
	}
	if x.cluster == nil {
		return x.refuseQuote(j, market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	asked := x.fitting(j)
	j.Width = int(asked.Width)
	q := &heldQuote{Account: account, Job: j.ID, Era: len(x.epochs), Quote: trade.Quote{
		ID: fmt.Sprintf("q%d", j.ID), Owner: by.User, Request: r, MadeUS: x.now, ExpiresUS: x.now + ttl*1000,
		Width: int(asked.Width), Policy: x.epoch().Policy,
	}}
	core, err := x.cluster.Quote(x.time(), asked)
	if rejected := (*market.Rejection)(nil); errors.As(err, &rejected) {
		return x.refuseQuote(j, rejected.Reason.String(), trade.RefusalText(rejected.Reason)), nil
	} else if err != nil {
		return trade.Outcome{}, err
	}
	x.prepareWorking(j, &asked)
	q.Working = j.Working
	if !core.Price.Limited() {
		return x.refuseQuote(j, market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)), nil
	}
	x.fill(q, &asked, core)
	if reason, why := x.cannotPromise(&r, market.Money(q.Price), q.Width, 0); reason != "" {
		return x.refuseQuote(j, reason, why), nil
	}
	most := x.mostCost(&r, market.Money(q.Price), q.Width)
	if reason, why := x.cannotHold(account, most); reason != "" {
		return x.refuseQuote(j, reason, why), nil
	}
	x.agree(q, &asked, core.Firm)
	if q.Binding {
		q.Reserved = true
		x.quotes.add(q)
		if err := x.step(market.Event{Kind: market.Reserved, Job: asked.ID, Spec: &asked}); err != nil {
			x.removeQuote(q)
			return trade.Outcome{}, err
		}
		if q.Refused != "" {
			x.removeQuote(q)
			return x.refuseQuote(j, q.Refused, "the market has moved"), nil
		}
		x.holdForQuote(q, most)
	} else {
		x.quotes.add(q)
	}
	x.touched.quote(q.ID)
	v := q.Quote
	return trade.Outcome{Quote: &v}, nil
}

// nameBudget says what is wrong with a job that names no budget where that is
// the price.
func nameBudget(policy string) string {
	return "under " + policy + " a job costs what it is worth: name a budget"
}

// withProgram lets a request without a program be numbered like any other.
func withProgram(r trade.Request) trade.Request {
	if !r.HasProgram() {
		r.Argv = []string{"?"}
	}
	return r
}

func (x *Exchange) refuseQuote(j *activeJob, reason, detail string) trade.Outcome {
	return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: detail, Offers: x.offers(j, reason)}}
}

// fill completes a quote with what the core answered.
func (x *state) fill(q *heldQuote, asked *market.Job, core market.Quote) {
	q.Firm, q.Owed, q.Procs = core.Firm, core.Price, core.Procs
	q.Price = x.quoted(&q.Request, q.Width, core.Price)
	if core.Firm {
		q.FinishUS = x.unix(core.Finish)
	}
	if d := asked.SLA.Deadline; d.Finite() && d > 0 && core.Firm {
		q.Share = min(1, float64(asked.Estimate)/float64(d))
	}
	q.PredictedUS = x.predict(asked, core)
	q.Odds, _ = x.record.Odds(core.Firm)
	q.Formula = q.Working.Formula
	if gain, err := core.Gain.Money(); err == nil {
		q.Gain = int64(gain)
	}
	q.OptionalMost = int64(q.Request.OptionalTerms().Most())
}

// quoted is the price of a request in money, where the core asks so much.
func (x *state) quoted(r *trade.Request, width int, asks market.Price) int64 {
	price, err := x.amount(r, width, asks)
	if err != nil {
		return 0
	}
	return int64(max(0, price))
}

// amount is the price of a request in money. Where jobs pay for what they use, one
// that costs anything costs the smallest unit at least: all that it takes beyond its
// estimate is reckoned from that.
func (x *state) amount(r *trade.Request, width int, asks market.Price) (market.Money, error) {
	asks = x.inPieces(r, width, asks)
	price, err := asks.Money()
	if price == 0 && asks > 0 && err == nil && x.rules().Paid() {
		price = 1
	}
	return price, err
}

// applyToQuote notes what the core says of a job that nobody has taken yet.
func (x *Exchange) applyToQuote(q *heldQuote, e *market.Event) {
	switch e.Kind {
	case market.Rejected, market.Stopped:
		q.Refused, q.Reserved = e.Reason.String(), false
		if !q.ending && x.holds(q) { // its node is gone, and the room with it
			x.endHold(q, 0)
			q.Binding, q.NotBinding = false, "the room that was kept is gone with its node"
		}
	case market.Accepted:
		q.Owed = e.Price
		q.Procs = append(q.Procs[:0], e.Procs...)
	default: // it holds room and runs nowhere
	}
}

// cancelQuote cancels a quote.
func (x *Exchange) cancelQuote(by trade.Identity, id string) (trade.Outcome, error) {
	q := x.quotes.find(id)
	if q == nil || by.Role != trade.RoleOwner && q.Owner != by.User {
		return trade.Outcome{}, fmt.Errorf("quote %s: %w, or it has expired", id, trade.ErrUnknown)
	}
	v := q.Quote
	return trade.Outcome{Quote: &v}, x.expireQuote(q)
}

// expireQuote ends a quote that nobody took: the room it kept is paid for.
func (x *Exchange) expireQuote(q *heldQuote) error {
	q.ending = true
	if q.Reserved && x.cluster != nil {
		if err := x.step(market.Event{Kind: market.Cancelled, Job: market.JobID(q.Job)}); err != nil {
			return err
		}
	}
	if x.holds(q) {
		x.endHold(q, x.rent(q))
	}
	x.removeQuote(q)
	return nil
}

// removeQuote forgets a quote.
func (x *Exchange) removeQuote(q *heldQuote) {
	x.touched.quote(q.ID)
	x.quotes.remove(q)
}

// Quote finds an open quote.
func (x *state) Quote(id string) (trade.Quote, bool) {
	if q := x.quotes.find(id); q != nil {
		return q.Quote, true
	}
	return trade.Quote{}, false
}
