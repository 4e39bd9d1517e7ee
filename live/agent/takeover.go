package agent

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/libra-market/libra/core/task"
)

// takeOver goes on with what an agent before this one has left: tasks that run
// and tasks that have ended. Groups that belong to neither are cleared away.
func (a *Agent) takeOver(ctx context.Context) error {
	found, err := folders(a.tasks)
	if err != nil {
		return fmt.Errorf("tasks of before: %w", err)
	}
	for key, f := range found {
		r := newRunner(a, key)
		r.inherit(ctx, f)
		a.runners[key] = r
	}
	names, err := a.groups.List()
	if err != nil {
		return fmt.Errorf("groups of before: %w", err)
	}
	for _, name := range names {
		key, err := task.ParseKey(name)
		if _, known := a.runners[key]; err != nil || known {
			continue
		}
		a.clearStray(ctx, name)
	}
	for _, r := range a.runners {
		a.running.Go(func() { r.run(ctx) })
	}
	return nil
}

func (a *Agent) clearStray(ctx context.Context, name string) {
	group, ok := a.groups.Find(name)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, shepherdTime)
	defer cancel()
	err := group.Kill(ctx)
	if err == nil {
		err = group.Remove()
	}
	if err != nil {
		a.log.Error("group of no task not removed", "group", name, "error", err)
	}
}

// remains is what can be seen of a task after an agent has been away.
type remains struct {
	ended    bool // its status is written down
	sameBoot bool // of the machine, as when it was claimed
	alive    bool // it has a shepherd
	started  bool // its program may have run
}

// classify says how far such a task has come, and whether it is lost. Only what has
// certainly never run may be started.
func (m remains) classify() (where phase, lost bool) {
	switch {
	case m.ended:
		return over, false
	case !m.sameBoot:
		return over, true
	case m.alive:
		return tended, false
	case m.started:
		return over, true
	default:
		return claimed, false
	}
}

// inherit goes on with a task of before.
func (r *runner) inherit(ctx context.Context, f folder) {
	r.folder = f
	r.meter = loadMeter(f.meter())
	r.meter.last = nil // nobody looked in the meantime
	if group, ok := r.agent.groups.Find(r.key.String()); ok {
		r.group = group
	}
	var rec record
	seen := remains{sameBoot: readJSON(f.record(), &rec) == nil && rec.Boot == r.agent.hello.Boot}
	r.spec = rec.Spec
	r.agent.devices.inherit(r.key, rec.GPUs)
	r.grace = time.Duration(rec.Spec.GraceMS) * time.Millisecond
	r.hasParts(rec.Spec)
	var begin beginning
	_ = readJSON(f.started(), &begin) // it may not have begun
	r.furnish(&rec, time.UnixMicro(begin.StartedUS))

	// A shepherd writes the status before it lets the lock go, so the lock is
	// looked at first.
	seen.alive = f.alive()
	var end verdict
	seen.ended = readJSON(f.status(), &end) == nil && end.State.Final()
	if !seen.sameBoot {
		end.Boot = 0
	}
	_, err := os.Stat(f.started())
	seen.started = err == nil

	where, lost := seen.classify()
	switch {
	case where == over && lost:
		r.lose()
	case where == over:
		r.finish(end.Status, end.Boot)
	case where == tended:
		r.watchTask(ctx, 0)
		r.begun()
		r.refining()
		if r.meter.share == 0 {
			r.update(func(s *task.Status) { s.State = task.Frozen })
		}
	default:
		r.phase = where
	}
}
