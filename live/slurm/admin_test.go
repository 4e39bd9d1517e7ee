package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// An administrator puts a job back into Slurm's queue, held or not: it is begun again by
// the market, once, and nowhere twice.
func TestARequeuedJobIsBegunAgain(t *testing.T) {
	for name, c := range map[string]struct {
		hold  bool
		after time.Duration // it began
	}{"requeue": {false, 15 * time.Second}, "requeuehold": {true, 15 * time.Second}, "before anybody has seen it run": {false, 0}} {
		t.Run(name, func(t *testing.T) {
			play(t, 5, func(t *testing.T, th *theater, _ context.Context) {
				th.market.submit(1, 1, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
				for tries := 0; th.slurm.Alive() == 0; time.Sleep(time.Millisecond) {
					if tries++; tries > 600_000 {
						t.Fatal("it does not begin")
					}
				}
				time.Sleep(c.after)
				th.slurm.Requeue(1, c.hold)
				most := 0
				for range 600 {
					time.Sleep(500 * time.Millisecond)
					most = max(most, th.slurm.Alive())
				}
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != 1 || most != 1 {
					t.Errorf("%s ended as %s %d %s: %s; %d at a time", s.Key, s.State, s.Exit, s.Signal, s.Error, most)
				}
			})
		})
	}
}

// A job that Slurm has suspended goes on when it is resumed, however long that takes.
func TestASuspendedJobGoesOn(t *testing.T) {
	play(t, 6, func(t *testing.T, th *theater, _ context.Context) {
		th.market.submit(1, 1, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
		time.Sleep(20 * time.Second)
		stands := func(suspended bool) {
			t.Helper()
			th.slurm.Mu.Lock()
			began := th.slurm.Known[1].Started
			th.slurm.Mu.Unlock()
			if s := th.backend.Stands(1, 0); s != (Standing{"1", began * 1e6, suspended}) || th.backend.Suspended(1) != suspended || began == 0 {
				t.Errorf("begun at %d s, suspended %v: it stands as %+v", began, suspended, s)
			}
		}
		stands(false)
		th.slurm.Suspend(1)
		time.Sleep(30 * time.Minute)
		stands(true)
		if open := th.market.open(); len(open) != 1 {
			t.Error("it has ended though it is suspended")
		}
		th.slurm.Resume(1)
		time.Sleep(5 * time.Second)
		stands(false)
		time.Sleep(5 * time.Minute)
		if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != 0 || s.CPUUS > 31e6 {
			t.Errorf("%s ended as %s %d %s: %s, having used %d us", s.Key, s.State, s.Exit, s.Signal, s.Error, s.CPUUS)
		}
	})
}

// Where nobody measures, a job has had its processors for as long as it was not suspended.
func TestSuspendedWithoutAgents(t *testing.T) {
	r := aRun()
	r.state, r.job = running, over(client.Completed)
	r.job.Started, r.job.Ended, r.job.Paused = 100, 160, 45
	r.ends(verdictOf(r.job), noon)
	if got := r.status(0, None).CPUUS; got != 15e6 {
		t.Errorf("it ran for 60 s, suspended for 45 of them: %d us", got)
	}
}

// Who is killed after it had Slurm end a job that was put back, or that had not begun on a node that
// takes no new jobs, still knows why: the job is begun again, and not its user's to pay for.
func TestWhyAJobWasEndedIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		held bool
		what func(f *model.Slurm, node string)
	}{
		"it was put back":            {false, func(f *model.Slurm, _ string) { f.Requeue(1, false) }},
		"and held":                   {false, func(f *model.Slurm, _ string) { f.Requeue(1, true) }},
		"its node takes no new jobs": {true, func(f *model.Slurm, node string) { f.Drains[node] = true }},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 5, func(t *testing.T, th *theater, _ context.Context) {
				if c.held {
					th.cutAgents()
				}
				th.market.submit(1, 1, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
				time.Sleep(10 * time.Second)
				nodes, _ := th.nodesOf(1)
				if !c.held {
					c.what(th.slurm, nodes[0])
				} else {
					th.change(func(f *model.Slurm) { c.what(f, nodes[0]) })
				}
				for tries := 0; ; time.Sleep(time.Millisecond) {
					th.slurm.Mu.Lock()
					over := th.slurm.Known[1].State == client.Cancelled
					th.slurm.Mu.Unlock()
					if over {
						break
					}
					if tries++; tries > 30_000 {
						t.Fatal("it is not ended")
					}
				}
				th.restart(0)
				th.uncut()
				time.Sleep(5 * time.Minute)
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != 1 {
					t.Errorf("%s ended as %s %d %s: %s", s.Key, s.State, s.Exit, s.Signal, s.Error)
				}
			})
		})
	}
}
