package main

import (
	"context"
	"fmt"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm"
)

// letGo lets a job begin that is on hold, within Slurm's limits: one that Slurm would keep waiting stays on hold,
// and is promised nothing.
func (m onSlurm) letGo(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	ticket, err := m.mayBegin(ctx, c.By, c.Begin.Job)
	if err != nil {
		return api.Outcome{}, false, err
	}
	o, replayed, err := m.take(ctx, c, key)
	if err != nil || o.Job == nil || o.Job.State.Final() {
		m.backend.Settle(ticket, 0)
	}
	return o, replayed, err
}

// mayBegin keeps room for a job on hold that would begin now; nil: it waits for something else too, or is nobody's
// who asks, which the market says.
func (m onSlurm) mayBegin(ctx context.Context, by trade.Identity, job int64) (*slurm.Ticket, error) {
	j, err := m.Controller.Job(ctx, job)
	now := wallClock().UnixMicro()
	if err != nil || !j.OnHold || j.BeginUS > now || by.Role != trade.RoleOwner && j.Owner != by.User || j.DueUS > 0 && j.DueUS <= now {
		return nil, nil //nolint:nilerr,nilnil // the market says so
	}
	for _, id := range j.Request.Follows() {
		if other, wrong := m.Controller.Job(ctx, id); wrong == nil && !other.State.Final() {
			return nil, nil //nolint:nilnil // it waits for that
		}
	}
	r := j.Request.AtOnce()
	r.After, r.AfterAny, r.AfterFailed, r.AfterBegun, r.AfterEach = nil, nil, nil, nil, nil
	if j.DueUS > 0 {
		r.DeadlineMS = max(1, (j.DueUS-now)/1000)
	}
	if err = m.settle(ctx, &r); err != nil {
		return nil, err
	}
	waits, err := m.letsWait(ctx, &r)
	if err != nil {
		return nil, err
	}
	m.backend.Fill(ctx, &r)
	ticket, over := m.backend.AdmitHeld(ctx, j.Owner, &r, waits, job)
	if over != nil {
		return nil, fmt.Errorf("job %d: %w: it stays on hold: %s", job, trade.ErrConflict, over.Detail)
	}
	return ticket, nil
}
