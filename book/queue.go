package book

import (
	"math"
	"slices"

	"libra/market"
)

// queue holds the waiting jobs: by rank for who is next, by width and estimate
// for who fits into a gap, by latest start for who has waited in vain. With a
// queue of 40,000 a plain scan for each of these is what makes a simulator, or
// a controller, stand still.
type queue struct {
	n      int
	needy  int // of them, how many ask for memory or disk
	ticket uint32
	heads  heap
	latest heap
	widths bitset  // widths that somebody waits with
	roots  []int32 // by width: tree of the jobs by rank
}

func newQueue(processors int) queue {
	return queue{widths: newBitset(processors + 1), roots: make([]int32, processors+1)}
}

func (q *queue) add(o *order, e *Entry, s Seat) {
	q.n++
	if e.needy {
		q.needy++
	}
	q.ticket++
	e.ticket = q.ticket
	q.heads.push(heapSlot{key: e.Terms.Rank, id: e.Job.ID, seat: s, ticket: e.ticket})
	if e.Terms.Latest.Finite() {
		q.latest.push(heapSlot{key: float64(e.Terms.Latest), id: e.Job.ID, seat: s, ticket: e.ticket})
	}
	w := e.Job.Width
	if q.roots[w] == 0 {
		q.widths.set(int(w))
	}
	q.roots[w] = o.insert(q.roots[w], item{
		rank: e.Terms.Rank, id: e.Job.ID, estimate: float64(e.Job.Estimate), width: w, seat: s,
	})
}

func (q *queue) remove(o *order, e *Entry) {
	q.n--
	if e.needy {
		q.needy--
	}
	w := e.Job.Width
	if q.roots[w] = o.remove(q.roots[w], e.Terms.Rank, e.Job.ID); q.roots[w] == 0 {
		q.widths.clear(int(w))
	}
	q.heads.stale++
	if e.Terms.Latest.Finite() {
		q.latest.stale++
	}
}

// settle clears away what no longer waits at the top of the heaps.
func (q *queue) settle(seats []Entry) {
	waits := func(s heapSlot) bool {
		e := &seats[s.seat]
		return e.state == waiting && e.ticket == s.ticket
	}
	q.heads.settle(waits)
	q.latest.settle(waits)
}

// anyEstimate is longer than any estimate, and shorter than what an empty tree
// says of its least.
const anyEstimate = math.MaxFloat64

// firstFit returns the first job in rank that is at most as wide as the idle
// processors and either done within the window or at most as wide as extra.
func (q *queue) firstFit(o *order, idle int, window market.Time, extra int) Seat {
	best := int32(0)
	limit := min(float64(window+market.TimeSlack), anyEstimate)
	for w := q.widths.next(0); w >= 0 && w <= idle; w = q.widths.next(w + 1) {
		if w > extra && o.items[q.roots[w]].minEstimate > limit {
			continue
		}
		most := limit
		if w <= extra {
			most = anyEstimate
		}
		if i := o.firstWithin(q.roots[w], most); i != 0 && (best == 0 || o.before(i, best)) {
			best = i
		}
	}
	if best == 0 {
		return NoSeat
	}
	return o.items[best].seat
}

func (o *order) before(a, b int32) bool {
	x, y := &o.items[a], &o.items[b]
	return x.rank < y.rank || x.rank == y.rank && x.id < y.id
}

// inOrder lists the waiting jobs by rank.
func (b *Book) inOrder() []Seat {
	items := make([]int32, 0, b.queue.n)
	for w := b.queue.widths.next(0); w >= 0; w = b.queue.widths.next(w + 1) {
		items = b.order.list(b.queue.roots[w], items)
	}
	slices.SortFunc(items, func(x, y int32) int {
		if b.order.before(x, y) {
			return -1
		}
		return 1
	})
	seats := make([]Seat, len(items))
	for i, n := range items {
		seats[i] = b.order.items[n].seat
	}
	return seats
}

func (b *Book) sortByID(seats []Seat) {
	slices.SortFunc(seats, func(x, y Seat) int { return int(b.seats[x].Job.ID - b.seats[y].Job.ID) })
}
