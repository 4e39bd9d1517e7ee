package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// order keeps jobs sorted by (rank, id) in any number of trees that share one
// pool of items, and answers in logarithmic time who is the first whose
// estimate is short enough.
//
// The trees are treaps: balanced in expectation by priorities from a fixed
// sequence, so that the same operations always build the same trees. Item 0
// stands for the empty tree.
type order struct {
	items []item
	free  int32
	dice  uint32
}

type item struct {
	rank        float64
	id          market.JobID
	estimate    float64
	minEstimate float64 // least estimate in this subtree
	minLeft     float64 // and in the left one: a search looks at one item a level
	left, right int32
	slot        Slot
	priority    uint32
	_           uint64 // to a line of the cache
}

func newOrder() order {
	return order{items: []item{{minEstimate: math.Inf(1), minLeft: math.Inf(1)}}, dice: 2463534242}
}

// insert adds an item to the tree and returns the tree's new root.
func (o *order) insert(root int32, add item) int32 {
	o.dice ^= o.dice << 13
	o.dice ^= o.dice >> 17
	o.dice ^= o.dice << 5
	add.priority = o.dice
	add.minEstimate, add.minLeft = add.estimate, math.Inf(1)
	n := o.free
	if n == 0 {
		n = market.Int32(len(o.items))
		o.items = append(o.items, add)
	} else {
		o.free = o.items[n].left
		o.items[n] = add
	}
	return o.sink(root, n)
}

func (o *order) sink(root, n int32) int32 {
	if root == 0 {
		return n
	}
	at, add := &o.items[root], &o.items[n]
	switch {
	case add.priority > at.priority:
		add.left, add.right = o.split(root, add.rank, add.id)
		o.sumUp(add)
		return n
	case add.rank < at.rank || add.rank == at.rank && add.id < at.id:
		at.left = o.sink(at.left, n)
	default:
		at.right = o.sink(at.right, n)
	}
	o.sumUp(at)
	return root
}

// split cuts a tree into what is before (rank, id) and the rest.
func (o *order) split(root int32, rank float64, id market.JobID) (before, after int32) {
	if root == 0 {
		return 0, 0
	}
	at := &o.items[root]
	if at.rank < rank || at.rank == rank && at.id < id {
		at.right, after = o.split(at.right, rank, id)
		before = root
	} else {
		before, at.left = o.split(at.left, rank, id)
		after = root
	}
	o.sumUp(at)
	return before, after
}

// remove takes the item of (rank, id) out of the tree and returns the tree's
// new root.
func (o *order) remove(root int32, rank float64, id market.JobID) int32 {
	at := &o.items[root]
	switch {
	case root == 0:
		broken(1, "a job is not where it was put in order")
	case at.id == id:
		rest := o.merge(at.left, at.right)
		*at = item{left: o.free}
		o.free = root
		return rest
	case rank < at.rank || rank == at.rank && id < at.id:
		at.left = o.remove(at.left, rank, id)
	default:
		at.right = o.remove(at.right, rank, id)
	}
	o.sumUp(at)
	return root
}

func (o *order) merge(before, after int32) int32 {
	if before == 0 {
		return after
	}
	if after == 0 {
		return before
	}
	b, a := &o.items[before], &o.items[after]
	if b.priority > a.priority {
		b.right = o.merge(b.right, after)
		o.sumUp(b)
		return before
	}
	a.left = o.merge(before, a.left)
	o.sumUp(a)
	return after
}

func (o *order) sumUp(at *item) {
	left, right := &o.items[at.left], &o.items[at.right]
	least := at.estimate
	if left.minEstimate < least {
		least = left.minEstimate
	}
	if right.minEstimate < least {
		least = right.minEstimate
	}
	at.minEstimate, at.minLeft = least, left.minEstimate
}

// firstWithin returns the first item of the tree whose estimate is at most the
// limit, or 0.
func (o *order) firstWithin(root int32, limit float64) int32 {
	if o.items[root].minEstimate > limit {
		return 0
	}
	for root != 0 {
		at := &o.items[root]
		switch {
		case at.minLeft <= limit:
			root = at.left
		case at.estimate <= limit:
			return root
		default:
			root = at.right
		}
	}
	return 0
}
