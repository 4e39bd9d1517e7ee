package main

import (
	"context"
	"errors"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/wire"
)

// slurmLine is where jobs of a market on Slurm wait.
type slurmLine struct{ market onSlurm }

var _ slurm.Line = (*slurmLine)(nil)

// Over reports whether a job has ended.
func (l *slurmLine) Over(ctx context.Context, job int64) (bool, error) {
	j, err := l.market.Market.Job(ctx, job)
	if errors.Is(err, trade.ErrUnknown) {
		return true, nil // of a store that was put back to what it was
	}
	return err == nil && j.State.Final(), err
}

// Withdraw cancels a job for its user, who has cancelled it in Slurm. One that is not there any more, or
// has ended, is cancelled.
func (l *slurmLine) Withdraw(ctx context.Context, job int64, user string) error {
	_, _, err := l.market.Market.Do(ctx, trade.Command{By: trade.Identity{User: user, Role: trade.RoleUser}, Cancel: &trade.Cancel{Job: job}}, trade.Key{})
	if errors.Is(err, trade.ErrUnknown) || errors.Is(err, trade.ErrConflict) {
		return nil
	}
	return err
}

// Only takes all elements but some out of an array, for its user, who has cancelled the others in Slurm.
// One that waits no more is as it was sold.
func (l *slurmLine) Only(ctx context.Context, job int64, user string, elements []int) error {
	j, err := l.market.Market.Job(ctx, job)
	if err == nil && j.State == v1.Held && j.Request.Array != nil {
		left := map[int]bool{}
		for _, e := range elements {
			left[e] = true
		}
		var out []int
		for i := range j.Request.Array.Len() {
			if e := j.Request.Array.Index(i); !left[e] {
				out = append(out, e)
			}
		}
		if len(out) == 0 {
			return nil
		}
		_, _, err = l.market.Market.Do(ctx, trade.Command{By: trade.Identity{User: user, Role: trade.RoleUser}, Cancel: &trade.Cancel{Job: job, Elements: out}}, trade.Key{})
		l.market.backend.AskAnew(job)
	}
	if errors.Is(err, trade.ErrUnknown) || errors.Is(err, trade.ErrConflict) {
		return nil
	}
	return err
}

// inLine reports whether a job has no processors yet.
func inLine(s v1.State) bool { return s == v1.Held || s == v1.Queued }

// lineUpWithin is how long whoever hands a job in waits for its number in Slurm.
const lineUpWithin = 10 * time.Second

// lineUp gives a job that waits a place in Slurm's queue, where Slurm answers: what is printed of
// it is then a number of Slurm's. It waits in the market all the same.
func (m onSlurm) lineUp(ctx context.Context, waiting *v1.Job) {
	if !inLine(waiting.State) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, lineUpWithin)
	defer stop()
	j, err := m.Market.Job(ctx, waiting.ID) // with its script
	if err != nil {
		return
	}
	spec, bornUS := waitingSpec(&j)
	partition := j.Request.Partition
	if several := m.config.Slurm.Partitions(); len(several) == 1 {
		partition = several[0]
	}
	m.backend.StandIn(ctx, spec, bornUS, partition)
}

// waitingSpec is the task of a job that waits, and since when it does. That of an array has all its elements.
func waitingSpec(j *v1.Job) (task.Spec, int64) {
	waiting := underway.Job{Job: trade.Job{ID: j.ID, Owner: j.Owner, Name: j.Name, SubmittedUS: j.SubmittedUS, Attempt: j.Attempt, Request: wire.ToRequest(&j.Request)}}
	spec := waiting.Spec()
	spec.Size = waiting.Request.Procs() / max(1, waiting.Threads())
	// As they are when it begins: Slurm is told names of files once.
	spec.Output, spec.Error = dispatch.Path(spec.Output, spec.Job, 0, spec.Name), dispatch.Path(spec.Error, spec.Job, 0, spec.Name)
	if a := waiting.Request.Array; a != nil {
		spec.Size = 1
		spec.Span, spec.Elements = a.Lane(0, 1)
	}
	return spec, j.SubmittedUS
}

// LineUp does that for all who have waited since before the market was started.
func (l *slurmLine) LineUp(ctx context.Context) {
	const page = 500
	for before := int64(0); ; {
		jobs, err := l.market.Market.Jobs(ctx, v1.JobQuery{States: []v1.State{v1.Held, v1.Queued}, Before: before, Limit: page})
		if err != nil || len(jobs) == 0 {
			return
		}
		for i := range jobs {
			l.market.lineUp(ctx, &jobs[i])
		}
		before = jobs[len(jobs)-1].ID
	}
}
