package slurm

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Slurm starts nothing on a node that could last into a time for which it is reserved, as
// for maintenance, by its time limit. So the market is told of each node from when on it is
// reserved: a job that may take longer is not sold there, and all others are. What is sold
// there has a time limit that ends before.

// reservedSlack is what the start of a job may take, and Slurm's whole minutes.
const reservedSlack = 2 * time.Minute

// mayTake is how long a job is to be undisturbed: until its deadline, or some times its
// estimate where it has none, since it may share its processors; from when it may begin.
func mayTake(r *trade.Request) time.Duration {
	ms := r.DeadlineMS
	if ms == 0 {
		ms = 4 * r.EstimateMS
	}
	return time.Duration(r.BeginMS+ms) * time.Millisecond
}

// Announce has the market know which nodes take no new jobs, and which are reserved from when on,
// before it promises anything of a partition.
func (b *Backend) Announce(ctx context.Context, r *trade.Request) {
	b.lookAgain(ctx)
	all := b.lastReserved(ctx, b.asked(r))
	b.mu.Lock()
	b.foresee(all, b.cfg.Now())
	var news []*node
	for _, n := range b.nodes {
		door, _ := n.doorOf(b.cfg.Now())
		if (n.ahead != n.aheadTold || n.door != door) && n.door != "" && n.hello != nil && n.membership == member { // else it is told with the rest
			news = append(news, n)
		}
	}
	b.mu.Unlock()
	for _, n := range news {
		b.mu.Lock()
		ahead, turning, was := n.ahead, n.turning, n.door
		door, why := n.doorOf(b.cfg.Now())
		b.mu.Unlock()
		if door != was {
			b.cfg.Log.Info("whether a node takes new jobs", "node", n.name, "door", door, "because", why)
		}
		err := b.fleet.Turn(ctx, n.name, door, why, ahead)
		b.mu.Lock()
		if n.door, n.aheadTold = door, ahead; err != nil || turning || n.turning { // who was heard last is not known
			n.door, n.aheadTold = "", unheard
		}
		b.mu.Unlock()
	}
}

// unheard is said of a node that nobody knows what the market has heard of.
const unheard = -1

// foresee notes of each node from when on it is reserved. The lock is held.
func (b *Backend) foresee(all []limit.Reserved, now time.Time) {
	b.aside.last = all
	ahead := limit.Ahead(all, now, func(name string) string {
		if n := b.nodes[name]; n != nil {
			return n.aside
		}
		return ""
	})
	for name, n := range b.nodes {
		n.ahead = 0
		if r, some := ahead[name]; some {
			n.ahead = r.From.Add(-reservedSlack).UnixMicro()
		}
	}
}

// lastReserved is what was reserved when Slurm was asked last, for whatever reason.
func (b *Backend) lastReserved(ctx context.Context, partition string) []limit.Reserved {
	site := b.site(ctx, partition)
	_, age := b.gate.wicket(partition).last(b.cfg.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.aside.heard && b.cfg.Now().Sub(b.aside.asOf) < age {
		return b.aside.all
	}
	return site.Reserved()
}

// beforeReserved is the longest that a job may have in Slurm so that it ends before its
// nodes are reserved, if it is due before; else what it was.
func (b *Backend) beforeReserved(ctx context.Context, nodes []string, dueUS int64, limit time.Duration) time.Duration {
	now := b.cfg.Now()
	from := b.site(ctx, b.partitions()[0]).ReservedFrom(nodes, now)
	left := (from.Sub(now) - time.Minute).Truncate(time.Minute)
	if from.IsZero() || left < time.Minute || limit != 0 && limit <= left || dueUS != 0 && time.UnixMicro(dueUS).After(now.Add(left)) {
		return limit
	}
	return left
}
