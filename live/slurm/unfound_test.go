package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/model"
)

// A slurmctld that has just come says of every node that it is down, goes away, and says
// so once more when it is back: no node is lost by that, and no job. One that stays down
// is lost.
func TestNodesThatASlurmctldHasNotFoundYet(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		th.market.submit(1, 1, model.Program{Takes: 2 * time.Minute, Exit: 3}, false)
		time.Sleep(20 * time.Second)
		th.slurm.Unfound(true)
		time.Sleep(3 * time.Second)
		th.slurm.CrashFor(ctx, 30*time.Second)
		time.Sleep(3 * time.Second)
		th.slurm.Unfound(false)
		time.Sleep(3 * time.Minute)
		if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != 0 {
			t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
		}
		if n := th.market.losses(); n != 0 {
			t.Errorf("%d nodes were lost", n)
		}
		th.slurm.Unfound(true)
		time.Sleep(time.Minute)
		if th.market.losses() == 0 {
			t.Error("no node was lost in a minute")
		}
		th.slurm.Unfound(false)
	})
}
