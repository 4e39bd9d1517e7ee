package book

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// The register finds who is there and nobody else, whatever gaps there are
// between the numbers of jobs.
func TestRegisterAnswersLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r register
		model := map[market.JobID]Slot{}
		number := rapid.Custom(func(t *rapid.T) market.JobID {
			page := rapid.IntRange(0, 6).Draw(t, "page")
			return market.JobID(page<<pageBits + rapid.IntRange(0, 3).Draw(t, "place"))
		})
		for range rapid.IntRange(1, 80).Draw(t, "operations") {
			id := number.Draw(t, "job")
			if _, here := model[id]; here {
				r.remove(id)
				delete(model, id)
			} else {
				model[id] = Slot(rapid.IntRange(0, 1000).Draw(t, "slot"))
				r.put(id, model[id])
			}
			ask := number.Draw(t, "ask")
			want, here := model[ask]
			if got, ok := r.find(ask); ok != here || ok && got != want {
				t.Fatalf("job %d is on %d (%v), want %d (%v)", ask, got, ok, want, here)
			}
		}
	})
}

// A long run costs the pages of the jobs under way, not of all there ever were.
func TestRegisterGivesPagesBack(t *testing.T) {
	// With one alive at a time every page is the newest when it runs empty.
	for _, alive := range []market.JobID{1, 100, 3000} {
		var r register
		for id := range market.JobID(50 << pageBits) {
			if id >= alive {
				r.remove(id - alive)
			}
			r.put(id, 1)
		}
		if n := len(r.pages); n > int(alive>>pageBits)+2 {
			t.Errorf("%d pages for %d jobs", n, alive)
		}
	}
}

// A slot is given again only from the next step on: the events of this one
// point to it.
func TestASlotIsKeptUntilTheNextStep(t *testing.T) {
	b := New(market.Alike(market.Plain(), 1))
	first := b.Add(&market.Job{ID: 1, Width: 1})
	b.Remove(first)
	if again := b.Add(&market.Job{ID: 2, Width: 1}); again == first {
		t.Error("a slot was given away within the step")
	}
	b.Tick(1)
	if again := b.Add(&market.Job{ID: 3, Width: 1}); again != first {
		t.Errorf("slot %d, want the free one, %d", again, first)
	}
}
