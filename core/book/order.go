package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// order keeps jobs sorted by (rank, id), and answers who is the first whose
// estimate is short enough. They lie on pages, and of every page its least
// estimate lies in a row with the others: a search goes along that row and looks
// at one page, where a tree would wait for memory at every level.
type order struct {
	least  float64 // estimate of all; infinite: there is nobody
	leasts []float64
	from   []place // by page: nobody on it is before that, and nobody on those before it is not
	pages  []*orderPage
	stairs stairs
}

// place is where a job stands in order: smaller rank first, then the smaller ID.
type place struct {
	rank float64
	id   market.JobID
}

func (a place) before(b place) bool { return a.rank < b.rank || a.rank == b.rank && a.id < b.id }

// behindAll is behind every place that a job can have.
var behindAll = place{rank: math.Inf(1), id: math.MaxInt64}

// orderPage is what an order keeps of up to pageJobs jobs, in their order.
type orderPage struct {
	n         int
	estimates [pageJobs]float64
	places    [pageJobs]place
	slots     [pageJobs]Slot
}

// A page has up to pageJobs jobs. When it comes down to sparse, it joins a neighbour
// that is no fuller.
const (
	pageJobs = 64
	sparse   = pageJobs / 4
)

func newOrder() order { return order{least: math.Inf(1), stairs: stairs{whole: true}} }

// insert gives a job its place.
func (o *order) insert(at place, estimate float64, s Slot, blank *blankPages) {
	if len(o.pages) == 0 {
		o.open(0, at, blank)
	}
	n := o.pageOf(at)
	page := o.pages[n]
	i := page.find(at)
	if page.n == pageJobs {
		if i == pageJobs { // it nearly always is behind all others
			n++
			o.open(n, at, blank)
		} else {
			o.split(n, blank)
			n = o.pageOf(at)
		}
		page = o.pages[n]
		i = page.find(at)
	}
	page.insert(i, at, estimate, s)
	o.leasts[n] = min(o.leasts[n], estimate)
	o.least = min(o.least, estimate)
	o.stairs.insert(at, estimate, s, i)
}

// remove takes out the job of a place.
func (o *order) remove(at place, estimate float64, blank *blankPages) {
	if len(o.pages) == 0 {
		broken(1, "a job that leaves was never put in order")
	}
	n := o.pageOf(at)
	page := o.pages[n]
	k, i := o.stairs.find(at, estimate), -1
	if k >= 0 {
		i = page.near(at, int(o.stairs.spots[k]))
	}
	if i < 0 {
		i = page.find(at)
	}
	if i == page.n || page.places[i] != at {
		broken(1, "a job is not where it was put in order")
	}
	was := page.estimates[i]
	if was != estimate {
		broken(1, "a job has another estimate than it was put in order with")
	}
	page.remove(i)
	if was == o.leasts[n] {
		o.leasts[n] = page.least()
	}
	if k >= 0 {
		o.climb(k, n, i)
	}
	switch page.n {
	case 0:
		o.close(n, blank)
	case sparse:
		o.join(n, blank)
		if n > 0 {
			o.join(n-1, blank)
		}
	}
	if was == o.least {
		o.least = leastOf(o.leasts)
	}
}

// firstWithin returns the first job whose estimate is at most the limit, if it stands
// before a place, and where it does; NoSlot: there is none.
func (o *order) firstWithin(limit float64, before place) (Slot, place) {
	if o.least > limit {
		return NoSlot, before
	}
	t := &o.stairs
	k := 0
	for ; k < t.n; k++ {
		if t.estimates[k] <= limit {
			if t.places[k].before(before) {
				return t.slots[k], t.places[k]
			}
			return NoSlot, before
		}
	}
	return o.firstBehind(limit, before)
}

// firstBehind is firstWithin where it is none of the stairs that are kept.
func (o *order) firstBehind(limit float64, before place) (Slot, place) {
	n := 0
	for o.leasts[n] > limit {
		n++
	}
	page, i := o.pages[n], 0
	for page.estimates[i] > limit {
		i++
	}
	if !page.places[i].before(before) {
		return NoSlot, before
	}
	return page.slots[i], page.places[i]
}

// pageOf is the page that a place is or belongs on.
func (o *order) pageOf(at place) int {
	from, to := 1, len(o.from)
	if last := to - 1; last > 0 && !at.before(o.from[last]) {
		return last
	}
	for from < to {
		if middle := (from + to) >> 1; at.before(o.from[middle]) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return from - 1
}

// open puts in an empty n-th page.
func (o *order) open(n int, from place, blank *blankPages) {
	o.leasts, o.from, o.pages = append(o.leasts, 0), append(o.from, place{}), append(o.pages, nil)
	copy(o.leasts[n+1:], o.leasts[n:])
	copy(o.from[n+1:], o.from[n:])
	copy(o.pages[n+1:], o.pages[n:])
	o.leasts[n], o.from[n], o.pages[n] = math.Inf(1), from, blank.get()
}

// close takes the n-th page out.
func (o *order) close(n int, blank *blankPages) {
	blank.put(o.pages[n])
	o.leasts = append(o.leasts[:n], o.leasts[n+1:]...)
	o.from = append(o.from[:n], o.from[n+1:]...)
	o.pages = append(o.pages[:n], o.pages[n+1:]...)
}

// split moves the second half of a page to one behind it.
func (o *order) split(n int, blank *blankPages) {
	full := o.pages[n]
	half := full.n / 2
	o.open(n+1, full.places[half], blank)
	o.pages[n+1].copy(full, half)
	full.n = half
	o.leasts[n], o.leasts[n+1] = full.least(), o.pages[n+1].least()
}

// join puts all of the next page on the n-th, if there is one and both are sparse.
func (o *order) join(n int, blank *blankPages) {
	if n+1 == len(o.pages) || o.pages[n].n > sparse || o.pages[n+1].n > sparse {
		return
	}
	o.pages[n].copy(o.pages[n+1], 0)
	o.leasts[n] = min(o.leasts[n], o.leasts[n+1])
	o.close(n+1, blank)
}

// find is where a place is or belongs on the page.
func (p *orderPage) find(at place) int {
	from, to := 0, p.n
	if to > 0 && p.places[to-1].before(at) {
		return to
	}
	for from < to {
		if middle := (from + to) >> 1; p.places[middle].before(at) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// near is where a place is if that is at a number on the page or a little before it; -1: it
// is not.
func (p *orderPage) near(at place, i int) int {
	const little = 8
	i = min(i, p.n-1)
	for last := max(0, i-little); i >= last; i-- {
		if p.places[i].id == at.id {
			return i
		}
	}
	return -1
}

func (p *orderPage) insert(i int, at place, estimate float64, s Slot) {
	if i < p.n {
		copy(p.estimates[i+1:p.n+1], p.estimates[i:p.n])
		copy(p.places[i+1:p.n+1], p.places[i:p.n])
		copy(p.slots[i+1:p.n+1], p.slots[i:p.n])
	}
	p.estimates[i], p.places[i], p.slots[i] = estimate, at, s
	p.n++
}

func (p *orderPage) remove(i int) {
	copy(p.estimates[i:p.n-1], p.estimates[i+1:p.n])
	copy(p.places[i:p.n-1], p.places[i+1:p.n])
	copy(p.slots[i:p.n-1], p.slots[i+1:p.n])
	p.n--
}

// copy puts what another page has from a number on at the end of this one.
func (p *orderPage) copy(other *orderPage, from int) {
	copy(p.estimates[p.n:], other.estimates[from:other.n])
	copy(p.places[p.n:], other.places[from:other.n])
	copy(p.slots[p.n:], other.slots[from:other.n])
	p.n += other.n - from
}

// least is the least estimate on the page.
func (p *orderPage) least() float64 { return leastOf(p.estimates[:p.n]) }

func leastOf(estimates []float64) float64 {
	least := math.Inf(1)
	for _, x := range estimates {
		if x < least {
			least = x
		}
	}
	return least
}

// blankPages are pages that orders gave back, for the next that needs one.
type blankPages []*orderPage

func (b *blankPages) get() *orderPage {
	last := len(*b) - 1
	if last < 0 {
		return new(orderPage)
	}
	page := (*b)[last]
	*b = (*b)[:last]
	return page
}

func (b *blankPages) put(page *orderPage) {
	page.n = 0
	*b = append(*b, page)
}
