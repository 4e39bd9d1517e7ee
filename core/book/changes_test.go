package book

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Whoever comes, goes, begins, or agrees on something else is named to who asks what has changed, and nobody else; who
// asks about what is not kept any more is told so.
func TestWhatHasChanged(t *testing.T) {
	b := New(market.Alike(market.Plain(), 4))
	b.Tick(0)
	v := b.View()
	_, turn, known := v.Changes(0)
	if known {
		t.Error("what had changed was known before somebody asked")
	}
	changes := func(what string, s Slot, do func()) {
		t.Helper()
		do()
		changed, next, known := v.Changes(turn)
		if !known || len(changed) == 0 || slices.ContainsFunc(changed, func(c Slot) bool { return c != s }) {
			t.Errorf("%s: changed are %v (known: %v), want job %d", what, changed, known, s)
		}
		turn = next
	}
	job := func(id market.JobID) *market.Job {
		return &market.Job{ID: id, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 100}}
	}
	terms := Terms{Claim: 0.1, Latest: market.Never, Finish: 100, Firm: true}
	first, second := b.Add(job(1)), b.Add(job(2))
	changes("it waits", first, func() { b.Wait(first, terms) })
	changes("it is begun", first, func() { NewDraft(b).Start(first) })
	b.Reserve(second)
	changes("a place is kept", second, func() { b.Place(second, terms, market.Procs(nil).Add(3)) })
	b.Tick(1)
	if changed, _, _ := v.Changes(turn); len(changed) > 0 {
		t.Errorf("time alone changed %v", changed)
	}
	changes("its place is taken", second, func() { b.Confirm(second) })
	changes("it has more", second, func() { b.Prolong(second, 5, 0.1) })
	changes("it is not there for a while", second, func() {
		b.Without(second, func(v View) {
			changes("it is not there", second, func() {})
			if v.Here(second) || !v.Here(first) {
				t.Error("who is there is not who is there")
			}
		})
	})
	if !v.Here(second) {
		t.Error("it has not come back")
	}
	changes("its promise is void", second, func() { b.MakeBestEffort(second) })
	changes("it has ended", first, func() { b.Remove(first) })
	if v.Here(first) {
		t.Error("who has ended is there")
	}
	if _, _, known := v.Changes(turn + 1); known {
		t.Error("what has yet to come is known")
	}
	before := turn
	for range 300 {
		b.note(second)
	}
	if changed, _, known := v.Changes(before); known {
		t.Errorf("all of %d changes of one job are kept", len(changed))
	}
}

// Whoever asks hears of all that has changed since, or that it is not known, however seldom somebody asks; who asks often
// is hardly ever told that, and what is kept does not grow with what has happened.
func TestWhoAsksSeldomMissesNothing(t *testing.T) {
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 31))
		b := New(market.Alike(market.Plain(), 1))
		v := b.View()
		_, turn, _ := v.Changes(0)
		var all []Slot
		first, heard := turn, make([]int, 8) // by who asks: after so many
		often, unknown := 0, 0
		for i := range 8 {
			heard[i] = len(all)
		}
		for range 6000 {
			s := Slot(int32(draw.IntN(9)))
			b.note(s)
			all = append(all, s)
			for who := range heard {
				if draw.IntN(1<<(2*who)) > 0 { // the first each time, the last hardly ever
					continue
				}
				changed, next, known := v.Changes(first + heard[who])
				if known && !slices.Equal(changed, all[heard[who]:]) {
					t.Fatalf("seed %d: %v have changed since %d of %d, want %v", seed, changed, heard[who], len(all), all[heard[who]:])
				}
				if heard[who] = len(all); next != first+len(all) {
					t.Fatalf("seed %d: it is turn %d after %d, want %d", seed, next, len(all), first+len(all))
				}
				if who == 0 {
					if often++; !known {
						unknown++
					}
					if changed, _, known = v.Changes(next); !known || len(changed) > 0 {
						t.Fatalf("seed %d: nothing has changed since, and it is said to be %v (known: %v)", seed, changed, known)
					}
				}
			}
			if len(b.changes.slots) > 256+b.slots.n {
				t.Fatalf("seed %d: %d changes are kept", seed, len(b.changes.slots))
			}
		}
		if unknown > often/100 {
			t.Errorf("seed %d: of %d times %d times it is not known what has changed", seed, often, unknown)
		}
	}
}
