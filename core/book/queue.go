package book

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// queue holds the waiting jobs: by rank for who is next, by width and estimate
// for who fits into a gap, by latest start for who has waited in vain. With a
// queue of 40,000 a plain scan for each of these is what makes a simulator, or
// a controller, stand still.
type queue struct {
	n      int
	choosy int // of them, for how many not every processor will do
	ticket uint32
	waits  []uint32 // by slot: the ticket of the job that waits there; 0: none does. It is small enough to stay near, where entries are not
	fresh  []Slot   // who came since the last plan, and has no place in the indexes
	came   []Slot   // who came since the last plan, whatever has become of them
	heads  lane
	roll   roll
	latest heap
	widths bitset    // widths that somebody waits with
	orders []order   // of the jobs of one width each
	leasts []float64 // by order: its least estimate. Most widths have nobody who is short enough: a pass goes along these
	which  []int32   // by width: its order; 0: nobody has ever waited with it
	blank  blankPages
}

func newQueue(processors int) queue {
	return queue{widths: newBitset(processors + 1), orders: make([]order, 1), leasts: make([]float64, 1), which: make([]int32, processors+1)}
}

// of is the order of the jobs of a width, and its number.
func (q *queue) of(width int32) (*order, int32) {
	if q.which[width] == 0 {
		q.which[width] = market.Int32(len(q.orders))
		o := newOrder()
		q.orders, q.leasts = append(q.orders, o), append(q.leasts, o.least)
	}
	n := q.which[width]
	return &q.orders[n], n
}

// add lets a job wait. It is found at once, but takes its place in the indexes
// only when a plan has been made and it still waits: most jobs start on the
// spot.
func (q *queue) add(e *Entry, s Slot) {
	q.n++
	if e.choosy {
		q.choosy++
	}
	q.ticket = max(1, q.ticket+1)
	for len(q.waits) <= int(s) {
		q.waits = append(q.waits, 0)
	}
	q.waits[s], e.fresh = q.ticket, true
	q.fresh, q.came = append(q.fresh, s), append(q.came, s)
}

// index gives those who still wait their places in the indexes.
func (q *queue) index(slots *entries) {
	for _, s := range q.fresh {
		e := slots.at(s)
		e.fresh = false
		head := heapItem{key: float64(e.Terms.Rank), id: e.Job.ID, slot: s, ticket: q.waits[s]}
		q.heads.push(head)
		q.roll.join(head)
		if e.Terms.Latest.Finite() {
			q.latest.push(heapItem{key: float64(e.Terms.Latest), id: e.Job.ID, slot: s, ticket: q.waits[s]})
		}
		q.widths.set(int(e.Job.Width))
		o, n := q.of(e.Job.Width)
		o.insert(e.place(), float64(e.Job.Estimate), s, &q.blank)
		q.leasts[n] = o.least
	}
	q.fresh = q.fresh[:0]
}

// remove takes out a job that no longer waits.
func (q *queue) remove(e *Entry, s Slot) {
	q.n--
	q.waits[s] = 0
	if e.choosy {
		q.choosy--
	}
	if e.fresh {
		if q.fresh[0] == s { // it nearly always is
			q.fresh = append(q.fresh[:0], q.fresh[1:]...)
			return
		}
		i := slices.Index(q.fresh, s)
		q.fresh = slices.Delete(q.fresh, i, i+1)
		return
	}
	q.roll.left = true
	o, n := q.of(e.Job.Width)
	o.remove(e.place(), float64(e.Job.Estimate), &q.blank)
	q.leasts[n] = o.least
	if len(o.pages) == 0 {
		q.widths.clear(int(e.Job.Width))
	}
	still := func(s heapItem) bool { return q.still(s) }
	q.heads.prune(still, q.n)
	if e.Terms.Latest.Finite() {
		q.latest.stale++
		q.latest.prune(still)
	}
}

// still reports whether a job waits as it did when it was put into an index.
func (q *queue) still(s heapItem) bool { return s.ticket != 0 && q.waits[s.slot] == s.ticket }

// head is the first job in rank; there is one.
func (q *queue) head(slots *entries) Slot {
	first := q.heads.first()
	for _, s := range q.fresh {
		if first == NoSlot || slots.at(s).before(slots.at(first)) {
			first = s
		}
	}
	return first
}

// before says who of two waiting jobs comes first.
func (e *Entry) before(f *Entry) bool { return e.place().before(f.place()) }

func (e *Entry) place() place { return place{rank: float64(e.Terms.Rank), id: e.Job.ID} }

// anyEstimate is longer than any estimate, and shorter than what an empty order
// says of its least.
const anyEstimate = math.MaxFloat64

// firstFit returns the first job in rank that is at most as wide as the idle
// processors and either done within the window or at most as wide as extra.
func (q *queue) firstFit(slots *entries, idle int, window market.Time, extra int) Slot {
	first, at := NoSlot, behindAll
	limit := within(window)
	for w := q.widths.next(0); w >= 0 && w <= idle; w = q.widths.next(w + 1) {
		most := limit
		if w <= extra {
			most = anyEstimate
		}
		n := q.which[w]
		if q.leasts[n] > most {
			continue
		}
		if s, its := q.orders[n].firstWithin(most, at); s != NoSlot {
			first, at = s, its
		}
	}
	return q.freshFit(slots, first, idle, limit, extra)
}

// within is the longest estimate that is done within a window.
func within(window market.Time) float64 { return min(float64(window+market.TimeSlack), anyEstimate) }

// freshFit returns the first of a job and those without a place in the indexes
// that fit.
func (q *queue) freshFit(slots *entries, first Slot, idle int, limit float64, extra int) Slot {
	for _, s := range q.fresh {
		e := slots.at(s)
		w := int(e.Job.Width)
		if w <= idle && (w <= extra || float64(e.Job.Estimate) <= limit) && (first == NoSlot || e.before(slots.at(first))) {
			first = s
		}
	}
	return first
}

// mostFresh is how many jobs are looked for one by one before they take their
// places: thousands can arrive at one instant.
const mostFresh = 8

func (b *Book) sortByID(slots []Slot) {
	slices.SortFunc(slots, func(x, y Slot) int { return int(b.slots.at(x).Job.ID - b.slots.at(y).Job.ID) })
}
