package slurm

import (
	"context"
	"time"
)

// nodesLast is how old what Slurm said of its nodes may be when something is promised there.
// While jobs run it is asked more often anyway.
const nodesLast = 3 * time.Second

// lookAgain has Slurm say how its nodes stand, unless it did a moment ago: a market in which
// nothing is under way asks every ten seconds, and would sell what drains meanwhile.
func (b *Backend) lookAgain(ctx context.Context) { b.lookSince(ctx, b.cfg.Now().Add(-nodesLast)) }

// lookSince has Slurm say how its nodes stand, unless it was asked after a time, or does not answer. One asks, and who
// comes meanwhile waits for the answer.
func (b *Backend) lookSince(ctx context.Context, since time.Time) {
	if !b.lookIsOf(since) { // nobody waits then for who is asking, perhaps a Slurm that does not answer
		return
	}
	b.looking.Lock()
	defer b.looking.Unlock()
	if b.lookIsOf(since) {
		// Who goes away does not make Slurm silent: the calls have a time limit of their own.
		b.lookAtNodes(context.WithoutCancel(ctx))
	}
}

// lookIsOf reports whether the nodes are known, and how they stand is of no later than a time.
func (b *Backend) lookIsOf(since time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.knows && !b.good.IsZero() && !b.looked.After(since)
}
