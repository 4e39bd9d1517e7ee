package controller

import (
	"context"

	"github.com/libra-market/libra/core/exchange"
)

// notices is what there is to tell of the effects of a command.
func notices(at int64, fx exchange.Effects) []exchange.Notice {
	var all []exchange.Notice
	for i := range fx.Jobs {
		all = append(all, exchange.Notice{AtUS: at, Kind: "job", Owner: fx.Jobs[i].Owner, Job: fx.Jobs[i].Notice()})
	}
	for _, name := range fx.Nodes {
		all = append(all, exchange.Notice{AtUS: at, Kind: "node", Node: name})
	}
	return all
}

// tellMoves tells those who follow how far jobs are, once a second, if what they
// rest on is durable.
func (c *Controller) tellMoves() {
	if !c.news.Followed() || !c.pending.empty() || c.writing {
		return
	}
	c.x.At(c.now())
	var all []exchange.Notice
	for _, m := range c.x.Moved() {
		all = append(all, exchange.Notice{AtUS: c.now(), Kind: "job", Owner: m.Owner, Job: &m})
	}
	c.news.Publish(all...)
}

// tellPrices tells those who follow what the market asks, every few seconds.
func (c *Controller) tellPrices() {
	if !c.news.PricesDue(c.now()) {
		return
	}
	c.x.At(c.now())
	p := c.x.Prices()
	c.news.Publish(exchange.Notice{AtUS: c.now(), Kind: "price", Prices: &p})
}

// Follow delivers the notices after a number; a negative one means from now on.
// The channel is closed when ctx is done or the reader is too slow.
func (c *Controller) Follow(ctx context.Context, owner string, after int64) (<-chan exchange.Notice, error) {
	return c.news.Follow(ctx, owner, after, c.now())
}
