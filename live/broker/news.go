package broker

import (
	"context"

	"github.com/libra-market/libra/client/v1"
)

// publish tells those who follow how a job is.
func (b *Broker) publish(e *entry) {
	f := e.now()
	j := &f.Job
	b.news.Publish(v1.Notice{AtUS: b.now(), Kind: "job", Owner: j.Owner, Job: j.Notice()})
}

// pricesMoved tells those who follow what the clusters ask together.
func (b *Broker) pricesMoved() {
	if !b.news.PricesDue(b.now()) {
		return
	}
	b.done.Go(func() {
		if p, err := b.Prices(b.ctx); err == nil {
			b.news.Publish(v1.Notice{AtUS: b.now(), Kind: "price", Prices: &p})
		}
	})
}

// Follow delivers the notices after a number; a negative one means from now on.
// The channel is closed when ctx is done or the reader is too slow.
func (b *Broker) Follow(ctx context.Context, owner string, after int64) (<-chan v1.Notice, error) {
	return b.news.Follow(ctx, owner, after, b.now())
}
