package cgroup

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// waitFor polls for what another process does in its own time.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(3 * time.Minute); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func procs(t testing.TB, g Group) []int {
	t.Helper()
	pids, err := g.Procs()
	must(t, err)
	return pids
}

func killAll(t *testing.T, g Group) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	before := procs(t, g)
	began := time.Now()
	must(t, g.Kill(ctx))
	t.Logf("killed %d processes in %v", len(before), time.Since(began).Round(100*time.Microsecond))
	for _, pid := range before {
		if alive(pid) {
			t.Errorf("process %d is still alive", pid)
		}
	}
	if left := procs(t, g); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// testKillScattered: daemons, each in its own session, whose parents are gone.
func testKillScattered(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	start(t, g, "scatter", 4)
	waitFor(t, "16 daemons and the first process", func() bool {
		// On the way there may be as many for a moment, with parents about to end.
		before := procs(t, g)
		time.Sleep(200 * time.Millisecond)
		return len(before) == 17 && slices.Equal(procs(t, g), before)
	})
	if n := usage(t, g).Procs; n != 17 {
		t.Errorf("usage says %d processes, want 17", n)
	}
	killAll(t, g)
}

func testKillBomb(t *testing.T, w world) {
	tree := openTree(t, w)
	if missing(tree, "pids") {
		t.Skip("a bomb without a limit would take the host along")
	}
	// A hundredth of a processor must not make its end slow.
	for _, cpu := range []float64{0.5, 0.01} {
		g, err := tree.Make("job", Limits{CPU: 0.5, Pids: 200})
		must(t, err)
		start(t, g, "bomb", 0)
		waitFor(t, "the bomb to have gone off", func() bool { return len(procs(t, g)) > 150 })
		must(t, g.Set(Limits{CPU: cpu, Pids: 200}))
		killAll(t, g)
		must(t, g.Remove())
	}
}

// testKillInTime: what cannot be done in time is said, and can be tried again.
func testKillInTime(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	must(t, g.Kill(t.Context())) // of nobody
	start(t, g, "busy", 1)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Kill(over); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("kill with no time: %v", err)
	}
	must(t, g.Kill(t.Context()))
	// Limits hold for whoever enters next.
	p := start(t, g, "busy", 1)
	time.Sleep(settling)
	if got := rates(t, time.Second, g)[0]; got > 0.8 {
		t.Errorf("used %.2f of a processor after the kill, at a share of .5", got)
	}
	must(t, g.Freeze())
	must(t, g.Kill(t.Context()))
	p.end()
}

func testSignal(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	a, b := start(t, g, "sleep", 0), start(t, g, "sleep", 0)
	must(t, g.Signal(syscall.SIGTERM))
	for _, p := range []*process{a, b} {
		p.end()
		if s, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGTERM {
			t.Errorf("ended with %v, want SIGTERM", p.ProcessState)
		}
	}
	must(t, g.Signal(syscall.SIGTERM)) // to nobody
}

func testPids(t *testing.T, w world) {
	tree := openTree(t, w)
	if missing(tree, "pids") {
		if _, err := tree.Make("job", Limits{CPU: 0.5, Pids: 20}); !errors.Is(err, ErrMissing) {
			t.Errorf("a limit that cannot be kept: %v, want %v", err, ErrMissing)
		}
		return
	}
	g, err := tree.Make("job", Limits{CPU: 0.5, Pids: 40})
	must(t, err)
	start(t, g, "bomb", 0)
	waitFor(t, "the bomb to have gone off", func() bool { return len(procs(t, g)) > 20 })
	time.Sleep(200 * time.Millisecond)
	if n := len(procs(t, g)); n > 40 {
		t.Errorf("%d processes, want 40 at most", n)
	}
	killAll(t, g)
}

func testAdopt(t *testing.T, w world) {
	tree := openTree(t, w)
	a, err := tree.Make("a", Limits{CPU: 0.5})
	must(t, err)
	b, err := tree.Make("b", Limits{CPU: 0.5})
	must(t, err)
	p := start(t, a, "busy", 1)
	pid := p.Process.Pid
	must(t, a.Adopt(pid)) // once more
	must(t, b.Adopt(pid))
	if len(procs(t, a)) != 0 || !slices.Equal(procs(t, b), []int{pid}) {
		t.Errorf("in a %v, in b %v, want process %d in b", procs(t, a), procs(t, b), pid)
	}
	before := usage(t, a).CPU
	runs(t, b)
	if usage(t, a).CPU != before {
		t.Errorf("its time is still counted for a")
	}
	must(t, b.Kill(t.Context()))
	p.end()
	if err := b.Adopt(pid); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("adopted a process that has ended: %v", err)
	}
}

// testRestart: groups are found again by whoever opens the tree next.
func testRestart(t *testing.T, w world) {
	name := treeName()
	first, err := Open(name, Options{Kind: w.kind})
	must(t, err)
	g, err := first.Make("job", Limits{CPU: 0.2, CPUs: []int{onlyCPU(t)}})
	must(t, err)
	start(t, g, "busy", 1)
	pids := procs(t, g)
	time.Sleep(500 * time.Millisecond)
	used := usage(t, g).CPU
	must(t, g.Freeze())
	must(t, first.Close())

	second, err := Open(name, Options{Kind: w.kind})
	must(t, err)
	t.Cleanup(func() { clean(t, second) })
	names, err := second.List()
	must(t, err)
	if !slices.Equal(names, []string{"job"}) {
		t.Fatalf("found %v, want job", names)
	}
	found, ok := second.Find("job")
	if !ok || !slices.Equal(procs(t, found), pids) {
		t.Fatalf("found %v with %v, want %v", ok, procs(t, found), pids)
	}
	if !found.Frozen() {
		t.Error("opening the tree has thawed the group")
	}
	if now := usage(t, found).CPU; now < used-used/10 {
		t.Errorf("used %v after the restart, and %v before", now, used)
	}
	favour(t, second)
	made, err := second.Make("job", Limits{CPU: 0.3, CPUs: []int{onlyCPU(t)}})
	must(t, err)
	if made.Frozen() {
		t.Error("a share does not thaw what was frozen before the restart")
	}
	hold(t, w, "after a restart", []float64{0.3}, made)
}

func testFindAndList(t *testing.T, w world) {
	tree := openTree(t, w)
	if tree.Kind() != w.kind {
		t.Errorf("kind %q, want %q", tree.Kind(), w.kind)
	}
	if names, err := tree.List(); err != nil || len(names) > 0 {
		t.Errorf("a new tree has %v %v", names, err)
	}
	if _, ok := tree.Find("b"); ok {
		t.Error("found what was not made")
	}
	for _, n := range []string{"b", "a", "b"} {
		g, err := tree.Make(n, Limits{CPU: 0.5})
		must(t, err)
		if g.Name() != n {
			t.Errorf("made %q, is %q", n, g.Name())
		}
	}
	names, err := tree.List()
	must(t, err)
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("listed %v, want a b", names)
	}
	a, ok := tree.Find("a")
	if !ok {
		t.Fatal("did not find what was made")
	}
	must(t, a.Remove())
	if _, ok := tree.Find("a"); ok {
		t.Error("found what was removed")
	}
}

func testCapacity(t *testing.T, w world) {
	tree := openTree(t, w)
	must(t, tree.SetCapacity(0.5))
	if _, err := tree.Make("job", Limits{CPU: 0.6}); !errors.Is(err, ErrCapacity) {
		t.Errorf("a group above its tree: %v", err)
	}
	if names, err := tree.List(); err != nil || len(names) > 0 {
		t.Errorf("what was refused is there: %v %v", names, err)
	}
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	if err := g.Set(Limits{CPU: 0.6}); !errors.Is(err, ErrCapacity) {
		t.Errorf("a group above its tree: %v", err)
	}
	if err := tree.SetCapacity(0.4); !errors.Is(err, ErrCapacity) {
		t.Errorf("a tree below its group: %v", err)
	}
	must(t, g.Set(Limits{CPU: 0.4}))
	must(t, tree.SetCapacity(0.4))
	must(t, tree.SetCapacity(-1))
	must(t, g.Set(Limits{CPU: 0.6}))
	must(t, g.Set(Limits{CPU: -1}))
	must(t, tree.SetCapacity(0.4)) // a group without a limit has that of the tree
}

func testRefusals(t *testing.T, w world) {
	tree := openTree(t, w)
	for _, name := range []string{"", ".", "..", "a/b", "a\nb"} {
		if _, err := tree.Make(name, Limits{CPU: 0.5}); !errors.Is(err, ErrName) {
			t.Errorf("name %q: %v, want %v", name, err, ErrName)
		}
		if _, ok := tree.Find(name); ok {
			t.Errorf("found %q", name)
		}
	}
	if w.kind != Signals {
		if _, err := tree.Make("cgroup.procs", Limits{CPU: 0.5}); !errors.Is(err, ErrName) {
			t.Errorf("name of a file: %v, want %v", err, ErrName)
		}
	}
	for _, l := range wrongLimits {
		if _, err := tree.Make("job", l); !errors.Is(err, ErrLimits) {
			t.Errorf("limits %+v: %v, want %v", l, err, ErrLimits)
		}
	}
	if err := tree.SetCapacity(0); !errors.Is(err, ErrLimits) {
		t.Errorf("capacity 0: %v", err)
	}
	if err := tree.SetWeight(-1); !errors.Is(err, ErrLimits) {
		t.Errorf("weight -1: %v", err)
	}
}

func testRemoveBusy(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	start(t, g, "sleep", 0)
	if err := g.Remove(); !errors.Is(err, unix.EBUSY) {
		t.Errorf("removed a group with a process: %v", err)
	}
	if _, ok := tree.Find("job"); !ok {
		t.Error("the group is gone")
	}
}
