package cluster_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Who is past its deadline, and not measured yet, has what was kept for it and takes
// nothing from its neighbour; one that was measured to have work left needs all it can
// get.
func TestPresumedWorkTakesNothingFromOthers(t *testing.T) {
	for _, replan := range []string{"cluster", "touched"} {
		c := open(t, 1, "libra", map[string]string{"replan": replan})
		step(t, c, 0, submitted(job(0, 0, 5, 10)), submitted(job(1, 0, 10, 20)))
		speeds := func(e market.Event) (over, other float64) {
			step(t, c, 10, e)
			first, _ := c.Status(0, 10)
			second, _ := c.Status(1, 10)
			return first.Speed, second.Speed
		}
		if over, other := speeds(market.Event{Kind: market.Used, Job: 0, Proc: market.AllTasks, Work: 4.5, Presumed: true}); !near(over, 0.5) || !near(other, 0.5) {
			t.Errorf("%s: presumed, it has %v and its neighbour %v", replan, over, other)
		}
		if over, other := speeds(market.Event{Kind: market.Used, Job: 0, Proc: market.AllTasks, Work: 4.5}); !near(over, 2.0/3) || !near(other, 1.0/3) {
			t.Errorf("%s: measured, it has %v and its neighbour %v", replan, over, other)
		}
	}
}
