package agent

import (
	"time"

	"github.com/libra-market/libra/live/agent/cgroup"
)

// unwantedFor is how long a job must have been nobody's before what is left of it is ended. A market
// that was just started may not have said yet what it wants.
const unwantedFor = 700 * time.Millisecond

// over reports whether the controller has said that the batch system has ended the job.
func (h *holder) over() bool {
	orders, _ := h.wanted()
	return len(orders) > 0 && orders[0].Over
}

// leaves reports whether something goes on of a job that nobody wants any more, and ends it once the
// batch system does not look after the job here either: it has ended there, and what goes on is neither
// paid for nor promised to anybody.
func (h *holder) leaves() bool {
	g, can := h.group.(cgroup.Sweeper)
	if !can {
		return false
	}
	end := h.over() || awake()-h.unwanted >= unwantedFor
	left, spared, err := g.Sweep(end)
	switch {
	case err != nil:
		h.logOnce("what is left of a job is not ended", err)
		return true
	case left > 0 && !spared && !h.struck: // what waits for a disk or a server stays for as long as that does
		h.struck = true
		h.control.agent.log.Warn("a job has ended, and some of it went on: it is killed", "job", h.id, "processes", left)
	}
	return left > 0
}
