package book

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// The questions of backfilling are answered as a plain scan over the book would.
func TestBackfillingAnswersLikeAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const processors = 8
		b := New(market.Alike(market.Plain(), processors))
		d := NewDraft(b)
		v := b.View()
		waiting := map[Slot]bool{}
		running := map[Slot]float64{} // expected end
		for id := range market.JobID(rapid.IntRange(1, 60).Draw(t, "jobs")) {
			b.Tick(b.now + market.Time(rapid.IntRange(0, 3).Draw(t, "pause")))
			s := b.Add(&market.Job{
				ID: id, Width: int32(rapid.IntRange(1, processors).Draw(t, "width")),
				Estimate: market.Work(rapid.IntRange(0, 6).Draw(t, "estimate")),
			})
			latest := market.Time(rapid.IntRange(0, 30).Draw(t, "latest"))
			b.Wait(s, Terms{Rank: market.Number(rapid.IntRange(0, 4).Draw(t, "rank")), Latest: latest})
			waiting[s] = true
			switch rapid.IntRange(0, 3).Draw(t, "then") {
			case 0: // the head starts, if it fits
				if head, _ := v.Head(); v.Entry(head).Job.Width <= int32(v.Idle()) {
					d.Start(head)
					delete(waiting, head)
					running[head] = float64(b.now) + float64(v.Entry(head).Job.Estimate)
				}
			case 1: // somebody ends, early or late
				for _, s := range bySlot(running) {
					b.Remove(s)
					delete(running, s)
					break
				}
			case 2: // somebody gives up
				for _, s := range bySlot(waiting) {
					b.Remove(s)
					delete(waiting, s)
					break
				}
			}
			compareBook(t, v, waiting, running)
			if rapid.Bool().Draw(t, "plan") {
				b.Planned()
				compareBook(t, v, waiting, running)
			}
		}
	})
}

func bySlot[V any](m map[Slot]V) []Slot {
	var slots []Slot
	for s := range m {
		slots = append(slots, s)
	}
	slices.Sort(slots)
	return slots
}

func compareBook(t *rapid.T, v View, waiting map[Slot]bool, running map[Slot]float64) {
	inOrder := bySlot(waiting)
	slices.SortFunc(inOrder, func(a, b Slot) int {
		x, y := v.Entry(a), v.Entry(b)
		return cmp.Or(cmp.Compare(x.Terms.Rank, y.Terms.Rank), cmp.Compare(x.Job.ID, y.Job.ID))
	})
	if !slices.Equal(v.InOrder(), inOrder) || v.Waiting() != len(inOrder) {
		t.Fatalf("the queue is %v, want %v", v.InOrder(), inOrder)
	}
	idle := v.Processors()
	for s := range running {
		idle -= int(v.Entry(s).Job.Width)
	}
	if v.Idle() != idle {
		t.Fatalf("%d idle, want %d", v.Idle(), idle)
	}
	var late []Slot
	for _, s := range bySlot(waiting) {
		if v.Now().After(v.Entry(s).Terms.Latest) {
			late = append(late, s)
		}
	}
	if got := v.Late(nil); !slices.Equal(slices.Sorted(slices.Values(got)), late) {
		t.Fatalf("late are %v, want %v", got, late)
	}
	compareFirstFit(t, v, inOrder)
	if len(inOrder) > 0 {
		if head, _ := v.Head(); head != inOrder[0] {
			t.Fatalf("the head is %d, want %d", head, inOrder[0])
		}
		if j := &v.Entry(inOrder[0]).Job; int(j.Width) > idle {
			compareShadow(t, v, j, idle, running)
		}
	}
}

func compareFirstFit(t *rapid.T, v View, inOrder []Slot) {
	window := market.Time(rapid.IntRange(-1, 7).Draw(t, "window"))
	extra := rapid.IntRange(-2, 8).Draw(t, "extra")
	want := NoSlot
	for _, s := range inOrder {
		j := &v.Entry(s).Job
		if int(j.Width) <= v.Idle() && (!market.Time(j.Estimate).After(window) || int(j.Width) <= extra) {
			want = s
			break
		}
	}
	if got := v.FirstFit(v.Idle(), window, extra, false); got != want {
		t.Fatalf("first fit of window %v, extra %d, idle %d is %d, want %d", window, extra, v.Idle(), got, want)
	}
}

// compareShadow plays the expected ends forward, as docs/semantics.md, section 1,
// tells it.
func compareShadow(t *rapid.T, v View, j *market.Job, idle int, running map[Slot]float64) {
	at, free := market.Never, 0
	for _, end := range running {
		when := max(v.Now(), market.Time(end))
		sum := idle
		for s, other := range running {
			if !max(v.Now(), market.Time(other)).After(when) {
				sum += int(v.Entry(s).Job.Width)
			}
		}
		if sum >= int(j.Width) && when < at {
			at, free = when, sum
		}
	}
	if gotAt, gotFree := v.Shadow(j); gotAt != at || gotFree != free {
		t.Fatalf("shadow %v with %d idle, want %v with %d", gotAt, gotFree, at, free)
	}
}

// Asking as of a later time changes nothing, not even the time.
func TestAskLeavesTheBookAlone(t *testing.T) {
	b := New(market.Alike(market.Plain(), 1))
	b.Tick(5)
	b.ReadAt(7, func(v View) {
		if v.Now() != 7 {
			t.Errorf("asked as of 7, it is %v", v.Now())
		}
	})
	b.ReadAt(3, func(v View) {
		if v.Now() != 5 {
			t.Errorf("the past is not to be had: asked as of 3 at 5, it is %v", v.Now())
		}
	})
	if b.View().Now() != 5 {
		t.Errorf("it is %v, want 5", b.View().Now())
	}
}

func TestTimeThatRunsBackBreaksTheBook(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("time ran back unnoticed")
		}
	}()
	b := New(market.Alike(market.Plain(), 1))
	b.Tick(5)
	b.Tick(4)
}
