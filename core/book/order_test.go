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
	rank, estimate float64
	id             market.JobID
}

func (a line) compare(b line) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
}

// A treap answers like a sorted slice, with two trees in one pool and few
// distinct ranks, so that ties are the rule.
func TestOrderAnswersLikeASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOrder()
		var roots [2]int32
		var models [2][]line
		for id := range market.JobID(rapid.IntRange(1, 60).Draw(t, "jobs")) {
			tree := rapid.IntRange(0, 1).Draw(t, "tree")
			l := line{
				rank:     float64(rapid.IntRange(0, 5).Draw(t, "rank")),
				estimate: float64(rapid.IntRange(0, 9).Draw(t, "estimate")), id: id,
			}
			roots[tree] = o.insert(roots[tree], item{rank: l.rank, id: id, estimate: l.estimate, slot: Slot(id)})
			at, _ := slices.BinarySearchFunc(models[tree], l, line.compare)
			models[tree] = slices.Insert(models[tree], at, l)
			if n := len(models[tree]); rapid.Bool().Draw(t, "remove") {
				gone := rapid.IntRange(0, n-1).Draw(t, "which")
				roots[tree] = o.remove(roots[tree], models[tree][gone].rank, models[tree][gone].id)
				models[tree] = slices.Delete(models[tree], gone, gone+1)
			}
			for i := range roots {
				compareOrder(t, &o, roots[i], models[i])
			}
		}
	})
}

func compareOrder(t *rapid.T, o *order, root int32, model []line) {
	var want []Slot
	for _, l := range model {
		want = append(want, Slot(l.id))
	}
	if got := o.list(root, nil); !slices.Equal(got, want) {
		t.Fatalf("holds %v, want %v", got, want)
	}
	limit := float64(rapid.IntRange(-1, 10).Draw(t, "limit"))
	first := slices.IndexFunc(model, func(l line) bool { return l.estimate <= limit })
	if n := o.firstWithin(root, limit); (n == 0) != (first < 0) || n != 0 && o.items[n].id != model[first].id {
		t.Fatalf("first within %v is item %d, want number %d of %v", limit, n, first, model)
	}
}

// An empty tree has no first, whatever the limit: anyEstimate is less than what
// it says of its least.
func TestEmptyOrderHasNoFirst(t *testing.T) {
	o := newOrder()
	if n := o.firstWithin(0, anyEstimate); n != 0 {
		t.Errorf("item %d is first in an empty tree", n)
	}
	if !math.IsInf(o.items[0].minEstimate, 1) {
		t.Errorf("the empty tree has a least estimate: %v", o.items[0].minEstimate)
	}
}

// The same operations build the same trees: a run can be repeated.
func TestOrderIsTheSameEveryTime(t *testing.T) {
	build := func() []item {
		o, root := newOrder(), int32(0)
		for i := range 100 {
			root = o.insert(root, item{rank: float64(i * 37 % 11), id: market.JobID(i)})
		}
		return o.items
	}
	if !slices.Equal(build(), build()) {
		t.Error("two trees of the same operations differ")
	}
}

func TestOrderPanicsWhenAJobIsNotThere(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("removing a stranger went unnoticed")
		}
	}()
	o := newOrder()
	o.remove(0, 1, 1)
}

// list appends the jobs of a tree in order.
func (o *order) list(root int32, slots []Slot) []Slot {
	if root == 0 {
		return slots
	}
	slots = append(o.list(o.items[root].left, slots), o.items[root].slot)
	return o.list(o.items[root].right, slots)
}
