package agent

import (
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// limit makes the group have the limits that are wanted. What did not succeed is
// tried again at the next look.
func (r *runner) limit(order *task.Order) {
	limits, err := r.agent.limitsOf(order)
	if err != nil {
		r.agent.log.Error("limits not changed", "task", r.key, "error", err)
		return
	}
	limits.Pids = r.pidsOf(limits)
	limits.CPU = r.within(order, limits)
	if r.applied != nil && same(*r.applied, limits) {
		r.keepFrozen()
		return
	}
	less := r.group != nil && r.applied != nil && limits.CPU < r.applied.CPU
	if !less { // else that must not wait
		r.sample() // what was granted until now
	}
	if r.group == nil {
		// Nothing was there to find when this agent began: a task kept by
		// signals, between two elements.
		r.group, err = r.agent.groups.Make(r.key.String(), limits)
	} else {
		err = r.group.Set(limits)
	}
	if err == nil && r.held && limits.CPU > 0 {
		err = r.group.Thaw()
	}
	if err != nil {
		r.applied = nil
		r.agent.log.Error("limits not changed", "task", r.key, "error", err)
		return
	}
	if less {
		r.sample()
	}
	r.held = r.held && limits.CPU == 0
	r.apply(order, limits)
	r.update(func(s *task.Status) {
		switch {
		case s.State == task.Running && limits.CPU == 0:
			s.State = task.Frozen
		case s.State == task.Frozen && limits.CPU > 0:
			s.State = task.Running
		}
	})
}

// apply remembers what was set.
func (r *runner) apply(order *task.Order, limits cgroup.Limits) {
	r.applied = &limits
	r.meter.share = limits.CPU
	r.cpu, r.cpus = r.agent.config.CPUs[order.Processor], limits.CPUs
	if last := r.meter.last; last != nil { // what was stolen from one processor is not to be compared with another's
		last.stolen, last.processors, last.idle = r.agent.steal.of(r.cpu), len(r.cpus), r.agent.steal.idle(r.cpus)
	}
}

// keepFrozen freezes again what somebody else has thawed: in a tree that two
// processes have open, each knows only what it did itself.
func (r *runner) keepFrozen() {
	if r.applied.CPU > 0 || r.group.Frozen() {
		return
	}
	if procs, err := r.group.Procs(); err != nil || len(procs) == 0 {
		return // between two elements of an array there is nothing to freeze
	}
	r.held = true
	if err := r.group.Freeze(); err != nil {
		r.agent.log.Error("not frozen", "task", r.key, "error", err)
	}
}

// use looks at the processor time that the task has used, and at nothing else.
func (r *runner) use() {
	if r.phase != tended || r.group == nil {
		return
	}
	if used, err := r.group.Used(); err == nil {
		r.update(func(s *task.Status) { s.CPUUS = max(s.CPUUS, used.Microseconds()) })
	}
}

// sample looks at what the task has used, and counts what it declined.
func (r *runner) sample() {
	if r.phase != tended || r.group == nil {
		return
	}
	began := r.agent.machine.Awake()
	usage, err := r.group.Usage()
	if err != nil {
		return // the shepherd has ended, or will
	}
	if usage.Procs == 0 { // it has ended, and that is being written down: there is nobody to decline anything
		r.meter.pause()
		r.update(func(s *task.Status) { s.CPUUS = max(s.CPUUS, usage.CPU.Microseconds()) })
		return
	}
	r.meter.read(r.reading(began, usage))
	_ = r.meter.save(r.folder.meter()) // the next one may succeed; little is lost
	r.update(func(s *task.Status) {
		s.CPUUS = max(s.CPUUS, usage.CPU.Microseconds())
		s.PeakBytes = max(s.PeakBytes, usage.PeakMemory)
		s.DeclinedUS = r.meter.declined.Microseconds()
	})
}

// reading is a look at the task that was begun at some time.
func (r *runner) reading(began time.Duration, usage cgroup.Usage) reading {
	return reading{
		at: began, done: r.agent.machine.Awake(), stolen: r.agent.steal.of(r.cpu), usage: usage,
		processors: len(r.cpus), idle: r.agent.steal.idle(r.cpus),
	}
}

// closeMeter counts what the task declined since the last look at a program that has
// ended, at, and of what the shepherd has seen used: without it, who always ends within
// a second of sleep sleeps for nothing. Before a process was its user's, nothing was
// declined.
func (r *runner) closeMeter(at time.Duration, usedUS int64) {
	if r.group == nil || at == 0 || !r.entry.some || r.meter.open == nil {
		return
	}
	usage, err := r.group.Usage()
	if err != nil {
		return
	}
	usage.CPU = max(usage.CPU, time.Duration(usedUS)*time.Microsecond)
	r.agent.steal.renew()
	r.meter.close(at, r.reading(r.agent.machine.Awake(), usage))
	_ = r.meter.save(r.folder.meter()) // it may succeed with the next one's; little is lost
}
