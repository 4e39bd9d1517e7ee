package exchange

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// quote gives a price that binds until it expires.
func (x *door) quote(by trade.Identity, a *trade.AskQuote) (trade.Outcome, error) {
	r := a.Request
	err := x.validateTerms(&r)
	if err == nil {
		err = trade.ValidateQuoted(&r, x.again)
	}
	if err != nil {
		return trade.Outcome{}, err
	}
	if r.Later() {
		return trade.Outcome{}, errLater
	}
	if a.TTLMS < 0 || a.TTLMS > trade.MaxTTL {
		return trade.Outcome{}, market.Wrong("ttl_ms", fmt.Sprintf("at most %d", trade.MaxTTL))
	}
	account, err := x.bank.payer(by, r.Account)
	if err != nil {
		return trade.Outcome{}, err
	}
	if n, _ := x.quotes.Of(by.User); n >= x.price.mostQuotes() {
		return trade.Outcome{}, fmt.Errorf("%w: %d quotes are open; take or cancel one first", trade.ErrConflict, n)
	}
	ttl := a.TTLMS
	if ttl == 0 {
		ttl = trade.DefaultTTL
	}
	if err = x.price.sized(&r); err != nil {
		return trade.Outcome{}, err
	}
	j := x.newJob(by, r.WithProgram(), account)
	j.Request.Argv = r.Argv // what is offered instead runs what was named, or nothing yet
	if why := x.price.onlyPrecise(&r); why != "" {
		return x.refuseQuote(j, trade.ReasonImprecise, why), nil
	}
	if x.cluster == nil {
		return x.refuseQuote(j, market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	asked := x.price.fitting(j)
	j.Width = int(asked.Width)
	q := &quote.Held{Account: account, Job: j.ID, Era: len(x.epochs), Quote: trade.Quote{
		ID: fmt.Sprintf("q%d", j.ID), Owner: by.User, Request: r, MadeUS: x.now, ExpiresUS: x.now + ttl*1000,
		Width: int(asked.Width), Policy: x.epoch().Policy,
	}}
	core, err := x.price.quote(&r, asked)
	if rejected := (*market.Rejection)(nil); errors.As(err, &rejected) {
		code, text := x.price.refusal(j, rejected.Reason)
		return x.refuseQuote(j, code, text), nil
	} else if err != nil {
		return trade.Outcome{}, err
	}
	j.Storage = x.price.storage(&asked, core.Procs)
	x.price.noteWorking(j, &asked)
	q.Working, q.Storage = j.Working, j.Storage
	if !core.Price.Limited() {
		return x.refuseQuote(j, market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)), nil
	}
	x.price.fill(q, &asked, core)
	if q.Storage.Over(&r, market.Money(q.Price)) {
		code, text := x.price.refusal(j, market.CannotMeetBudget)
		return x.refuseQuote(j, code, text), nil
	}
	q.PredictedUS = x.price.predict(&asked, core)
	if reason, why := x.price.cannotPromise(&r, market.Money(q.Price), q.Storage, q.Width, 0); reason != "" {
		return x.refuseQuote(j, reason, why), nil
	}
	most := x.price.mostCost(&r, market.Money(q.Price), q.Storage, q.Width)
	if reason, why := x.bank.cannotHold(account, most); reason != "" {
		return x.refuseQuote(j, reason, why), nil
	}
	x.price.agree(q, &asked, core.Firm && !core.Passing)
	if q.Binding {
		q.Reserved = true
		x.quotes.Add(q)
		if err := x.floor.step(market.Event{Kind: market.Reserved, Job: asked.ID, Spec: &asked}); err != nil {
			x.floor.removeQuote(q)
			return trade.Outcome{}, err
		}
		if q.Refused != "" {
			x.floor.removeQuote(q)
			return x.refuseQuote(j, q.Refused, "the market has moved"), nil
		}
		x.floor.holdForQuote(q, most)
	} else {
		x.quotes.Add(q)
	}
	x.floor.touched.Quote(q.ID)
	v := q.Quote
	return trade.Outcome{Quote: &v}, nil
}

// nameBudget says what is wrong with a job that names no budget where that is
// the price.
func nameBudget(policy string) string {
	return "under " + policy + " a job costs what it is worth: name a budget"
}

func (x *door) refuseQuote(j *underway.Job, reason, detail string) trade.Outcome {
	return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: detail, Offers: x.offers(j, reason)}}
}
