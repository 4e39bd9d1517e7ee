package book

import "github.com/libra-market/libra/core/market"

// Slot is the place of a job in the book while it lives. Slots are given again
// once their job has left.
type Slot int32

// NoSlot is no job.
const NoSlot Slot = -1

// register finds the slot of a job by its ID. IDs only grow and most live jobs
// are recent, so it is a row of pages from the oldest live ID to the newest:
// finding costs two loads, and pages without live jobs cost nothing.
type register struct {
	first int64 // number of pages[0]
	pages []*page
	blank *page // an emptied page, kept for the next
}

const pageBits = 10

type page struct {
	live  int32
	slots [1 << pageBits]Slot // slot+1; 0 is free
}

func (r *register) find(id market.JobID) (Slot, bool) {
	n := int64(id)>>pageBits - r.first
	if n < 0 || n >= int64(len(r.pages)) || r.pages[n] == nil {
		return NoSlot, false
	}
	slot := r.pages[n].slots[id&(1<<pageBits-1)]
	return slot - 1, slot != 0
}

func (r *register) put(id market.JobID, slot Slot) {
	if last := len(r.pages) - 1; last >= 0 && r.pages[last].live == 0 && int64(id)>>pageBits > r.first+int64(last) {
		r.removePage(int64(last)) // kept while it was the newest
	}
	n := int64(id)>>pageBits - r.first
	if len(r.pages) == 0 {
		r.first, n = int64(id)>>pageBits, 0
	}
	for n < 0 {
		r.pages = append([]*page{nil}, r.pages...)
		r.first--
		n++
	}
	for n >= int64(len(r.pages)) {
		r.pages = append(r.pages, nil)
	}
	if r.pages[n] == nil {
		if r.blank == nil {
			r.blank = new(page)
		}
		r.pages[n], r.blank = r.blank, nil
	}
	r.pages[n].slots[id&(1<<pageBits-1)] = slot + 1
	r.pages[n].live++
}

func (r *register) remove(id market.JobID) {
	n := int64(id)>>pageBits - r.first
	p := r.pages[n]
	p.slots[id&(1<<pageBits-1)] = 0
	if p.live--; p.live > 0 || n == int64(len(r.pages))-1 {
		return
	}
	r.removePage(n)
}

// removePage takes out a page without live jobs.
func (r *register) removePage(n int64) {
	r.pages[n], r.blank = nil, r.pages[n]
	for len(r.pages) > 0 && r.pages[0] == nil {
		r.pages = r.pages[1:]
		r.first++
	}
}
