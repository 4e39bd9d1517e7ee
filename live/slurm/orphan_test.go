package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/model"
)

// slurmd is away and the agent is there: the job begins anew elsewhere, and never
// runs twice at a time.
func TestAJobThatSlurmLostDoesNotRunTwice(t *testing.T) {
	for _, long := range []time.Duration{5 * time.Second, 45 * time.Second, 20 * time.Minute} {
		t.Run(long.String(), func(t *testing.T) {
			play(t, 3, func(t *testing.T, th *theater, ctx context.Context) {
				th.market.submit(1, 1, model.Program{Takes: 5 * time.Minute}, false)
				time.Sleep(20 * time.Second)
				if n := th.slurm.Alive(); n != 1 {
					t.Fatalf("%d processes", n)
				}
				th.market.mu.Lock()
				node := th.market.jobs[1].Nodes[0]
				th.market.mu.Unlock()
				go th.slurm.Vanish(ctx, node, long)
				most := 0
				for range 200 {
					time.Sleep(500 * time.Millisecond)
					most = max(most, th.slurm.Alive())
				}
				if most != 1 {
					t.Errorf("it ran %d times at a time", most)
				}
				time.Sleep(30 * time.Minute)
				if final := th.market.ending(1); final.State != task.Ended || final.Exit != 0 || final.Attempt == 0 {
					t.Errorf("%s ended as %s %d %s", final.Key, final.State, final.Exit, final.Error)
				}
			})
		})
	}
}
