package broker

import (
	"context"

	"github.com/libra-market/libra/core/exchange"
)

// tell tells those who follow how a job is.
func (b *Broker) tell(e *entry) {
	f := e.now()
	b.news.Publish(exchange.Notice{AtUS: b.now(), Kind: "job", Owner: f.Job.Owner, Job: f.Job.Notice()})
}

// pricesMoved tells those who follow what the clusters ask together.
func (b *Broker) pricesMoved() {
	if !b.news.PricesDue(b.now()) {
		return
	}
	b.done.Go(func() {
		if p, err := b.Prices(b.ctx); err == nil {
			b.news.Publish(exchange.Notice{AtUS: b.now(), Kind: "price", Prices: &p})
		}
	})
}

// Follow delivers the notices after a number; a negative one means from now on.
// The channel is closed when ctx is done or the reader is too slow.
func (b *Broker) Follow(ctx context.Context, owner string, after int64) (<-chan exchange.Notice, error) {
	return b.news.Follow(ctx, owner, after, b.now())
}
