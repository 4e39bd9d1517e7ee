package api

import (
	"net/http"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

func askQuote(c *call) error {
	var want v1.QuoteRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	if want.TTLMS < 0 || want.TTLMS > trade.MaxTTL {
		return badField("ttl_ms", "0 (a minute) to 600000")
	}
	if want.TTLMS == 0 {
		want.TTLMS = trade.DefaultTTL
	}
	if err := wire.ValidateTerms(&want.Request); err != nil {
		return err
	}
	if err := c.mayPay(&want.Request.Account); err != nil {
		return err
	}
	o, err := c.do(trade.Command{Quote: wire.ToAskQuote(&want)})
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
	var want v1.PreviewRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	if err := wire.ValidateTerms(&want.Request); err != nil {
		return err
	}
	if err := c.mayPay(&want.Request.Account); err != nil {
		return err
	}
	o, err := c.h.trade.Preview(c.r.Context(), c.who, wire.ToRequest(&want.Request))
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
	if _, err := c.do(trade.Command{Cancel: &trade.Cancel{Quote: q.ID}}); err != nil {
		return err
	}
	return c.nothing()
}

// ownQuote is the quote of the path, if it is the caller's.
func (c *call) ownQuote() (v1.Quote, error) {
	id := c.r.PathValue("id")
	if !validID(id) {
		return v1.Quote{}, notFound("quote " + short(id))
	}
	q, err := c.h.jobs.Quote(c.r.Context(), id)
	if err == nil && !c.mine(q.Owner) {
		err = notFound("quote " + id)
	}
	return q, err
}

// mine reports whether what has this owner is the caller's to see.
func (c *call) mine(owner string) bool { return c.owner() || owner == c.who.User }
