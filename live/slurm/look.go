package slurm

import (
	"context"
	"time"
)

// nodesLast is how old what Slurm said of its nodes may be when something is promised there.
// While jobs run it is asked more often anyway.
const nodesLast = 3 * time.Second

// lookAgain has Slurm say how its nodes stand, unless it did a moment ago: a market in which
// nothing is under way asks every ten seconds, and would sell what drains meanwhile. One asks, and
// who comes meanwhile waits for the answer.
func (b *Backend) lookAgain(ctx context.Context) {
	b.looking.Lock()
	defer b.looking.Unlock()
	b.mu.Lock()
	old := b.knows && !b.good.IsZero() && b.cfg.Now().Sub(b.looked) >= nodesLast
	b.mu.Unlock()
	if old {
		b.lookAtNodes(context.WithoutCancel(ctx)) // the calls have a time limit of their own
	}
}
