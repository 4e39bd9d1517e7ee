package cluster_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

// wakes lists the wake-ups asked for at a step.
func wakes(t *testing.T, c interface {
	Step(market.Time, []market.Event) ([]market.Event, error)
}, at market.Time, happened ...market.Event,
) (wakes []market.Time, others []market.Event) {
	t.Helper()
	said, err := c.Step(at, happened)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range said {
		if e.Kind == market.Wake {
			wakes = append(wakes, e.Finish)
		} else {
			others = append(others, e)
		}
	}
	return wakes, others
}

// A job of 10 s that must be done by 20 has waited in vain at 10. A simulated
// run drops it at the next pass; a punctual cluster asks to be woken, just
// after, and drops it then.
func TestAPunctualClusterDropsOnTime(t *testing.T) {
	long, hopeless, later := job(0, 0, 100, market.Never), job(1, 0, 10, 20), job(2, 0, 10, 50)
	c := open(t, 1, "fcfs-bf", nil)
	if asked, _ := wakes(t, c, 0, submitted(long), submitted(hopeless), submitted(later)); len(asked) != 0 {
		t.Errorf("a simulated one asks for %v", asked)
	}
	c = open(t, 1, "fcfs-bf", nil)
	c.Punctual = true
	asked, _ := wakes(t, c, 0, submitted(long), submitted(hopeless), submitted(later))
	if len(asked) != 1 || asked[0] <= 10 || asked[0] > 10.00001 {
		t.Fatalf("asks for %v, want just after 10", asked)
	}
	// Woken a little early, it asks once more.
	again, said := wakes(t, c, 10, market.Event{Kind: market.Woken})
	if len(again) != 1 || again[0] != asked[0] || len(said) != 0 {
		t.Fatalf("woken early it says %v and asks for %v", said, again)
	}
	next, said := wakes(t, c, asked[0], market.Event{Kind: market.Woken})
	if words(said) != "rejected 1" || said[0].Reason != market.CannotMeetDeadline {
		t.Errorf("on time: %+v", said)
	}
	if len(next) != 1 || next[0] <= 40 || next[0] > 40.00001 {
		t.Errorf("then asks for %v, want just after 40", next)
	}
	// With nobody left to wait for it asks for nothing.
	if last, said := wakes(t, c, next[0], market.Event{Kind: market.Woken}); words(said) != "rejected 2" || len(last) != 0 {
		t.Errorf("at last %+v, and asks for %v", said, last)
	}
}

// An estimate that is used up is nothing to LibraSLA or to a queue, but to the
// driver of a live market it is.
func TestAPunctualClusterWakesForUsedUpEstimates(t *testing.T) {
	for _, name := range []string{"fifo", "libra-sla", "libra"} {
		c := open(t, 1, name, nil)
		c.Punctual = true
		if asked, _ := wakes(t, c, 0, submitted(job(0, 0, 10, 50))); len(asked) != 1 || asked[0] != 10 {
			t.Errorf("%s asks for %v, want 10", name, asked)
		}
		if asked, _ := wakes(t, c, 10, market.Event{Kind: market.Woken}); len(asked) != 0 || len(c.UsedUp(10)) != 1 {
			t.Errorf("%s asks for %v once it is used up", name, asked)
		}
		asked, _ := wakes(t, c, 10, extended(0, 5, market.Unlimited))
		if len(asked) != 1 || asked[0] != 15 {
			t.Errorf("%s, prolonged, asks for %v, want 15", name, asked)
		}
		// A later wake-up of the policy's own is not lost behind one that is over.
		if asked, _ := wakes(t, c, 16, market.Event{Kind: market.Cancelled, Job: 0}); len(asked) > 1 || len(asked) == 1 && asked[0].Finite() {
			t.Errorf("%s, with nobody there, asks for %v", name, asked)
		}
	}
}

// Where nothing is promised a live cluster keeps nothing: a job without a
// deadline that outlives its estimate takes nothing from its neighbour.
func TestAPunctualClusterProtectsTasksFromGuests(t *testing.T) {
	c := open(t, 1, "libra-sla", nil)
	c.Punctual = true
	guest := job(0, 0, 1, market.Never)
	guest.SLA.Budget = market.Unlimited
	step(t, c, 0, submitted(guest))
	said := step(t, c, 5, submitted(job(1, 5, 10, 20)))
	if words(said) != "accepted 1, shared 0" || said[1].Slices[0].Speed != 0 || said[1].Slices[1].Speed != 1 {
		t.Errorf("%+v", said)
	}
}
