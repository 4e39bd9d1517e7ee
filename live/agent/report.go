package agent

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
)

// An urgent report waits so long for others that happen together.
const gather = 10 * time.Millisecond

// reportLoop reports how the tasks stand: every now and then, and at once when one
// has ended.
func (a *Agent) reportLoop(ctx context.Context) {
	select {
	case <-a.registered:
	case <-ctx.Done():
		return
	}
	jitter := a.jitter("reports")
	wait := &backoff{jitter: jitter}
	for ctx.Err() == nil {
		if err := a.report(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("not reported", "error", err)
			wait.wait(ctx)
			continue
		}
		wait.reset()
		a.mu.Lock()
		every := a.reportEvery
		a.mu.Unlock()
		timer := time.NewTimer(time.Duration(float64(every) * (0.9 + 0.2*jitter())))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-a.urgent:
			pause(ctx, gather+time.Duration(jitter()*float64(time.Millisecond))) // never at the same time as a look at a task
		}
		timer.Stop()
	}
}

// reportSoon makes the next report urgent.
func (a *Agent) reportSoon() {
	select {
	case a.urgent <- struct{}{}:
	default:
	}
}

// report says how everything stands, and forgets what the controller has
// written down.
func (a *Agent) report(ctx context.Context) error {
	select { // all that has happened until now is in this report
	case <-a.urgent:
	default:
	}
	if a.control != nil {
		a.control.refresh(ctx)
	}
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	sent := a.machine.SinceBoot()
	reply, err := a.controller.Report(call, a.stand())
	if err == nil {
		err = a.obeys(call, reply.Leader)
	}
	if err != nil {
		return err
	}
	a.renew(sent)
	if a.control != nil {
		a.control.forget(reply.Forget)
	}
	a.mu.Lock()
	for _, key := range reply.Forget {
		if r, ok := a.runners[key]; ok {
			r.acknowledge()
		}
	}
	for _, told := range reply.Lanes {
		if r, ok := a.runners[told.Key]; ok {
			r.laneTold(told.Ended)
		}
	}
	a.mu.Unlock()
	a.sweep()
	a.catchUp(reply.Version)
	return nil
}

// stand is how everything stands, in the order of the tasks.
func (a *Agent) stand() task.Report {
	a.mu.Lock()
	defer a.mu.Unlock()
	report := task.Report{
		Node: a.config.Node, Seat: a.hello.Seat, Version: a.version, Tasks: []task.Status{}, SaidUS: a.machine.SinceBoot().Microseconds(),
	}
	if a.control != nil {
		report.Tasks = append(report.Tasks, a.control.statuses()...)
		return report
	}
	for _, r := range a.runners {
		if status, news := r.current(); news {
			report.Tasks = append(report.Tasks, status)
		}
	}
	slices.SortFunc(report.Tasks, func(x, y task.Status) int {
		return cmp.Or(cmp.Compare(x.Job, y.Job), cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Attempt, y.Attempt))
	})
	room := lanesAtOnce
	for i := range report.Tasks {
		if lane := a.runners[report.Tasks[i].Key].laneNews(room); lane != nil {
			report.Lanes = append(report.Lanes, *lane)
			room -= len(lane.Ended)
		}
	}
	return report
}

// catchUp asks again what is wanted when reports say twice that there is
// something newer: the call that waits for it may hang on a line that was cut.
func (a *Agent) catchUp(newest int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if newest <= a.version {
		a.behind = 0
		return
	}
	now := a.machine.SinceBoot()
	switch {
	case a.behind == 0 || a.stuckAt != a.version: // it does hear of changes: there are many of them
		a.behind, a.stuckAt = now, a.version
	case now-a.behind > behindTime && a.again != nil:
		a.again()
		a.behind = 0
	}
}

// behindTime is how long a newer version may take to arrive.
const behindTime = 2 * time.Second
