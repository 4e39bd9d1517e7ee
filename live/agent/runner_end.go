package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// stopping is how far the end of a task has been asked for.
type stopping struct {
	how    task.Stop
	strike time.Duration // when to do the shepherd's work for it, by awake
}

// How long a shepherd may take beyond what it was given, until the agent kills
// the group itself; and once more, until it kills the shepherd.
const shepherdTime = 5 * time.Second

// What a shepherd takes for an order to end its task.
const (
	terminateSignal = unix.SIGTERM
	killSignal      = unix.SIGUSR1
)

// end asks the shepherd to end the task. The shepherd also sees to the grace, so
// that an agent that dies in the meantime is no reprieve.
func (r *runner) end(ctx context.Context, how task.Stop) {
	select {
	case <-r.watch.found:
	default:
		return // at the next look
	}
	switch {
	case how == task.Kill && r.stop.how != task.Kill:
		r.requestStop(killSignal, how, 0)
	case r.stop.how == task.GoOn:
		r.requestStop(terminateSignal, how, r.grace)
	case r.agent.machine.Awake() > r.stop.strike+shepherdTime:
		r.agent.log.Error("shepherd does not end its task", "task", r.key)
		_ = r.watch.signal(unix.SIGKILL) // it has ended, or cannot: tried again at the next look
		fallthrough
	case r.agent.machine.Awake() > r.stop.strike:
		r.clear(ctx)
	}
}

func (r *runner) requestStop(sig unix.Signal, how task.Stop, grace time.Duration) {
	if err := r.watch.signal(sig); err != nil {
		r.agent.log.Error("task not stopped", "task", r.key, "error", err)
		return
	}
	r.stop = stopping{how: how, strike: r.agent.machine.Awake() + grace + shepherdTime}
}

// clear kills what is in the group.
func (r *runner) clear(ctx context.Context) {
	if r.group == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, shepherdTime)
	defer cancel()
	if err := r.group.Kill(ctx); err != nil {
		r.agent.log.Error("group not empty", "task", r.key, "error", err)
	}
}

// conclude finds out what it means that nobody holds the lock.
func (r *runner) conclude() {
	if r.watch != nil {
		r.watch.close()
		r.watch = nil
	}
	var end verdict
	err := readJSON(r.folder.status(), &end)
	if err == nil && end.Key == r.key && end.State.Final() {
		r.meter.pause()
		r.closeMeter(end.Over, end.CPUUS)
		r.finish(end.Status, end.Boot)
		return
	}
	if _, err = os.Stat(r.folder.started()); err == nil {
		r.lose()
		return
	}
	r.phase = claimed
	if r.tries >= startTries {
		r.refuse(fmt.Errorf("the shepherd ends before it has started anything: %s", lastLine(r.folder.log())))
	}
}

// lose ends a task whose shepherd died before it had written down the end.
func (r *runner) lose() {
	r.clear(context.Background())
	status, _ := r.current()
	status.State, status.EndedUS = task.Lost, r.agent.machine.UnixMicros()
	status.Error = "its shepherd is gone and how it ended is not known"
	var begin beginning
	if readJSON(r.folder.started(), &begin) == nil {
		status.StartedUS = begin.StartedUS
	}
	if r.group != nil {
		if usage, err := r.group.Usage(); err == nil {
			status.CPUUS = max(status.CPUUS, usage.CPU.Microseconds())
			status.PeakBytes = max(status.PeakBytes, usage.PeakMemory)
			status.OOM = usage.OOMKills > 0
		}
	}
	end := verdict{Status: status, Boot: r.agent.machine.SinceBoot()}
	if err := writeReserved(r.folder.room(), r.folder.status(), end); err != nil {
		r.agent.log.Error("end not written down", "task", r.key, "error", err) // it will be found lost again
	}
	r.finish(status, end.Boot)
}

// refuse ends a task that never ran.
func (r *runner) refuse(reason error) {
	r.undo()
	r.finish(task.Status{Key: r.key, State: task.Refused, Error: reason.Error(), EndedUS: r.agent.machine.UnixMicros()}, r.agent.machine.SinceBoot())
}

// withdraw forgets a task that never ran and that nobody wants.
func (r *runner) withdraw() {
	r.undo()
	r.finish(task.Status{Key: r.key, State: task.Refused, Error: errStopped.Error(), EndedUS: r.agent.machine.UnixMicros()}, r.agent.machine.SinceBoot())
	r.acknowledge() // the next sweep takes it
}

// undo takes a claim back under which nothing has run.
func (r *runner) undo() {
	if r.folder == "" {
		return
	}
	if err := r.folder.discard(); err != nil && !errors.Is(err, os.ErrNotExist) {
		r.agent.log.Error("folder not removed", "task", r.key, "error", err)
	}
	r.folder = ""
}

// finish says the last word about a task, and when it ended by sinceBoot; 0: in
// another life of the machine.
func (r *runner) finish(status task.Status, ended time.Duration) {
	if r.group != nil {
		if err := r.group.Remove(); err != nil {
			r.agent.log.Warn("group not removed", "task", r.key, "error", err)
		}
	}
	r.ownLimit(&status)
	r.ownDelay(&status)
	status.DeclinedUS = r.meter.declined.Microseconds()
	if status.Part == task.OptionalPart {
		status.MandatoryDeclinedUS = r.meter.mandatory().Microseconds()
	}
	var done switchover
	status.MandatoryAgoUS = 0
	if status.Part == task.OptionalPart && ended != 0 {
		_ = readJSON(r.folder.optional(), &done) // then nobody knows when that was
	}
	r.update(func(s *task.Status) {
		status.CPUUS = max(status.CPUUS, s.CPUUS)
		status.PeakBytes = max(status.PeakBytes, s.PeakBytes)
		*s = status
		r.ended, r.refined = ended, done.Boot
	})
	r.phase = over
	r.agent.devices.free(r.key)
	r.agent.reportSoon()
}

// lastLine is the end of a log, for people.
func lastLine(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return lines[len(lines)-1]
}
