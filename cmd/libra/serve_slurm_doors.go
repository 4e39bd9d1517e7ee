package main

import (
	"context"
	"errors"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm"
)

// slurmDoors is where jobs wait whose time has come, until Slurm's limits leave room for them.
type slurmDoors struct{ market onSlurm }

var _ slurm.Doors = (*slurmDoors)(nil)

// Knocks says when somebody has come.
func (d *slurmDoors) Knocks() <-chan struct{} { return d.market.Controller.Knocks() }

// Due are those who are there.
func (d *slurmDoors) Due(ctx context.Context, known func(int64) bool) ([]int64, []slurm.Waiting, error) {
	ids, jobs, err := d.market.Controller.Due(ctx, known)
	if err != nil {
		return nil, nil, err
	}
	waiting := make([]slurm.Waiting, 0, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		w := slurm.Waiting{Job: j.ID, User: j.Owner, DueUS: j.DueUS}
		// What the market would not take any more it refuses when it is let in.
		w.Request, w.Waits, _ = d.market.asOfNow(ctx, j)
		waiting = append(waiting, w)
	}
	return ids, waiting, nil
}

// LetIn begins a job.
func (d *slurmDoors) LetIn(ctx context.Context, job int64) (sold bool, err error) {
	o, _, err := d.market.Controller.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Begin: &trade.Begin{Job: job, Let: true},
	}, trade.Key{})
	if errors.Is(err, trade.ErrUnknown) || errors.Is(err, trade.ErrConflict) { // it has ended, or begun
		return false, nil
	}
	return err == nil && o.Job != nil && !o.Job.State.Final() && o.Job.State != trade.Held, err
}

// Bar says what jobs wait for.
func (d *slurmDoors) Bar(ctx context.Context, jobs []int64, why string) error {
	_, _, err := d.market.Controller.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Watch: &trade.Watch{Kept: jobs, Why: why},
	}, trade.Key{})
	return err
}

// asOfNow is what a job that has waited asks for, as of one that begins now, and whether it may wait for
// processors then.
func (m onSlurm) asOfNow(ctx context.Context, j *trade.Job) (r trade.Request, waits bool, err error) {
	r = j.Request.AtOnce()
	r.After, r.AfterAny, r.AfterFailed, r.AfterBegun, r.AfterEach, r.AfterElement = nil, nil, nil, nil, nil, nil
	if j.DueUS > 0 {
		r.DeadlineMS = max(1, (j.DueUS-wallClock().UnixMicro())/1000)
	}
	if err = m.settle(ctx, &r); err != nil {
		return r, false, err
	}
	if waits, err = m.letsWait(ctx, &r); err != nil {
		return r, waits, err
	}
	m.backend.Fill(ctx, &r)
	return r, waits, nil
}
