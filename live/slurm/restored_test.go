package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/model"
)

// An old backup is restored, and the number of a job that is lost with what came after is
// given to another while the first is still in Slurm, held or at work: the second runs, and
// is not taken for the first.
func TestAJobOfARestoredMarketIsAnother(t *testing.T) {
	for name, held := range map[string]bool{"held": true, "at work": false} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				if held {
					th.cutAgents()
				}
				th.born(1000)
				th.market.submit(1, 1, model.Program{Takes: 20 * time.Second, Exit: 3}, false)
				time.Sleep(4 * time.Second)
				if n := th.slurm.Count(); n != 1 {
					t.Fatalf("%d jobs in Slurm", n)
				}
				th.notes.mu.Lock()
				for key, n := range th.notes.notes {
					if n.Kind == kindRun {
						delete(th.notes.notes, key)
					}
				}
				th.notes.mu.Unlock()
				th.born(2000)
				th.market.submit(1, 1, model.Program{Takes: 5 * time.Second, Exit: 4}, false)
				th.restart(time.Second)
				th.uncut()
				time.Sleep(2 * time.Minute)
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != 4 || s.Signal != "" || s.Attempt != 0 {
					t.Errorf("%s ended as %s %d %s: %s", s.Key, s.State, s.Exit, s.Signal, s.Error)
				}
			})
		})
	}
}

// born says when the next job is submitted to the market.
func (th *theater) born(us int64) {
	th.market.mu.Lock()
	defer th.market.mu.Unlock()
	th.market.born = us
}
