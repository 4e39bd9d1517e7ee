package book

import "github.com/libra-market/libra/core/market"

// entries are what the book says of each job, by slot. They lie on pages that stay
// where they are: one more job copies nobody, and a long queue leaves no garbage
// behind of what it was when it was shorter.
//
// A page is a slice, not a pointer to an array, because the compiler would look at the
// first entry of that before it goes to another; and it is so large that it begins
// where a line of memory does, and so does every entry.
type entries struct {
	pages [][]Entry
	n     int
}

const entryBits = 7

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
		e.pages = append(e.pages, newEntryPage())
	}
	e.n++
	return Slot(market.Int32(e.n - 1))
}

// newEntryPage is a page whose entries have room for the processors of most jobs, side by
// side: else each would be an object of its own, of a few bytes.
func newEntryPage() []Entry {
	const usual = 2 // blocks: a job of a small cluster has no more
	page, blocks := make([]Entry, 1<<entryBits), make(market.Procs, usual<<entryBits)
	for i := range page {
		page[i].Procs = blocks[usual*i : usual*i : usual*(i+1)]
	}
	return page
}
