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
	ticket, now, err := m.mayBegin(ctx, c.By, c.Begin.Job)
	if err != nil {
		return api.Outcome{}, false, err
	}
	if now {
		c.Begin = &trade.Begin{Job: c.Begin.Job, Let: true}
	}
	o, replayed, err := m.take(ctx, c, key)
	if err != nil || o.Job == nil || o.Job.State.Final() {
		m.backend.Settle(ticket, 0)
	}
	return o, replayed, err
}

// mayBegin reports whether a job on hold would begin now, and keeps room for it, if that is counted. Otherwise it waits for something
// else too, or is nobody's who asks, which the market says.
func (m onSlurm) mayBegin(ctx context.Context, by trade.Identity, job int64) (ticket *slurm.Ticket, now bool, err error) {
	j, err := m.Controller.Job(ctx, job)
	at := wallClock().UnixMicro()
	if err != nil || !j.OnHold || j.BeginUS > at || by.Role != trade.RoleOwner && j.Owner != by.User || j.DueUS > 0 && j.DueUS <= at {
		return nil, false, nil //nolint:nilerr // the market says so
	}
	for _, id := range j.Request.Follows() {
		if other, wrong := m.Controller.Job(ctx, id); wrong == nil && !other.State.Final() {
			return nil, false, nil
		}
	}
	r, waits, err := m.asOfNow(ctx, &j)
	if err != nil {
		return nil, false, err
	}
	ticket, over := m.backend.AdmitHeld(ctx, j.Owner, &r, waits, job)
	if over != nil {
		return nil, false, fmt.Errorf("job %d: %w: it stays on hold: %s", job, trade.ErrConflict, over.Detail)
	}
	return ticket, true, nil
}
