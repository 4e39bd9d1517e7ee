package slurm

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Slurm starts nothing on a node that could last into a time for which it is reserved, as
// for maintenance, by its time limit. So a job that may take longer than that is not sold
// there: while somebody asks for such the node takes no new jobs, and who is shorter has it a
// minute later. What is sold there has a time limit that ends before.

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

// SteerClear lets nothing be sold, for a while, on nodes that are reserved before a job
// could be done that is asked for now. Who calls it has promised nothing yet.
func (b *Backend) SteerClear(ctx context.Context, r *trade.Request) {
	now := b.cfg.Now()
	for name, by := range limit.Ahead(b.lastReserved(ctx, b.asked(r)), now, mayTake(r)+reservedSlack, r.Reservation) {
		b.mu.Lock()
		n := b.nodes[name]
		if n != nil && n.aside == by.Name { // who is not in it is kept away by that
			b.mu.Unlock()
			continue
		}
		tell := n != nil && n.hello != nil && n.membership == member && n.door != trade.DoorClosed
		if n != nil {
			n.shy, n.shyOf, n.why = now.Add(shyFor), by.Name, "it is reserved in Slurm ("+by.Name+") from "+by.From.UTC().Format(time.RFC3339)+" on"
		}
		why := ""
		if tell {
			why = n.why
		}
		b.mu.Unlock()
		if !tell || b.fleet.Turn(ctx, name, trade.DoorClosed, why) != nil {
			continue // it is told with the next look at all nodes, or comes to nothing
		}
		b.mu.Lock()
		n.door = trade.DoorClosed
		b.mu.Unlock()
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
