package cgroup

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/agent/cgroup/cgrouptest"
)

// Shares are measured after some time to settle: a quota that is written begins a
// period, and what it gives is used first thing.
const (
	settling = 2 * dutyPeriod
	reading  = 50 * time.Millisecond
)

// hold measures, by the kernel's count, what each group uses per second, and
// compares.
func hold(t *testing.T, w world, what string, want []float64, groups ...Group) {
	t.Helper()
	measure(t, w, what, groups, func(got []float64) error { return compare(t, what, got, want, w.share) })
}

// weigh is hold for what groups use of what they use together.
func weigh(t *testing.T, w world, what string, want []float64, groups ...Group) {
	t.Helper()
	measure(t, w, what, groups, func(got []float64) error { return compare(t, what, parts(got), want, w.weight) })
}

// measure judges what groups use per second. Where this host is itself a guest,
// its processor can be taken away: what is not there cannot be shared, and so it
// excuses a window that is not as it should be.
func measure(t *testing.T, w world, what string, groups []Group, judge func(got []float64) error) {
	t.Helper()
	mostly(t, what, func() (excused bool, err error) {
		losses := watch(t)
		got := rates(t, w.window, groups...)
		lost := losses().Seconds() / w.window.Seconds()
		err = judge(got)
		if excused = err != nil && lost > w.share/2; excused {
			t.Logf("%.1f %% of the processor were taken from this host", 100*lost)
		}
		return excused, err
	})
}

// mostly measures until it is as it should be. What is wrong all the time is
// found at the second look; one wrong window that nothing excuses is not
// enough, two of three are.
func mostly(t *testing.T, what string, look func() (excused bool, err error)) {
	t.Helper()
	if testing.Short() {
		t.Logf("%s: not measured", what)
		return
	}
	const attempts = 12
	right, wrong := 0, 0
	for range attempts {
		time.Sleep(settling)
		excused, err := look()
		switch {
		case err == nil:
			right++
		case !excused:
			wrong++
			t.Logf("%s: %v", what, err)
		}
		switch {
		case wrong == 2:
			t.Errorf("%s: wrong twice: %v", what, err)
			return
		case right > wrong:
			return
		}
	}
	t.Errorf("%s: this host does not have its processor to itself long enough to measure", what)
}

// rates are what groups use per second: the slopes of lines through readings. The
// difference of two readings is off by up to what the kernel grants at a time.
func rates(t testing.TB, window time.Duration, groups ...Group) []float64 {
	t.Helper()
	at, used := make([][]float64, len(groups)), make([][]float64, len(groups))
	began := time.Now()
	for next := began; next.Sub(began) <= window; next = next.Add(reading) {
		time.Sleep(time.Until(next))
		for i, g := range groups {
			before := time.Since(began)
			u := usage(t, g)
			at[i] = append(at[i], (before+time.Since(began)).Seconds()/2)
			used[i] = append(used[i], u.CPU.Seconds())
		}
	}
	got := make([]float64, len(groups))
	for i := range groups {
		got[i] = cgrouptest.Slope(at[i], used[i])
	}
	return got
}

// parts are rates as fractions of their sum.
func parts(rates []float64) []float64 {
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	of := make([]float64, len(rates))
	for i, r := range rates {
		of[i] = r / sum
	}
	return of
}

var errShare = errors.New("not the share that was to be")

// compare says all numbers, so that a test run is a table.
func compare(t *testing.T, what string, got, want []float64, slack float64) error {
	t.Helper()
	var b strings.Builder
	worst := 0.0
	for i := range want {
		e := got[i]/want[i] - 1
		worst = max(worst, e, -e)
		fmt.Fprintf(&b, "  %.4f of %.4f (%+.2f %%)", got[i], want[i], 100*e)
	}
	t.Logf("%s:%s", what, b.String())
	if !(worst <= slack) { // not a number is wrong, too
		return fmt.Errorf("%w: an error of %.1f %%, more than %.1f %%", errShare, 100*worst, 100*slack)
	}
	return nil
}

// idle is what a group uses in a while; it is to be nothing.
func idle(t *testing.T, g Group) time.Duration {
	t.Helper()
	before := usage(t, g).CPU
	time.Sleep(300 * time.Millisecond)
	return usage(t, g).CPU - before
}
