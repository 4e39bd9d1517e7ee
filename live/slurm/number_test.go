package slurm

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
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
