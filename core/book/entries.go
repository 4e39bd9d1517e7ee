package book

import "github.com/libra-market/libra/core/market"

// entries are what the book says of each job, by slot. They lie on pages that stay
// where they are: one more job copies nobody, and a long queue leaves no garbage
// behind of what it was when it was shorter.
type entries struct {
	pages []*entryPage
	n     int
}

const entryBits = 5

type entryPage [1 << entryBits]Entry

func newEntries(n int) entries {
	var e entries
	for e.n < n {
		e.add()
	}
	return e
}

// at is the entry of a slot.
func (e *entries) at(s Slot) *Entry {
	return &e.pages[s>>entryBits][s&(1<<entryBits-1)]
}

// add gives one more slot.
func (e *entries) add() Slot {
	if e.n>>entryBits == len(e.pages) {
		e.pages = append(e.pages, new(entryPage))
	}
	e.n++
	return Slot(market.Int32(e.n - 1))
}
