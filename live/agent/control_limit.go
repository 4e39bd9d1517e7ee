package agent

import (
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// limit makes the group have what its tasks together were given. What did not
// succeed is tried again at the next look.
func (h *holder) limit(orders []task.Order) {
	a := h.control.agent
	if !h.held.Ranks.same(orders) {
		h.begin()
	}
	if h.held.LeaseRanOut {
		return // it is over, whatever is wanted
	}
	next := h.held.Ranks.order(orders)
	limits := h.limitsOf(next, h.processorsOf(orders))
	if h.limits != nil && same(*h.limits, limits) && h.held.Ranks.equal(next) {
		return
	}
	h.measure(true) // what was granted until now
	next = h.held.Ranks.order(orders)
	if h.footing == unlimited {
		// Whoever finds the group has to know whose it is.
		h.update(func(held *holding) { held.Ranks, held.GoneUS = next, 0 })
		h.save()
	}
	group, err := h.group, error(nil)
	if h.group == nil || h.limits == nil {
		group, err = a.groups.Make(cgroup.SlurmName(h.id), limits)
	} else {
		err = h.group.Set(limits)
	}
	if err != nil {
		h.limits = nil
		h.fail(err)
		return
	}
	h.group, h.limits, h.tries = group, &limits, 0
	h.meter.share, _ = next.share()
	h.mu.Lock()
	h.held.Ranks, h.held.GoneUS = next, 0
	news := h.footing == unlimited
	h.move(quotaSet)
	h.mu.Unlock()
	h.save()
	if news {
		a.reportSoon()
	}
}

// limitsOf: a group that has nothing keeps the least that the kernel takes.
// Frozen it must never be: Slurm waits for ever for a frozen process to end. It weighs
// what a task of all the processors would, and not what its tasks do together: a job
// can keep all of them on one.
func (h *holder) limitsOf(t tally, processors int) cgroup.Limits {
	share, weight := t.share()
	if capacity := h.control.agent.config.Capacity; capacity > 0 {
		share = min(share, capacity)
	}
	return cgroup.Limits{CPU: max(share, leastShare), Weight: weightOf(weight, share, processors), Processors: processors}
}

// processorsOf is how many processors tasks have at a time. A node may have more than
// its host.
func (h *holder) processorsOf(orders []task.Order) (n int) {
	for i := range orders {
		n += orders[i].Spec.Processors()
	}
	return min(n, len(h.control.agent.config.CPUs))
}

// fail notes that the quota could not be set. A job that has not begun is given
// up; one that runs, runs on as it is.
func (h *holder) fail(err error) {
	h.logOnce("share not set", err)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.footing == limited {
		return
	}
	if h.tries++; h.tries >= makeTries {
		h.move(quotaFailed)
		h.refused = "this node cannot hold it to its share: " + err.Error()
		h.held.EndedUS = unixMicros()
		h.control.agent.reportSoon()
	}
}

// begin makes the holder that of another job of the same number: the batch
// system has crashed, and counts from where it was a while ago.
func (h *holder) begin() {
	h.control.agent.log.Warn("the number of a job has been given out again", "job", h.id, "before", h.held.Ranks[0].Key)
	fresh := holding{Boot: h.held.Boot}
	if h.group != nil {
		procs, err := h.group.Procs()
		if err == nil && len(procs) == 0 && h.group.Remove() == nil {
			h.group = nil
		} else if usage, bad := h.group.Usage(); bad == nil {
			fresh.CounterNS = int64(usage.CPU) // what the one before has used is not the new one's
		}
	}
	h.limits, h.meter, h.tries = nil, meter{}, 0
	h.mu.Lock()
	defer h.mu.Unlock()
	h.move(numberReused)
	h.held, h.refused = fresh, ""
	clear(h.written)
}

// remove ends the holding of a job that nobody wants and that has no processes.
func (h *holder) remove() (gone bool) {
	h.measure(false)
	if h.group != nil {
		if err := h.group.Remove(); err != nil {
			h.logOnce("group not removed", err)
			return false // at the next look
		}
	}
	h.update(func(held *holding) { held.GoneUS, held.CounterNS = unixMicros(), 0 })
	h.save()
	return true
}
