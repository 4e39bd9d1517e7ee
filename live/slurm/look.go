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
	if !b.lookIsOld() { // nobody waits then for who is asking, perhaps a Slurm that does not answer
		return
	}
	b.looking.Lock()
	defer b.looking.Unlock()
	if b.lookIsOld() {
		b.lookAtNodes(context.WithoutCancel(ctx)) // the calls have a time limit of their own
	}
}

// lookIsOld reports whether the nodes are known, and how they stand is of some time ago.
func (b *Backend) lookIsOld() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.knows && !b.good.IsZero() && b.cfg.Now().Sub(b.looked) >= nodesLast
}
