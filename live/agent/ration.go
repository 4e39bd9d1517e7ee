package agent

import (
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// A task stands still when it has had what was sold to it (task.Order.MostUS): used,
// or declined. Nobody has to be asked for that, so it holds while the controller is
// away, and for the next agent (meterRecord).
//
// Nobody looks more often than it needs: the next look is when the task could come to
// its limit at the earliest. Close to that it gets less and less of a processor, so
// that it cannot pass it while the agent waits for a processor itself.

const (
	// quotaPeriod is in which the kernel counts quotas: within it, a group may have all
	// of one at once.
	quotaPeriod = 100 * time.Millisecond
	// closeBy is how much a task has left, on each of its processors, when it is slowed
	// down: what it has left is then spread over slowTime. An agent that comes late by
	// as much as a period is not too late.
	closeBy  = 40 * time.Millisecond
	slowTime = 200 * time.Millisecond
	slowLook = 50 * time.Millisecond
	// lastBit is what is left to a task that stands still, on each processor: to end
	// takes a little, and to stop too.
	lastBit = 10 * time.Millisecond
	// leadTime is how long before its limit it is reported, so that who can pay is sold
	// more before it stands still; leadPart is what part of all that was sold that is at
	// most. The controller has the same, and the agent must not be the first.
	leadTime = 240 * time.Millisecond
	leadPart = 11
	// shortLook and longLook bound the time between two looks.
	shortLook = 2 * time.Millisecond
	longLook  = 10 * time.Second
)

// ration is what a task gets that has so much left, of a share, on so many
// processors, and when to look again; 0: never.
func ration(left time.Duration, share float64, processors int) (cpu float64, look time.Duration) {
	n := time.Duration(max(1, processors))
	switch {
	case share <= 0:
		return share, 0
	case left <= lastBit*n:
		return 0, 0
	case left <= closeBy*n:
		return slowed(left, share), slowLook
	default:
		return share, earliest(left-closeBy*n, share, n)
	}
}

// slowed is the share of a task that has little left: halved as often as needed. The
// kernel begins a new period with every change, so there should be few.
func slowed(left time.Duration, share float64) float64 {
	for share > left.Seconds()/slowTime.Seconds() && share > leastShare {
		share /= 2
	}
	return max(share, leastShare)
}

// earliest is how long it takes to have so much, at least.
func earliest(left time.Duration, share float64, processors time.Duration) time.Duration {
	quota := time.Duration(float64(left)/share) - 2*quotaPeriod
	return min(longLook, max(shortLook, left/processors, quota))
}

// lead is what is left to a task when it is reported that it has little left.
func lead(most time.Duration, share float64) time.Duration {
	return min(time.Duration(share*float64(leadTime)), most/leadPart)
}

// left is what a task may still have, as of the last look; false: there is no limit.
func (r *runner) left() (time.Duration, bool) {
	status, _ := r.current()
	return r.meter.most - time.Duration(status.CPUUS)*time.Microsecond - r.meter.declined, r.meter.most > 0
}

// within is the share that a task is given, of that in its limits, as far as what was
// sold to it reaches. It is looked at again in time.
func (r *runner) within(order *task.Order, limits cgroup.Limits) float64 {
	r.sold(order)
	left, bound := r.left()
	if !bound {
		return limits.CPU
	}
	cpu, look := ration(left, limits.CPU, order.Spec.Processors())
	warn := lead(r.meter.most, limits.CPU)
	if left > warn && limits.CPU > 0 {
		look = min(look, earliest(left-warn, limits.CPU, time.Duration(order.Spec.Processors())))
	}
	stands := cpu == 0 && limits.CPU > 0 && (r.applied == nil || r.applied.CPU > 0)
	if left <= warn && !r.warned || stands {
		r.low(true)
		r.agent.reportSoon()
	}
	r.lookAgain(look)
	return cpu
}

// sold notes what has been sold to a task, for the next agent too.
func (r *runner) sold(order *task.Order) {
	most := time.Duration(max(0, order.MostUS)) * time.Microsecond
	if most == r.meter.most {
		return
	}
	r.meter.most = most
	r.low(false)
	if r.phase != unclaimed {
		_ = r.meter.save(r.folder.meter()) // the next look tries again
	}
}

// low notes whether a task has little left.
func (r *runner) low(so bool) {
	r.warned = so
	r.update(func(s *task.Status) { s.Low = so })
}

func (r *runner) lookAgain(after time.Duration) {
	if after > 0 && r.ration != nil {
		r.ration.Reset(after)
	}
}

// stayWithin stops a task that an agent before this one has left when it has had
// what was sold to it, before the controller has said a word.
func (r *runner) stayWithin() {
	left, bound := r.left()
	if !bound || r.phase != tended || r.group == nil || r.held {
		return
	}
	if r.meter.last == nil {
		r.sample()
		left, _ = r.left()
	}
	if left > lastBit {
		r.lookAgain(earliest(left, 1, 1))
		return
	}
	r.held = true
	if err := r.group.Freeze(); err != nil {
		r.agent.log.Error("not frozen", "task", r.key, "error", err)
	}
	r.update(func(s *task.Status) { s.State = task.Frozen })
}

// windUp is how to end a task: one that has had all that was sold to it has nothing
// to end by itself with. What it has left until then it has slowly.
func (r *runner) windUp(order *task.Order) task.Stop {
	r.sold(order)
	left, bound := r.left()
	if !bound || order.Stop == task.Kill {
		return order.Stop
	}
	if left <= 0 {
		return task.Kill
	}
	limits, err := r.agent.limitsOf(order)
	if err != nil || r.group == nil {
		return order.Stop
	}
	cpu, look := ration(left, max(limits.CPU, leastShare), order.Spec.Processors())
	limits.Pids = r.pidsOf(limits)
	limits.CPU = max(cpu, leastShare) // it cannot end while it stands still
	if look == 0 {
		look = slowLook
	}
	if r.applied == nil || !same(*r.applied, limits) {
		r.sample()
		if err = r.group.Set(limits); err != nil {
			r.agent.log.Error("limits not changed", "task", r.key, "error", err)
		} else {
			r.apply(order, limits)
		}
	}
	r.lookAgain(look)
	return order.Stop
}
