package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
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

// When Slurm has ended a job of which something goes on, its agents are told at once: they need not wait
// until the market wants nothing of it any more.
func TestAgentsAreToldThatAJobIsOver(t *testing.T) {
	for name, c := range map[string]struct {
		state client.State
		ended int64 // as its agent says
		told  bool
	}{
		"something goes on":    {client.Completed, 0, true},
		"nothing does":         {client.Completed, noon.UnixMicro(), false},
		"Slurm is still at it": {client.Completing, 0, false},
	} {
		b, r := sweptBackend(t)
		r.ID, r.state, b.byBatch[40] = 40, running, r
		for rank := range r.size {
			r.observe(&task.Status{Key: task.Key{Job: 7, Rank: rank}, State: task.Running, StartedUS: 1, EndedUS: c.ended}, noon)
		}
		n := b.nodes["n1"]
		n.orders = map[task.Key]*task.Spec{{Job: 7}: {}}
		r.observeJob(&client.Job{ID: 40, State: c.state, Started: 1, Ended: 2, Nodes: []string{"n1"}}, noon)
		r.busy = true // whatever is to be done then
		r.infer(&world{now: noon, control: Agents, orders: true})
		before := n.version
		if b.hasEnded(r, noon); (n.version != before) != c.told {
			t.Errorf("%s: told %v", name, n.version != before)
		}
		if over := b.orders(n).Orders[0].Over; over != (c.state == client.Completed) {
			t.Errorf("%s: it is over: %v", name, over)
		}
	}
}
