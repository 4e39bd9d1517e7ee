package broker

import (
	"context"
	"slices"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// follow has a job looked after until it ends.
func (b *Broker) follow(e *entry) {
	f := e.now()
	l := b.at(f.Cluster, f.Job.Owner)
	if l == nil || l == l.seller.any() { // which is followed anyway
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop == nil {
		var ctx context.Context
		ctx, l.stop = context.WithCancel(b.ctx)
		b.done.Go(func() { l.watch(ctx) })
	}
}

// rest stops following if there is nothing more to follow.
func (l *login) rest() {
	if l == l.seller.any() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil && len(l.jobs()) == 0 {
		l.stop()
		l.stop = nil
	}
}

// jobs are those under way that the cluster has.
func (l *login) jobs() []*entry {
	b := l.seller.b
	return slices.DeleteFunc(b.underway(), func(e *entry) bool {
		f := e.now()
		return f.Remote == 0 || f.Job.State.Final() || b.at(f.Cluster, f.Job.Owner) != l
	})
}

// follow follows a cluster as long as the broker runs, whether or not it has any
// jobs of ours: so it is known who is there.
func (s *seller) follow(ctx context.Context) { s.any().watch(ctx) }

// watch follows what a login sees: by the stream of events, and by looking every
// now and then, because a stream can be lost without anybody noticing.
func (l *login) watch(ctx context.Context) {
	b := l.seller.b
	b.done.Go(func() {
		turn := time.NewTicker(b.options.Poll)
		defer turn.Stop()
		for {
			l.poll(ctx)
			select {
			case <-ctx.Done():
				return
			case <-turn.C:
			}
		}
	})
	for try := 0; ctx.Err() == nil; try++ {
		fresh := true
		for n, err := range l.client.Events(ctx, -1) {
			if ctx.Err() != nil {
				return
			}
			if err != nil { // somebody in between may know no streams
				l.probe(ctx)
				break
			}
			l.seller.met(nil)
			if try = 0; fresh || n.Kind == v1.NoticeLost {
				l.poll(ctx) // what happened before the stream began
				fresh = false
			}
			l.observe(ctx, &n)
		}
		pause := time.NewTimer(doubled(b.options.Retry, 10*b.options.Retry, try))
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

// probe asks whether the cluster is there at all.
func (l *login) probe(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, probeLimit)
	defer stop()
	l.seller.met(l.client.Healthy(ctx))
}

const probeLimit = 5 * time.Second

// observe takes in a notice.
func (l *login) observe(ctx context.Context, n *v1.Notice) {
	b := l.seller.b
	switch {
	case n.Job != nil:
		l.observeJob(ctx, n)
	case l != l.seller.any(): // one is enough to know what is public
	case n.Kind == "price":
		b.pricesMoved()
	case n.Kind == "node":
		b.news.Publish(v1.Notice{AtUS: b.now(), Kind: "node", Node: l.seller.name + "/" + clipped(n.Node)})
	}
}

func (l *login) observeJob(ctx context.Context, n *v1.Notice) {
	b := l.seller.b
	b.mu.Lock()
	e := b.entries[b.numbers[place{l.seller.name, n.Job.ID}]]
	b.mu.Unlock()
	if e == nil {
		return
	}
	f := e.now()
	if f.Remote != n.Job.ID || f.Cluster != l.seller.name || f.Job.State.Final() {
		return
	}
	if n.Job.State != f.Job.State {
		within, stop := context.WithTimeout(ctx, callLimit)
		defer stop()
		l.refresh(within, e)
		return
	}
	// How far it is is news, and not worth writing down.
	e.mu.Lock()
	e.facts.Job.Share, e.facts.Job.Work, e.facts.Job.Penalty = n.Job.Share, n.Job.Work, n.Job.Penalty
	e.mu.Unlock()
	b.publish(e)
}

// poll looks at all jobs of a login that are under way.
func (l *login) poll(ctx context.Context) {
	mine := l.jobs()
	ctx, stop := context.WithTimeout(ctx, callLimit)
	defer stop()
	if len(mine) == 0 {
		if l.rest(); l == l.seller.any() && l.seller.away() != 0 {
			l.probe(ctx)
		}
		return
	}
	live, err := l.list(ctx, len(mine))
	if err != nil {
		return
	}
	for _, e := range mine {
		f := e.now()
		if j := live[f.Remote]; j == nil || j.State != f.Job.State || !f.is(j) {
			l.refresh(ctx, e) // it may have ended
		} else if err := l.seller.b.learn(l, e, j); err != nil {
			l.seller.b.log.Warn("a job is not written", "job", e.id, "error", err)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// list is the jobs under way at the cluster, by their numbers there. Who wants
// one asks for it alone.
func (l *login) list(ctx context.Context, want int) (map[int64]*v1.Job, error) {
	live := map[int64]*v1.Job{}
	q := v1.JobQuery{States: liveStates(), Limit: 500}
	for want > 1 && len(live) < mostListed {
		page, err := l.client.Jobs(ctx, q)
		l.seller.met(err)
		if err != nil {
			return nil, err
		}
		for i := range page.Jobs {
			live[page.Jobs[i].ID] = &page.Jobs[i]
		}
		if page.Next == 0 || q.Before != 0 && page.Next >= q.Before {
			break
		}
		q.Before = page.Next
	}
	return live, nil
}

const mostListed = 20_000

func liveStates() []v1.State {
	return slices.DeleteFunc(v1.States(), v1.State.Final)
}
