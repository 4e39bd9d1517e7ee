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
