package agent

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// observe sees whether the job has begun or ended, what it has used (now and then,
// or where asked), and whether it may go on. It reports whether the job has
// processes.
func (h *holder) observe(ctx context.Context, asked bool) (living bool) {
	if h.group == nil {
		return false
	}
	a := h.control.agent
	due := awake()-h.sample >= h.patience()*9/10
	// What has not begun may begin now, without the plugin, and is not held.
	if h.held.StartedUS == 0 || awake()-h.gathered >= sampleEvery*9/10 {
		h.gather()
	}
	procs, err := h.group.Procs()
	if err != nil {
		h.logOnce("processes not listed", err)
		return true // nothing is removed on a guess
	}
	living = len(procs) > 0
	if living && a.lease.out() && len(h.held.Ranks) > 0 {
		h.stop(ctx, len(procs))
		procs, err = h.group.Procs()
		living = err != nil || len(procs) > 0
	}
	if living && h.abandoned() {
		h.killLeft(ctx, len(procs))
		procs, err = h.group.Procs()
		living = err != nil || len(procs) > 0
	}
	switch began, ended := h.held.StartedUS > 0, h.held.EndedUS > 0; {
	case !began && (living || h.used() > 0):
		h.update(func(held *holding) { held.StartedUS = unixMicros() })
		h.measure(living)
		h.save()
		a.reportSoon()
	case began && !living && !ended:
		h.measure(false)
		h.update(func(held *holding) { held.EndedUS = unixMicros() })
		h.save()
		a.reportSoon()
	case began && living && ended: // another step of the job
		h.update(func(held *holding) { held.EndedUS = 0 })
		h.measure(true)
	case living && (due || asked):
		h.measure(true)
		h.save()
	case due || asked:
		h.measure(false)
	}
	return living
}

// gather finds processes of the job that were not put into its group: where the
// plugin is not in use, all of them.
func (h *holder) gather() {
	h.gathered = awake()
	g, ok := h.group.(cgroup.Gatherer)
	if !ok || len(h.held.Ranks) == 0 {
		return
	}
	if several, can := h.group.(cgroup.Assembler); can {
		several.Assemble(h.members())
	}
	found, err := g.Gather()
	a := h.control.agent
	switch {
	case err != nil:
		h.logOnce("processes not held to their share", err)
	case found > 0:
		a.log.Info("processes put under their share: the plugin is not in use", "job", h.id, "processes", found)
	}
}

// members are the elements of an array that run here as jobs of their own.
func (h *holder) members() []string {
	orders, _ := h.wanted()
	if len(orders) == 0 {
		return nil
	}
	return orders[0].Members
}

// stop ends what runs after the lease has run out: the controller will start it
// elsewhere.
func (h *holder) stop(ctx context.Context, processes int) {
	a := h.control.agent
	a.log.Warn("the lease ran out: processes are killed", "job", h.id, "processes", processes)
	// Written down first: an agent that is killed now must not take it for an
	// end like any other.
	h.update(func(held *holding) { held.LeaseRanOut = true })
	h.save()
	ctx, cancel := context.WithTimeout(ctx, shepherdTime)
	defer cancel()
	if err := h.group.Kill(ctx); err != nil {
		a.log.Error("group not empty", "job", h.id, "error", err)
	}
}

// abandoned reports whether the batch system has lost sight of the job.
func (h *holder) abandoned() bool {
	orders, _ := h.wanted()
	for i := range orders {
		if orders[i].Stop == task.Abandon {
			return len(h.held.Ranks) > 0
		}
	}
	return false
}

// killLeft ends what the batch system will not end: the job is to begin anew
// elsewhere, and must not run twice.
func (h *holder) killLeft(ctx context.Context, processes int) {
	a := h.control.agent
	a.log.Warn("the batch system has lost sight of a job: its processes are killed", "job", h.id, "processes", processes)
	ctx, cancel := context.WithTimeout(ctx, shepherdTime)
	defer cancel()
	if err := h.group.Kill(ctx); err != nil {
		a.log.Error("group not empty", "job", h.id, "error", err)
	}
}

// used is what the group has used since it became this job's, counted or not: a
// job may begin and end while nobody looks.
func (h *holder) used() time.Duration {
	counted := h.held.Ranks.used()
	usage, err := h.group.Usage()
	if err != nil {
		return counted
	}
	return counted + h.held.since(usage.CPU)
}

// measure divides what was used since the last time, and what was declined if
// the job runs: what it does not have when it has ended, or is suspended by the batch
// system, nobody offered.
func (h *holder) measure(runs bool) {
	h.sample = awake()
	if h.group == nil || len(h.held.Ranks) == 0 {
		return // counted when it is known whose it is
	}
	looked := awake()
	usage, err := h.group.Usage()
	if err != nil {
		return // gone, or at the next look
	}
	declined := time.Duration(0)
	if runs && h.held.StartedUS > 0 && h.held.EndedUS == 0 && !h.group.Frozen() {
		before := h.meter.declined
		h.meter.read(h.control.agent.overall(reading{at: looked, done: awake(), usage: usage}))
		declined = h.meter.declined - before
	} else {
		h.meter.last = nil
	}
	h.update(func(held *holding) {
		held.Ranks.add(held.since(usage.CPU), declined)
		held.CounterNS = int64(usage.CPU)
	})
}

// overall adds to a reading of a job what the processors of the node did for nobody:
// the batch system decides which of them a job runs on. What the host has taken counts
// by the average, what others had as if it had been in the way of this job. Where all
// jobs together may have less than the processors, these idle though jobs wait.
func (a *Agent) overall(r reading) reading {
	cpus := a.config.CPUs
	for _, cpu := range cpus {
		r.stolen += a.steal.of(cpu)
	}
	r.stolen /= time.Duration(len(cpus))
	if a.config.Capacity == 0 {
		r.processors, r.idle = len(cpus), a.steal.idle(cpus)
	}
	return r
}
