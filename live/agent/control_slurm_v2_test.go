package agent

import (
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// On cgroup v2 the agent sets the quota of Slurm's own group of the job. `make slurm24` runs this in a virtual machine,
// which is slow: what a job uses is measured by slopes.
func TestARealSlurmJobIsHeldOnCgroupV2(t *testing.T) {
	s := newSlurmNode(t, cgroup.V2, slurmtest.Options{})
	order := s.submit(1, 0.2, "trap '' TERM; "+spin)
	s.order(order)
	s.state(t, order.Spec.Key, task.Starting)
	s.command("scontrol", "release", order.Batch)
	s.state(t, order.Spec.Key, task.Running)
	s.slope(order, 0.2)
	s.reorder(order.Spec.Key, func(o *task.Order) { o.CPU = 0.6 })
	s.slope(order, 0.6)

	// Cancelled while it has little, it ends: it is not frozen, and when its own processes are gone Slurm's are not held up.
	s.reorder(order.Spec.Key, func(o *task.Order) { o.CPU = 0.05 })
	s.slope(order, 0.05)
	s.command("scancel", "--signal=KILL", "--full", order.Batch)
	s.ended(order.Batch)
	s.await(t, "its end to be seen", func() bool { return s.last[order.Spec.Key].EndedUS > 0 })
}

// slope waits until what a job uses per second is its share, and says what it last was.
func (s *slurmNode) slope(order task.Order, share float64) {
	s.t.Helper()
	was, began := time.Duration(0), time.Duration(0)
	until(s.t, "the job to use its share", func() bool {
		used, now := s.spent(order.Batch), awake()
		if began > 0 && now-began < 5*time.Second {
			return false
		}
		got := float64(used-was) / float64(now-began)
		known := began > 0
		was, began = used, now
		if known {
			s.t.Logf("used %.3f of a processor, its share is %.2f", got, share)
		}
		return known && got > 0.8*share && got < 1.1*share
	})
}
