package cgroup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// world is one kind of tree under test, and how exact it must be.
type world struct {
	kind   string
	share  float64 // largest error of a quota, relative
	weight float64 // of a share by weight
	window time.Duration
}

// TestCgroup is the suite with what the kernel of this host offers. Within 2 % over
// five seconds is what is promised.
func TestCgroup(t *testing.T) {
	w := world{kind: kernelKind(t), share: 0.02, weight: 0.03, window: 5 * time.Second}
	suite(t, w)
}

// TestSignals is the same suite with the fallback.
func TestSignals(t *testing.T) {
	if sheltered(t) {
		return
	}
	suite(t, world{kind: Signals, share: 0.10, weight: 0.10, window: 3 * time.Second})
}

// kernelKind is what the kernel of this host offers us.
func kernelKind(t testing.TB) string {
	t.Helper()
	tree, err := Open(treeName(), Options{})
	must(t, err)
	defer tree.Remove()
	switch kind := tree.Kind(); {
	case kind == Signals:
		lacking(t, "cgroup", "no control group here may be written to")
	case required("cgroup2") && kind != V2:
		t.Fatalf("LIBRA_REQUIRE names cgroup2: here is %s", kind)
	}
	return tree.Kind()
}

var treeNumber atomic.Int64

// treeName is a name that no other test and no other process has.
func treeName() string {
	return fmt.Sprintf("libra-test-%d/node%d", os.Getpid(), treeNumber.Add(1))
}

// openTree opens a tree that is gone after the test, whatever happens.
func openTree(t testing.TB, w world) Tree {
	t.Helper()
	tree, err := Open(treeName(), Options{Kind: w.kind})
	must(t, err)
	t.Cleanup(func() { clean(t, tree) })
	return tree
}

func clean(t testing.TB, tree Tree) {
	t.Helper()
	// The context of the test is over by now.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	names, err := tree.List()
	must(t, err)
	for _, n := range names {
		if g, ok := tree.Find(n); ok {
			must(t, g.Kill(ctx))
		}
	}
	must(t, tree.Remove())
}

func missing(tree Tree, what string) bool { return slices.Contains(tree.Missing(), what) }

func suite(t *testing.T, w world) {
	tests := []struct {
		name string
		run  func(*testing.T, world)
	}{
		{"Shares", testShares},
		{"Threads", testThreads},
		{"Weights", testWeights},
		{"LeastShare", testLeastShare},
		{"Freeze", testFreeze},
		{"FreezeHolds", testFreezeHolds},
		{"KillScattered", testKillScattered},
		{"KillBomb", testKillBomb},
		{"KillInTime", testKillInTime},
		{"Signal", testSignal},
		{"Pids", testPids},
		{"Memory", testMemory},
		{"Peak", testPeak},
		{"UsageAfterEnd", testUsageAfterEnd},
		{"UsageOfChildren", testUsageOfChildren},
		{"Waited", testWaited},
		{"WaitedAlone", testWaitedAlone},
		{"WaitedHerd", testWaitedHerd},
		{"WaitedCrowd", testWaitedCrowd},
		{"WaitedThrong", testWaitedThrong},
		{"Pinned", testPinned},
		{"Adopt", testAdopt},
		{"Restart", testRestart},
		{"FindAndList", testFindAndList},
		{"Capacity", testCapacity},
		{"Refusals", testRefusals},
		{"RemoveBusy", testRemoveBusy},
		{"StartedFrozen", testStartedFrozen},
	}
	alone(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, w) })
	}
}

// alone waits until no other process runs this suite: two of them would claim
// the same processor with the same weight.
func alone(t *testing.T) {
	t.Helper()
	name := filepath.Join(os.TempDir(), "libra-cgroup-suite.lock")
	lock, err := os.Open(name)
	if os.IsNotExist(err) {
		lock, err = os.OpenFile(name, os.O_CREATE, 0o644)
	}
	must(t, err)
	t.Cleanup(func() { lock.Close() })
	must(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
}

// onlyCPU is the processor that tests crowd on: the last one that this process
// may use.
func onlyCPU(t testing.TB) int {
	t.Helper()
	all := ownCPUs(t, 0)
	return all[len(all)-1]
}

// ownCPUs lists the processors that a process may run on.
func ownCPUs(t testing.TB, pid int) []int {
	t.Helper()
	var set unix.CPUSet
	must(t, unix.SchedGetaffinity(pid, &set))
	var cpus []int
	for c := range 1024 {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus
}

// favour raises the weight of the tree while the test measures, so that what
// else runs on the host does not count.
func favour(t testing.TB, tree Tree) {
	t.Helper()
	if missing(tree, "weight") {
		return
	}
	must(t, tree.SetWeight(100))
	t.Cleanup(func() { must(t, tree.SetWeight(1)) })
}

func usage(t testing.TB, g Group) Usage {
	t.Helper()
	u, err := g.Usage()
	must(t, err)
	return u
}
