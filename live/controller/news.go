package controller

import (
	"context"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

// notices is what there is to tell of the effects of a command.
func notices(at int64, fx exchange.Effects) []v1.Notice {
	var all []v1.Notice
	for i := range fx.Jobs {
		all = append(all, moved(at, &fx.Jobs[i]))
	}
	for _, name := range fx.Nodes {
		all = append(all, v1.Notice{AtUS: at, Kind: "node", Node: name})
	}
	return all
}

// moved is what there is to tell of a job.
func moved(at int64, j *trade.Job) v1.Notice {
	said := wire.JobNotice(j)
	return v1.Notice{AtUS: at, Kind: "job", Owner: j.Owner, Job: &said}
}

// tellMoves tells those who follow how far jobs are, once a second, if what they
// rest on is durable.
func (c *Controller) tellMoves() {
	if !c.news.Followed() || !c.pending.empty() || c.writing {
		return
	}
	c.x.At(c.now())
	var all []v1.Notice
	for _, m := range c.x.Moved() {
		all = append(all, moved(c.now(), &m))
	}
	c.news.Publish(all...)
}

// tellPrices tells those who follow what the market asks, every few seconds.
func (c *Controller) tellPrices() {
	if !c.news.PricesDue(c.now()) {
		return
	}
	c.x.At(c.now())
	now := c.x.Prices()
	p := wire.Prices(&now)
	c.news.Publish(v1.Notice{AtUS: c.now(), Kind: "price", Prices: &p})
}

// Follow delivers the notices after a number; a negative one means from now on.
// The channel is closed when ctx is done or the reader is too slow.
func (c *Controller) Follow(ctx context.Context, owner string, after int64) (<-chan v1.Notice, error) {
	return c.news.Follow(ctx, owner, after, c.now())
}
