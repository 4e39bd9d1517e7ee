package book

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// watched is a book with jobs of ten seconds on processors of their own, whose tasks
// advance independently, or as one.
func watched(t *testing.T, independent bool, jobs int) (*Book, *Draft, []Slot) {
	t.Helper()
	b := New(market.Alike(market.Plain(), jobs))
	b.now = 0
	d := NewDraft(b)
	var slots []Slot
	for i := range jobs {
		j := market.Job{ID: market.JobID(i + 1), Width: 1, Estimate: 10, Optional: 2, SLA: market.SLA{Deadline: 100}}
		s := b.Add(&j)
		b.Place(s, Terms{Claim: 0.1, Finish: 100, Firm: true, Independent: independent}, market.ProcsOf(i))
		slots = append(slots, s)
	}
	return b, d, slots
}

// Whose mandatory part is done, with less to do of the optional one, is done earlier.
func TestWhoIsFulfilledIsWatchedAnew(t *testing.T) {
	b, d, slots := watched(t, true, 2)
	for proc := range slots {
		d.Share(proc, []float64{0.5})
	}
	if next := b.nextUsedUp(); next != 20 {
		t.Fatalf("the first is used up at %v, want 20", next)
	}
	b.Fulfil(slots[1], market.AllTasks, 0)
	if next := b.nextUsedUp(); next != 4 {
		t.Errorf("the first is used up at %v, want 4", next)
	}
}

// The next to be used up, and those that are, are what looking at every one says,
// whatever happens to them.
func TestTheWatchOverlooksNobody(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, d, slots := watched(t, rapid.Bool().Draw(rt, "independent"), 12)
		paced := rapid.Bool().Draw(rt, "paced")
		for range 40 {
			b.now += market.Time(rapid.Float64Range(0, 3).Draw(rt, "later"))
			i := rapid.IntRange(0, len(slots)-1).Draw(rt, "job")
			s, speed := slots[i], rapid.SampledFrom([]float64{0, 0.1, 1. / 3, 1}).Draw(rt, "speed")
			switch e := b.slots.at(s); rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				b.Measure(s, market.AllTasks, market.Work(rapid.Float64Range(0, 12).Draw(rt, "had")), false)
			case 1:
				b.Prolong(s, market.Work(rapid.Float64Range(0, 5).Draw(rt, "more")), 0)
			case 2:
				b.Fulfil(s, market.AllTasks, 5)
			default:
				switch {
				case e.independent:
					d.Share(i, []float64{speed})
				case paced:
					d.Ask(s)
					d.Pace(s, speed)
				default:
					d.Speed(s, speed)
				}
			}
			if paced && rapid.Bool().Draw(rt, "risen") {
				b.View().Risen(nil)
			}
			next, used := market.Never, 0
			for _, s := range b.running {
				p := b.prospect(s, b.now)
				next = min(next, p.next)
				if p.left.Done() {
					used++
				}
			}
			if kept := b.nextUsedUp(); kept != next {
				rt.Fatalf("the next is used up at %v, want %v", kept, next)
			}
			if kept := len(b.UsedUp(b.now)); kept != used {
				rt.Fatalf("%d are used up, want %d", kept, used)
			}
		}
	})
}

// The cost of asking is that of those whose time has come, not of all who run.
func TestTheWatchLooksAtFew(t *testing.T) {
	b, d, slots := watched(t, false, 1000)
	for i, s := range slots {
		d.Speed(s, 1/float64(i+2))
	}
	looked := 0
	w := b.watching()
	w.next.upTo(0, func() float64 { return around(b.nextUsedUp()) }, func(Slot) { looked++ })
	if looked != 1 {
		t.Errorf("%d of 1000 were looked at, want 1", looked)
	}
}

// What is used up but for rounding is used up, however long the rest would take who has little of
// a processor: asked ahead as well as when the time has come.
func TestASlowJobIsUsedUpInTime(t *testing.T) {
	const slow = 1e-3
	b, d, slots := watched(t, false, 2)
	d.Speed(slots[0], slow)
	d.Speed(slots[1], slow/2)
	whole := market.Time(10 / slow)
	almost := whole - market.Time(float64(market.WorkSlack)/slow/2)
	if next := b.nextUsedUp(); next != whole {
		t.Errorf("the first is used up at %v, want %v", next, whole)
	}
	if early := b.UsedUp(whole - 1); len(early) != 0 {
		t.Errorf("%v are used up a second before", early)
	}
	for _, now := range []market.Time{0, almost} {
		b.now = now
		if used := b.UsedUp(almost); len(used) != 1 || used[0] != 1 {
			t.Errorf("at %v, but for rounding, %v are used up", now, used)
		}
	}
	if next := b.nextUsedUp(); next < 2*almost || next > 2*whole {
		t.Errorf("the other is used up at %v, want %v", next, 2*whole)
	}
}
