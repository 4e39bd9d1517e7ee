package slurm

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/trade"
)

// unsaidTime is what a job takes that says nothing of it, where Slurm does not say either: scripts
// for Slurm often do not, and it would give them all the time there is.
const unsaidTime = time.Hour

// UsualTime is how long a job is taken to run that says nothing of it: the DefaultTime of its
// partition, or an hour, if it may run as long.
func (b *Backend) UsualTime(ctx context.Context, partition string) time.Duration {
	partition = b.asked(&trade.Request{Partition: partition})
	site, _ := b.gate.wicket(partition).last(b.cfg.Now()) // as it was renewed last: who asks for prices waits for nobody
	if site == nil {
		site = b.site(ctx, partition)
	}
	p := &site.Partition
	switch {
	case p.DefaultTime > 0:
		return p.DefaultTime
	case p.MaxTime > 0:
		return min(unsaidTime, p.MaxTime)
	}
	return unsaidTime
}

// siteIdle is how old what is known of a partition becomes where nobody hands anything in: an
// administrator may change it meanwhile, and prices say what is usual there.
const siteIdle = 30 * time.Second

// renewSites asks anew for what is known of partitions for so long.
func (b *Backend) renewSites(ctx context.Context) {
	for _, partition := range b.partitions() {
		w := b.gate.wicket(partition)
		if site, age := w.last(b.cfg.Now()); site == nil || age < siteIdle || !w.asking.TryLock() {
			continue
		}
		b.going.Go(func() {
			defer w.asking.Unlock()
			b.askSite(ctx, partition, w)
		})
	}
}
