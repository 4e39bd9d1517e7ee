package api

import (
	"net/http"

	"github.com/libra-market/libra/core/exchange"
)

func askQuote(c *call) error {
	var want QuoteRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	if want.TTLMS < 0 || want.TTLMS > exchange.MaxTTL {
		return badField("ttl_ms", "0 (a minute) to 600000")
	}
	if want.TTLMS == 0 {
		want.TTLMS = exchange.DefaultTTL
	}
	if err := want.Request.ValidateTerms(); err != nil {
		return err
	}
	if err := c.mayPay(want.Request.Account); err != nil {
		return err
	}
	o, err := c.do(exchange.Command{Quote: &exchange.AskQuote{TTLMS: want.TTLMS, Request: want.Request}})
	if err != nil {
		return err
	}
	if o.Quote == nil {
		return errEmpty
	}
	c.w.Header().Set("Location", "/v1/quotes/"+o.Quote.ID)
	return c.answer(http.StatusCreated, o.Quote)
}

func preview(c *call) error {
	var want PreviewRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	if err := want.Request.ValidateTerms(); err != nil {
		return err
	}
	if err := c.mayPay(want.Request.Account); err != nil {
		return err
	}
	o, err := c.h.market.Preview(c.r.Context(), c.who, want.Request)
	switch {
	case err != nil:
		return err
	case o.Refusal != nil:
		return &refused{o.Refusal}
	case o.Quote == nil:
		return errEmpty
	}
	return c.answer(http.StatusOK, o.Quote)
}

func readQuote(c *call) error {
	q, err := c.ownQuote()
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, q)
}

func dropQuote(c *call) error {
	q, err := c.ownQuote()
	if err != nil {
		return err
	}
	if _, err := c.do(exchange.Command{Cancel: &exchange.Cancel{Quote: q.ID}}); err != nil {
		return err
	}
	return c.nothing()
}

// ownQuote is the quote of the path, if it is the caller's.
func (c *call) ownQuote() (exchange.Quote, error) {
	id := c.r.PathValue("id")
	if !validID(id) {
		return exchange.Quote{}, notFound("quote " + short(id))
	}
	q, err := c.h.market.Quote(c.r.Context(), id)
	if err == nil && !c.mine(q.Owner) {
		err = notFound("quote " + id)
	}
	return q, err
}

// mine reports whether what has this owner is the caller's to see.
func (c *call) mine(owner string) bool { return c.owner() || owner == c.who.User }
