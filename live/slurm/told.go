package slurm

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// lookEach is how often it is looked whether Slurm has suspended a job, for those who follow the market.
const lookEach = 500 * time.Millisecond

// Tell hands notices on, which say of a job that Slurm has suspended that it has, and says when one is
// suspended, or resumed: the market itself knows nothing of that. Who goes on after a notice (0 or more) may have missed
// some of these, which the market does not keep, and is told how those stand that they could be of. Job is one as it stands.
func (b *Backend) Tell(ctx context.Context, owner string, after int64, from <-chan v1.Notice, job func(ctx context.Context, id int64) (v1.Job, error)) <-chan v1.Notice {
	t := &teller{b: b, owner: owner, job: job, to: make(chan v1.Notice, 64), told: b.suspended()}
	if after >= 0 {
		b.mu.Lock()
		t.told = maps.Clone(b.resumed)
		b.mu.Unlock()
	}
	go t.run(ctx, from)
	return t.to
}

// teller tells one who follows.
type teller struct {
	b     *Backend
	owner string // of the jobs that are told of; empty: everybody
	job   func(ctx context.Context, id int64) (v1.Job, error)
	to    chan v1.Notice
	told  map[int64]bool // suspended, for all that was told
	last  int64          // the number of the notice before; 0: there was none
}

func (t *teller) run(ctx context.Context, from <-chan v1.Notice) {
	defer close(t.to)
	tick := time.NewTicker(lookEach)
	defer tick.Stop()
	for {
		select {
		case n, open := <-from:
			if !open || !t.send(ctx, &n) {
				return
			}
		case <-tick.C:
			if !t.turns(ctx) {
				return
			}
		}
	}
}

// send hands a notice on, unless nobody follows any more.
func (t *teller) send(ctx context.Context, n *v1.Notice) bool {
	t.last = n.Seq
	if n.Job != nil && n.Job.State == v1.Running && t.b.Suspended(n.Job.ID) {
		said := *n.Job // others follow, too
		said.Suspended, n.Job = true, &said
	}
	select {
	case t.to <- *n:
		return true
	case <-ctx.Done():
		return false
	}
}

// turns tells of those that were suspended or resumed. It has the number of the notice before, and none if there was
// none: who comes back goes on after that.
func (t *teller) turns(ctx context.Context) bool {
	now := t.b.suspended()
	if maps.Equal(now, t.told) {
		return true
	}
	turned := maps.Clone(now)
	for id := range t.told {
		if turned[id] = true; now[id] {
			delete(turned, id)
		}
	}
	t.told = now
	for _, id := range slices.Sorted(maps.Keys(turned)) {
		j, err := t.job(ctx, id)
		if err != nil || j.State.Final() || t.owner != "" && j.Owner != t.owner {
			continue // how it ended the market tells
		}
		n := v1.Notice{Seq: t.last, AtUS: t.b.cfg.Now().UnixMicro(), Kind: "job", Owner: j.Owner, Job: j.Notice()}
		if !t.send(ctx, &n) {
			return false
		}
	}
	return true
}

// suspended are the jobs that Slurm has suspended, as it was listed last. They are not to be changed.
func (b *Backend) suspended() map[int64]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.suspends
}

// noteSuspended notes which jobs Slurm has suspended, and which it has resumed and are still under way. The lock is held.
func (b *Backend) noteSuspended() {
	was := b.suspends
	b.suspends = map[int64]bool{}
	for key, r := range b.runs {
		if r.suspended() {
			b.suspends[key.job] = true
		}
	}
	for id := range was {
		b.resumed[id] = true
	}
	maps.DeleteFunc(b.resumed, func(id int64, _ bool) bool { return b.suspends[id] || len(b.attempts[id]) == 0 })
}
