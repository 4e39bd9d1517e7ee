package controller

import (
	"slices"
	"testing"
	"time"
)

// What a silent node ran must have ended there before it begins elsewhere: it is
// given up later than its lease ends, by what a shepherd may look late and two
// clocks may run apart. Kills the mutant whose patience is no longer than the
// lease.
func TestPatienceOutlastsTheLease(t *testing.T) {
	const seen = int64(1_700_000_000_000_000)
	for _, lease := range []time.Duration{time.Second, 30 * time.Second, 10 * time.Minute} {
		f := newFleet(&Controller{cfg: Config{Lease: lease}})
		f.nodes["n1"] = &member{seen: seen}
		silent := func(d time.Duration) bool {
			f.looked = seen + d.Microseconds()
			return slices.Contains(f.silent([]string{"n1"}, seen+d.Microseconds()), "n1")
		}
		slack := time.Second + lease/20 // a look at the lease every second, clocks that differ by a twentieth
		if silent(lease + slack) {
			t.Errorf("lease %s: given up after %s, while it may still run there", lease, lease+slack)
		}
		if !silent(2*lease + time.Minute) {
			t.Errorf("lease %s: never given up", lease)
		}
	}
	f := newFleet(&Controller{cfg: Config{Lease: time.Second}})
	f.looked, f.nodes["n1"] = seen, &member{seen: seen}
	if lost := f.silent([]string{"n1"}, seen+time.Hour.Microseconds()); len(lost) > 0 {
		t.Errorf("%v are given up by a market that was stopped itself", lost)
	}
	if lost := f.silent([]string{"n1"}, seen+(time.Hour+absence).Microseconds()); len(lost) != 1 {
		t.Errorf("and then %v", lost)
	}
	f = newFleet(&Controller{})
	f.nodes["n1"] = &member{seen: seen}
	if lost := f.silent([]string{"n1"}, seen+time.Hour.Microseconds()); len(lost) > 0 {
		t.Errorf("without a lease %v are given up", lost)
	}
}

// A node that has just joined is up before it is noted that it was heard: on a busy
// machine the look for silent nodes comes in between, and must not take it for one that
// was never heard.
func TestANodeThatHasJustJoinedIsNotSilent(t *testing.T) {
	cfg := Config{Lease: time.Minute, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }}
	c := &Controller{cfg: cfg, clock: newClock(&cfg)}
	f := newFleet(c)
	f.looked = c.now()
	if lost := f.silent([]string{"n1"}, c.now()); len(lost) > 0 {
		t.Errorf("%v are given up though they joined this moment", lost)
	}
}

// However many tasks a node has, to work out its orders takes no more than a part of
// the loop's time: what is gathered for them grows as they do.
func TestOrdersOfManyTasksAreGathered(t *testing.T) {
	const at = int64(1_700_000_000_000_000)
	f := newFleet(&Controller{})
	pause := func(tasks int, urgent bool) time.Duration {
		f.last["n1"], f.tasks = worked{at: at, tasks: tasks}, tasks
		return time.Duration(f.dueAt("n1", urgent)-at) * time.Microsecond
	}
	for _, urgent := range []bool{true, false} {
		few := pause(10, urgent)
		if few > 60*time.Millisecond {
			t.Errorf("urgent %v: a node with few tasks hears after %s", urgent, few)
		}
		for _, tasks := range []int{1_000, 10_000, 100_000} {
			if got, cost := pause(tasks, urgent), time.Duration(tasks)*time.Microsecond; got < 9*cost {
				t.Errorf("urgent %v: %d tasks are worked out every %s, which takes about %s", urgent, tasks, got, cost)
			}
		}
	}
}
