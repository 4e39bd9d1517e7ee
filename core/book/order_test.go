package book

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// line is what an order keeps of a job, in the slice it is held against.
type line struct {
	place
	estimate float64
}

func (a line) compare(b line) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
}

// An order answers like a sorted slice, with two orders that give each other their
// pages, and few distinct ranks, so that ties are the rule. Some come in order, as
// most do, and some leave in bulk, so that pages fill, split, empty and join.
func TestOrderAnswersLikeASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blank blankPages
		orders := [2]order{newOrder(), newOrder()}
		var models [2][]line
		id := market.JobID(0)
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			n := rapid.IntRange(0, 1).Draw(t, "which")
			o, model := &orders[n], models[n]
			ranks := rapid.SampledFrom([]int{1, 5, 1000}).Draw(t, "ranks")
			pace := rapid.SampledFrom([]market.JobID{53, 1, 90}).Draw(t, "pace") // 90: each is shorter than the one before
			for range rapid.IntRange(0, 3*pageJobs).Draw(t, "come") {
				id++
				l := line{place: place{rank: float64(int(id) * 37 % ranks), id: id}, estimate: float64(id * pace % 91)}
				o.insert(l.place, l.estimate, Slot(id), &blank)
				at, _ := slices.BinarySearchFunc(model, l, line.compare)
				model = slices.Insert(model, at, l)
			}
			stride := rapid.IntRange(1, 200).Draw(t, "stride")
			for i := range rapid.IntRange(0, len(model)).Draw(t, "leave") {
				gone := i * stride % len(model)
				o.remove(model[gone].place, model[gone].estimate, &blank)
				model = slices.Delete(model, gone, gone+1)
			}
			models[n] = model
			for i := range orders {
				compareOrder(t, &orders[i], models[i])
			}
		}
	})
}

func compareOrder(t *rapid.T, o *order, model []line) {
	var want []Slot
	for _, l := range model {
		want = append(want, Slot(l.id))
	}
	if got := o.list(); !slices.Equal(got, want) {
		t.Fatalf("holds %v, want %v", got, want)
	}
	for limit := -1.0; limit < 92; limit++ {
		before := behindAll
		if len(model) > 0 && rapid.Bool().Draw(t, "bounded") {
			before = model[rapid.IntRange(0, len(model)-1).Draw(t, "before")].place
		}
		first := slices.IndexFunc(model, func(l line) bool { return l.estimate <= limit && l.place.before(before) })
		s, at := o.firstWithin(limit, before)
		if (s == NoSlot) != (first < 0) || s != NoSlot && (s != Slot(model[first].id) || at != model[first].place) {
			t.Fatalf("first within %v is %d at %v, want number %d of %v", limit, s, at, first, model)
		}
	}
	compareStairs(t, &o.stairs, model)
	for i, page := range o.pages {
		if page.n == 0 || o.leasts[i] != page.least() {
			t.Fatalf("page %d has %d jobs, and says of its least %v", i, page.n, o.leasts[i])
		}
	}
}

// The stairs are the first of those who are shorter than all before them, and say whether
// they are all of them.
func compareStairs(t *rapid.T, s *stairs, model []line) {
	var want []line
	for _, l := range model {
		if len(want) == 0 || l.estimate < want[len(want)-1].estimate {
			want = append(want, l)
		}
	}
	if s.n > len(want) || s.whole && s.n < len(want) {
		t.Fatalf("%d stairs, whole: %v, of %d", s.n, s.whole, len(want))
	}
	for k := range s.n {
		if s.estimates[k] != want[k].estimate || s.places[k] != want[k].place || s.slots[k] != Slot(want[k].id) {
			t.Fatalf("stair %d is %v at %v, want %v", k, s.estimates[k], s.places[k], want[k])
		}
	}
}

// Pages on which few are left are one: else an order of which most have left would be
// looked through page by page, for a job on each.
func TestSparsePagesBecomeOne(t *testing.T) {
	o, blank := newOrder(), blankPages(nil)
	for id := range market.JobID(10 * pageJobs) {
		o.insert(place{id: id}, 1, Slot(id), &blank)
	}
	for id := range market.JobID(10 * pageJobs) {
		if id%pageJobs != 7 {
			o.remove(place{id: id}, 1, &blank)
		}
	}
	if len(o.list()) != 10 || len(o.pages) > 1 {
		t.Errorf("%d jobs on %d pages", len(o.list()), len(o.pages))
	}
}

// An empty order has no first, whatever the limit: anyEstimate is less than what
// it says of its least.
func TestEmptyOrderHasNoFirst(t *testing.T) {
	o, blank := newOrder(), blankPages(nil)
	for range 2 {
		if s, _ := o.firstWithin(anyEstimate, behindAll); s != NoSlot {
			t.Errorf("%v is first in an empty order", s)
		}
		if !math.IsInf(o.least, 1) {
			t.Errorf("the empty order has a least estimate: %v", o.least)
		}
		o.insert(place{id: 1}, 2, 1, &blank)
		o.remove(place{id: 1}, 2, &blank)
	}
}

func TestOrderPanicsWhenAJobIsNotThere(t *testing.T) {
	for _, there := range [][]market.JobID{nil, {1}, {3}, {1, 3}} {
		t.Run("", func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("removing a stranger went unnoticed")
				}
			}()
			o, blank := newOrder(), blankPages(nil)
			for _, id := range there {
				o.insert(place{id: id}, 1, Slot(id), &blank)
			}
			o.remove(place{id: 2}, 1, &blank)
		})
	}
}

// list is the jobs of an order.
func (o *order) list() []Slot {
	var slots []Slot
	for _, page := range o.pages {
		slots = append(slots, page.slots[:page.n]...)
	}
	return slots
}
