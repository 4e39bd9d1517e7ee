package cgroup

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// crowd makes groups a, b, c with a busy process each, all on one processor.
func crowd(t *testing.T, tree Tree, limits ...Limits) []Group {
	t.Helper()
	groups := make([]Group, len(limits))
	for i, l := range limits {
		l.CPUs = []int{onlyCPU(t)}
		g, err := tree.Make(string(rune('a'+i)), l)
		must(t, err)
		start(t, g, "busy", 1)
		groups[i] = g
	}
	return groups
}

func testShares(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	const capacity = 0.8
	must(t, tree.SetCapacity(capacity))
	want := []float64{0.5 * capacity, 0.3 * capacity, 0.2 * capacity}
	var limits []Limits
	for _, s := range want {
		limits = append(limits, Limits{CPU: s, Weight: s})
	}
	groups := crowd(t, tree, limits...)
	hold(t, w, "shares .5 .3 .2", want, groups...)

	slices.Reverse(want)
	for i, g := range groups {
		must(t, g.Set(Limits{CPU: want[i], Weight: want[i], CPUs: []int{onlyCPU(t)}}))
	}
	hold(t, w, "shared anew .2 .3 .5", want, groups...)
}

// testThreads: a quota is over all processors.
func testThreads(t *testing.T, w world) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor only")
	}
	tree := openTree(t, w)
	favour(t, tree)
	g, err := tree.Make("job", Limits{CPU: 0.6})
	must(t, err)
	start(t, g, "busy", 2)
	hold(t, w, "two threads at .6", []float64{0.6}, g)
}

func testWeights(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	if w.kind == Signals {
		must(t, tree.SetCapacity(0.8)) // without it, weights mean nothing to them
	}
	groups := crowd(t, tree, Limits{CPU: -1, Weight: 1}, Limits{CPU: -1, Weight: 3}, Limits{CPU: -1, Weight: 4})
	time.Sleep(time.Second) // the kernel weighs by the load it has seen lately
	weigh(t, w, "weights 1 3 4", []float64{0.125, 0.375, 0.5}, groups...)
	// What one leaves goes to the others in proportion.
	must(t, groups[2].Freeze())
	weigh(t, w, "weights 1 3, the third frozen", []float64{0.25, 0.75}, groups[:2]...)
	must(t, groups[2].Thaw())
	must(t, groups[2].Set(Limits{CPU: 0.1, Weight: 4, CPUs: []int{onlyCPU(t)}}))
	measure(t, w, "the third at .1", groups, func(got []float64) error {
		return errors.Join(compare(t, "weights 1 3, the third at .1", parts(got[:2]), []float64{0.25, 0.75}, w.weight),
			compare(t, "the third at .1", got[2:], []float64{0.1}, w.share))
	})
}

// testLeastShare: less than the kernel can do is rounded up, not lost.
func testLeastShare(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	g, err := tree.Make("job", Limits{CPU: 0.0001, CPUs: []int{onlyCPU(t)}})
	must(t, err)
	start(t, g, "busy", 1)
	measure(t, w, "the least share", []Group{g}, func(got []float64) error {
		t.Logf("asked for .0001, got %.4f", got[0])
		if got[0] < 0.008 || got[0] > 0.03 {
			return fmt.Errorf("%w: %.4f of a processor, want about .01", errShare, got[0])
		}
		return nil
	})
}

func testFreeze(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	start(t, g, "busy", 1)
	must(t, g.Freeze())
	if !g.Frozen() {
		t.Error("frozen, and does not say so")
	}
	if used := idle(t, g); used != 0 {
		t.Errorf("frozen, and used %v", used)
	}
	must(t, g.Thaw())
	if g.Frozen() {
		t.Error("thawed, and does not say so")
	}
	runs(t, g)
	// A share of nothing is the same.
	must(t, g.Set(Limits{CPU: 0}))
	if used := idle(t, g); used != 0 || !g.Frozen() {
		t.Errorf("with a share of 0: used %v, frozen %v", used, g.Frozen())
	}
	must(t, g.Set(Limits{CPU: 0.5}))
	if g.Frozen() {
		t.Error("with a share again, and frozen")
	}
	runs(t, g)
}

// runs waits until the group uses processor time.
func runs(t *testing.T, g Group) {
	t.Helper()
	before := usage(t, g).CPU
	waitFor(t, "the group to run", func() bool { return usage(t, g).CPU > before+50*time.Millisecond })
}

// testFreezeHolds: who shares anew does not know what is suspended.
func testFreezeHolds(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	start(t, g, "busy", 1)
	must(t, g.Freeze())
	must(t, g.Set(Limits{CPU: 0.3}))
	must(t, g.Set(Limits{CPU: 0}))
	must(t, g.Set(Limits{CPU: 0.4}))
	if !g.Frozen() {
		t.Error("setting a share has thawed the group")
	}
	must(t, g.Set(Limits{CPU: 0}))
	must(t, g.Thaw())
	if !g.Frozen() {
		t.Error("a share of 0 does not hold")
	}
	must(t, g.Set(Limits{CPU: 0.4}))
	if g.Frozen() {
		t.Error("frozen with a share, after the thaw")
	}
}

// testStartedFrozen: a process that enters a frozen group does nothing until
// the thaw, and can be killed before.
func testStartedFrozen(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	first := start(t, g, "busy", 1)
	must(t, g.Set(Limits{CPU: 0}))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must(t, g.Kill(ctx))
	first.end()
	if !g.Frozen() {
		t.Error("not frozen any more after the kill, with a share of 0")
	}
	if w.kind == Signals {
		return // here a process is adopted from outside, after it has started
	}
	pid := startDetached(t, g)
	waitFor(t, "the process to be in", func() bool { p, err := g.Procs(); return err == nil && slices.Contains(p, pid) })
	must(t, g.Kill(ctx))
}

func testWaited(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	groups := crowd(t, tree, Limits{CPU: -1}, Limits{CPU: -1})
	began := time.Now()
	before := []Usage{usage(t, groups[0]), usage(t, groups[1])}
	last := before[0].Waited
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		now := usage(t, groups[0]).Waited
		if now < last {
			t.Fatalf("waited %v, and before that %v", now, last)
		}
		last = now
	}
	for i, g := range groups {
		waited, took := usage(t, g).Waited-before[i].Waited, time.Since(began)
		// Two on one processor: each waits while the other runs.
		if waited < took/4 || waited > 2*took {
			t.Errorf("group %d waited %v in %v beside another", i, waited, took)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must(t, groups[0].Kill(ctx))
	if now := usage(t, groups[0]).Waited; now < last {
		t.Errorf("waited %v after the end, and before it %v", now, last)
	}
}

// testWaitedAlone: nobody is in its way but its own quota.
func testWaitedAlone(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	g, err := tree.Make("job", Limits{CPU: 0.3, CPUs: []int{onlyCPU(t)}})
	must(t, err)
	start(t, g, "busy", 1)
	most := time.Duration(0)
	for range 10 { // others may be in the way, now and then
		before := usage(t, g)
		time.Sleep(time.Second)
		after := usage(t, g)
		// Kernels differ in whether the first is part of the second; see Usage.
		t.Logf("in a second at .3: throttled for %v, waited %v", after.Throttled-before.Throttled, after.Waited-before.Waited)
		if most = max(most, after.Throttled-before.Throttled); most >= 300*time.Millisecond {
			return
		}
	}
	t.Errorf("throttled for %v at most", most)
}

func testPinned(t *testing.T, w world) {
	tree := openTree(t, w)
	all := ownCPUs(t, 0)
	only := []int{onlyCPU(t)}
	g, err := tree.Make("job", Limits{CPU: 0.3, CPUs: only})
	must(t, err)
	p := start(t, g, "busy", 2)
	if got := ownCPUs(t, p.Process.Pid); !slices.Equal(got, only) {
		t.Errorf("may run on %v, want %v", got, only)
	}
	must(t, g.Set(Limits{CPU: 0.3}))
	if got := ownCPUs(t, p.Process.Pid); !slices.Equal(got, all) {
		t.Errorf("may run on %v, want %v", got, all)
	}
	must(t, g.Set(Limits{CPU: 0.3, CPUs: all[:1]}))
	for _, tid := range threadsOf(p.Process.Pid) {
		if got := ownCPUs(t, tid); !slices.Equal(got, all[:1]) {
			t.Errorf("thread %d may run on %v, want %v", tid, got, all[:1])
		}
	}
	if err := g.Set(Limits{CPU: 0.3, CPUs: []int{900}}); err == nil {
		t.Error("pinned to a processor that does not exist")
	}
}
