package slurm

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// slurmctld is killed and has forgotten the last jobs that it was given. They go on on
// their nodes; the next that is handed in gets the number of one of them, and no node
// would begin that.
func TestNoNodeBeginsTwoUnderOneNumber(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		const old, young = 3, 3
		for id := range int64(old) {
			th.market.submit(1+id, 2, model.Program{Takes: 10 * time.Second}, false)
		}
		time.Sleep(4 * time.Second)
		th.slurm.Mu.Lock()
		if len(th.slurm.Procs) != old {
			t.Fatalf("%d of %d run", len(th.slurm.Procs), old)
		}
		th.slurm.Past = th.slurm.Past[:1] // of before they were handed in
		th.slurm.Mu.Unlock()
		th.slurm.Crash(ctx, true)
		for id := range int64(young) {
			th.market.submit(1+old+id, 2, model.Program{Takes: time.Second, Exit: 3}, false)
		}
		time.Sleep(2 * time.Minute)
		for id := range int64(young) {
			if final := th.market.ending(1 + old + id); final.State != task.Ended || final.Exit != 3 || final.Attempt != 0 {
				t.Errorf("%s ended as %s %d: %s", final.Key, final.State, final.Exit, final.Error)
			}
		}
	})
}

// The same where the old ones have ended, and the market was started anew since: it
// knows of none of them any more.
func TestNumbersOutliveTheirRuns(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		const old, young = 3, 3
		time.Sleep(time.Second)
		th.slurm.Mu.Lock()
		before := slices.Clone(th.slurm.Past[:1])
		th.slurm.Mu.Unlock()
		for id := range int64(old) {
			th.market.submit(1+id, 2, model.Program{Takes: time.Second}, false)
		}
		time.Sleep(time.Minute)
		if kept, _ := th.notes.Notes(ctx, kindRun); len(kept) > 0 {
			t.Fatalf("%d notes are kept", len(kept))
		}
		th.restart(time.Second)
		th.slurm.Mu.Lock()
		th.slurm.Past = before
		th.slurm.Mu.Unlock()
		th.slurm.Crash(ctx, true)
		for id := range int64(young) {
			th.market.submit(1+old+id, 2, model.Program{Takes: time.Second, Exit: 3}, false)
		}
		time.Sleep(2 * time.Minute)
		for id := range int64(young) {
			if final := th.market.ending(1 + old + id); final.State != task.Ended || final.Exit != 3 || final.Attempt != 0 {
				t.Errorf("%s ended as %s %d: %s", final.Key, final.State, final.Exit, final.Error)
			}
		}
	})
}

// What is kept of numbers is bounded, also where Slurm begins anew at its greatest.
func TestNumbersAreForgotten(t *testing.T) {
	n := numbers{of: map[int64]runKey{}}
	for id := range int64(5 * keptNumbers) {
		n.spend(1+id, runKey{1 + id, 0})
	}
	for id := range int64(3 * keptNumbers) {
		n.spend(1+id, runKey{1 + id, 1})
	}
	last := int64(3 * keptNumbers)
	if len(n.of) > 2*keptNumbers || !n.spent(last, runKey{1, 0}, 1) || n.spent(last, runKey{last, 1}, 1) || !n.spent(last-keptNumbers, runKey{1, 0}, 1) {
		t.Errorf("%d are kept", len(n.of))
	}
}

// slurmctld is killed and has forgotten a job that it holds for us; a stranger's gets its
// number. Whatever the market wants of the job is not done to the stranger's.
func TestAStrangersJobIsLeftAlone(t *testing.T) {
	for name, wants := range map[string]struct {
		does func(*theater)
		ends task.State
	}{
		"to let it go": {(*theater).uncut, task.Ended},
		"to cancel it": {func(th *theater) { th.market.cancel(1, task.Kill); th.uncut() }, task.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				th.forgetHeld(ctx, 1)
				id, err := th.slurm.Submit(ctx, client.Submission{User: "bob", Comment: "bob's own", Nodes: []string{"n1"}})
				if err != nil || id != 1 {
					t.Fatalf("bob's job is %d: %v", id, err)
				}
				wants.does(th)
				time.Sleep(time.Minute)
				th.slurm.Mu.Lock()
				if j := th.slurm.Known[id]; j.State != client.Pending || !j.Held {
					t.Errorf("bob's job is %+v", j.Job)
				}
				th.slurm.Mu.Unlock()
				if s := th.market.ending(1); s.State != wants.ends || s.Attempt != 0 {
					t.Errorf("%s ended as %s: %s", s.Key, s.State, s.Error)
				}
				_ = th.slurm.Cancel(ctx, id, true) // nobody needs it any more
			})
		})
	}
}

// The same where the number goes to another job of the market's: each begins once, and
// neither is taken for lost.
func TestTwoJobsOfOneNumber(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		th.forgetHeld(ctx, 1)
		th.market.submit(2, 1, model.Program{Takes: 5 * time.Second, Exit: 3}, false)
		time.Sleep(time.Second)
		th.uncut()
		time.Sleep(3 * time.Second)
		th.restart(time.Second) // after what was let go under the number
		time.Sleep(time.Minute)
		for id := range int64(2) {
			if s := th.market.ending(1 + id); s.State != task.Ended || s.Exit != 3 || s.Attempt != 0 {
				t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
			}
		}
	})
}

// forgetHeld hands a job in, which Slurm holds because no agent makes room for it, and
// lets slurmctld forget it.
func (th *theater) forgetHeld(ctx context.Context, id int64) {
	th.cutAgents()
	th.market.submit(id, 1, model.Program{Takes: 5 * time.Second, Exit: 3}, false)
	time.Sleep(2 * time.Second)
	th.slurm.Mu.Lock()
	th.slurm.Past = th.slurm.Past[:1]
	th.slurm.Mu.Unlock()
	th.slurm.Crash(ctx, true)
}

// uncut lets the agents be heard again.
func (th *theater) uncut() {
	for _, a := range th.agents {
		a.mu.Lock()
		a.cut = false
		a.mu.Unlock()
	}
}

// cutAgents lets nobody hear the agents.
func (th *theater) cutAgents() {
	for _, a := range th.agents {
		a.mu.Lock()
		a.cut = true
		a.mu.Unlock()
	}
}
