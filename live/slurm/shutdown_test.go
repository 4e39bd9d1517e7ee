package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// A node is shut down in order, and started again: what ran there begins anew, and was
// not its owner's failure.
func TestANodeThatIsShutDown(t *testing.T) {
	for _, long := range []time.Duration{time.Second, time.Minute} {
		t.Run(long.String(), func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				th.market.submit(1, 1, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
				time.Sleep(20 * time.Second)
				if n := th.slurm.Alive(); n != 1 {
					t.Fatalf("%d processes", n)
				}
				th.market.mu.Lock()
				node := th.market.jobs[1].Nodes[0]
				th.market.mu.Unlock()
				th.slurm.ShutDown(ctx, node, long)
				time.Sleep(5 * time.Minute)
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != 1 {
					t.Errorf("%s ended as %s %d %s: %s", s.Key, s.State, s.Exit, s.Signal, s.Error)
				}
			})
		})
	}
}

// A machine goes down and is back before slurmctld, or anybody, has seen more of a job than
// its start: slurmctld says that it runs, for as long as it lives.
func TestANodeThatIsBackAtOnce(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
		th.market.submit(1, 1, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
		for tries := 0; th.slurm.Alive() == 0; time.Sleep(10 * time.Millisecond) {
			if tries++; tries > 60_000 {
				t.Fatal("it does not begin")
			}
		}
		time.Sleep(2 * time.Second)
		th.market.mu.Lock()
		node := th.market.jobs[1].Nodes[0]
		th.market.mu.Unlock()
		th.slurm.Reset(node)
		time.Sleep(5 * time.Minute)
		if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != 1 {
			t.Errorf("%s ended as %s %d %s: %s", s.Key, s.State, s.Exit, s.Signal, s.Error)
		}
	})
}

// Whether a job was ended with its machine.
func TestWhoWasShutDown(t *testing.T) {
	const end = 120 // of the job, which began ten seconds before
	before, after := client.Node{Up: true, Slurmd: end - 1000}, client.Node{Up: true, Slurmd: end + 5}
	for name, c := range map[string]struct {
		exit, signal int
		n2           client.Node
		want         bool
	}{
		"a program that fails":                   {1, 0, after, false},
		"one that crashes":                       {0, 11, after, false},
		"killed, and all is as it was":           {0, 9, before, false},
		"killed soon after the node was started": {0, 9, client.Node{Up: true, Slurmd: end - 11}, false},
		"killed, and the node was started anew":  {0, 9, after, true},
		"asked to end, and the node is down":     {0, 15, client.Node{}, true},
		"a shell whose program was asked to end": {143, 0, after, true},
		"a shell whose program was killed":       {137, 0, after, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := aRun()
			r.state, r.job = running, over(client.Failed)
			r.job.Exit, r.job.Signal = c.exit, c.signal
			n1 := before
			n1.Name, c.n2.Name = "n1", "n2"
			if got := r.struckDown() && r.shutDown([]client.Node{n1, c.n2}) != ""; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
