package trade

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Len counts the elements.
func (a *Array) Len() int {
	if len(a.List) > 0 || a.Last < a.First {
		return len(a.List)
	}
	return (a.Last-a.First)/max(1, a.Step) + 1
}

// AtATime is how many of them run at a time where there are processors for all.
func (a *Array) AtATime() int {
	if a.Limit > 0 {
		return min(a.Limit, a.Len())
	}
	return a.Len()
}

// Index is that of the element at a place, from 0.
func (a *Array) Index(place int) int {
	if len(a.List) > 0 {
		return a.List[place]
	}
	return a.First + place*max(1, a.Step)
}

// Place is where an element is among them.
func (a *Array) Place(index int) (place int, there bool) {
	if len(a.List) > 0 {
		return slices.BinarySearch(a.List, index)
	}
	far := index - a.First
	place = far / max(1, a.Step)
	return place, far >= 0 && far%max(1, a.Step) == 0 && place < a.Len()
}

// Lane is what one of so many lanes runs of an array, one after the other: by rule, or
// where there is none, one by one.
func (a *Array) Lane(lane, lanes int) (*task.Span, []int) {
	switch {
	case a == nil:
		return nil, nil
	case len(a.List) == 0:
		return dispatch.Lane(&task.Span{First: a.First, Step: a.Step, Count: a.Len()}, lane, lanes), nil
	}
	own := []int{}
	for i := lane; i < len(a.List); i += lanes {
		own = append(own, a.List[i])
	}
	return nil, own
}

// Only is the array with those elements alone that are among some, which are in order;
// nil: there are none.
func (a *Array) Only(some []int) *Array {
	own := *a
	own.List = nil
	for i := range a.Len() {
		if _, among := slices.BinarySearch(some, a.Index(i)); among {
			own.List = append(own.List, a.Index(i))
		}
	}
	switch len(own.List) {
	case 0:
		return nil
	case a.Len():
		return a
	}
	return &own
}

// asQuoted reports whether an array is the one that was quoted, which may be none. How many run at a
// time, and on how many nodes, may go unsaid: a market may have quoted fewer than it was asked for.
func (a *Array) asQuoted(b *Array) bool {
	return b != nil && a.First == b.First && a.Last == b.Last && a.Step == b.Step && (a.Limit == 0 || a.Limit == b.Limit) && (a.Nodes == 0 || a.Nodes == b.Nodes) && slices.Equal(a.List, b.List)
}

// validate names the first thing about an array that makes no sense.
func (a *Array) validate() error {
	switch {
	case a.First < 0 || a.Last < a.First || a.Step < 0 || (a.Last-a.First)/max(1, a.Step) >= MaxElements:
		return market.Wrong("array", fmt.Sprintf("first to last, at most %d elements", MaxElements))
	case a.Limit < 0:
		return market.Wrong("array.limit", "0 (none) or more")
	case a.Nodes < 0:
		return market.Wrong("array.nodes", "0 (any number) or more")
	}
	all := Array{First: a.First, Last: a.Last, Step: a.Step}
	for i, index := range a.List {
		if _, there := all.Place(index); !there || i > 0 && index <= a.List[i-1] {
			return market.Wrong("array.list", "indexes of first to last, in order, each once")
		}
	}
	return nil
}
