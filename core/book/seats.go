package book

import "github.com/libra-market/libra/core/market"

// Seat is the place of a job in the book while it lives. Seats are given again
// once their job has left.
type Seat int32

// NoSeat is no job.
const NoSeat Seat = -1

// register finds the seat of a job by its ID. IDs only grow and most live jobs
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
	seats [1 << pageBits]Seat // seat+1; 0 is free
}

func (r *register) find(id market.JobID) (Seat, bool) {
	n := int64(id)>>pageBits - r.first
	if n < 0 || n >= int64(len(r.pages)) || r.pages[n] == nil {
		return NoSeat, false
	}
	seat := r.pages[n].seats[id&(1<<pageBits-1)]
	return seat - 1, seat != 0
}

func (r *register) put(id market.JobID, seat Seat) {
	if last := len(r.pages) - 1; last >= 0 && r.pages[last].live == 0 && int64(id)>>pageBits > r.first+int64(last) {
		r.drop(int64(last)) // kept while it was the newest
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
	r.pages[n].seats[id&(1<<pageBits-1)] = seat + 1
	r.pages[n].live++
}

func (r *register) remove(id market.JobID) {
	n := int64(id)>>pageBits - r.first
	p := r.pages[n]
	p.seats[id&(1<<pageBits-1)] = 0
	if p.live--; p.live > 0 || n == int64(len(r.pages))-1 {
		return
	}
	r.drop(n)
}

// drop takes out a page without live jobs.
func (r *register) drop(n int64) {
	r.pages[n], r.blank = nil, r.pages[n]
	for len(r.pages) > 0 && r.pages[0] == nil {
		r.pages = r.pages[1:]
		r.first++
	}
}
