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
	fresh  []Slot // who came since the last plan, and has no place in the indexes
	came   []Slot // who came since the last plan, whatever has become of them
	heads  lane
	latest heap
	widths bitset  // widths that somebody waits with
	roots  []int32 // by width: tree of the jobs by rank
}

func newQueue(processors int) queue {
	return queue{widths: newBitset(processors + 1), roots: make([]int32, processors+1)}
}

// add lets a job wait. It is found at once, but takes its place in the indexes
// only when a plan has been made and it still waits: most jobs start on the
// spot.
func (q *queue) add(e *Entry, s Slot) {
	q.n++
	if e.choosy {
		q.choosy++
	}
	q.ticket++
	e.ticket, e.fresh = q.ticket, true
	q.fresh, q.came = append(q.fresh, s), append(q.came, s)
}

// index gives those who still wait their places in the indexes.
func (q *queue) index(o *order, slots []Entry) {
	for _, s := range q.fresh {
		e := &slots[s]
		e.fresh = false
		q.heads.push(heapItem{key: float64(e.Terms.Rank), id: e.Job.ID, slot: s, ticket: e.ticket})
		if e.Terms.Latest.Finite() {
			q.latest.push(heapItem{key: float64(e.Terms.Latest), id: e.Job.ID, slot: s, ticket: e.ticket})
		}
		w := e.Job.Width
		if q.roots[w] == 0 {
			q.widths.set(int(w))
		}
		q.roots[w] = o.insert(q.roots[w], item{
			rank: float64(e.Terms.Rank), id: e.Job.ID, estimate: float64(e.Job.Estimate), slot: s,
		})
	}
	q.fresh = q.fresh[:0]
}

// remove takes out a job that no longer waits.
func (q *queue) remove(o *order, e *Entry, s Slot, slots []Entry) {
	q.n--
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
	w := e.Job.Width
	if q.roots[w] = o.remove(q.roots[w], float64(e.Terms.Rank), e.Job.ID); q.roots[w] == 0 {
		q.widths.clear(int(w))
	}
	waits := func(s heapItem) bool {
		at := &slots[s.slot]
		return at.state == waiting && at.ticket == s.ticket
	}
	q.heads.prune(waits, q.n)
	if e.Terms.Latest.Finite() {
		q.latest.stale++
		q.latest.prune(waits)
	}
}

// head is the first job in rank; there is one.
func (q *queue) head(slots []Entry) Slot {
	first := q.heads.first()
	for _, s := range q.fresh {
		if first == NoSlot || slots[s].before(&slots[first]) {
			first = s
		}
	}
	return first
}

// before says who of two waiting jobs comes first.
func (e *Entry) before(f *Entry) bool {
	return e.Terms.Rank < f.Terms.Rank || e.Terms.Rank == f.Terms.Rank && e.Job.ID < f.Job.ID
}

// anyEstimate is longer than any estimate, and shorter than what an empty tree
// says of its least.
const anyEstimate = math.MaxFloat64

// firstFit returns the first job in rank that is at most as wide as the idle
// processors and either done within the window or at most as wide as extra.
func (q *queue) firstFit(o *order, slots []Entry, idle int, window market.Time, extra int) Slot {
	best := int32(0)
	limit := within(window)
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
	first := NoSlot
	if best != 0 {
		first = o.items[best].slot
	}
	return q.freshFit(slots, first, idle, limit, extra)
}

// within is the longest estimate that is done within a window.
func within(window market.Time) float64 { return min(float64(window+market.TimeSlack), anyEstimate) }

// freshFit returns the first of a job and those without a place in the indexes
// that fit.
func (q *queue) freshFit(slots []Entry, first Slot, idle int, limit float64, extra int) Slot {
	for _, s := range q.fresh {
		e := &slots[s]
		w := int(e.Job.Width)
		if w <= idle && (w <= extra || float64(e.Job.Estimate) <= limit) && (first == NoSlot || e.before(&slots[first])) {
			first = s
		}
	}
	return first
}

func (o *order) before(a, b int32) bool {
	x, y := &o.items[a], &o.items[b]
	return x.rank < y.rank || x.rank == y.rank && x.id < y.id
}

// mostFresh is how many jobs are looked for one by one before they take their
// places: thousands can arrive at one instant.
const mostFresh = 8

// inOrder lists the waiting jobs by rank.
func (b *Book) inOrder() []Slot {
	q := &b.queue
	slots := make([]Slot, 0, q.n)
	for _, items := range [...][]heapItem{q.heads.row[q.heads.gone:], q.heads.rest.items} {
		for _, x := range items {
			if e := &b.slots[x.slot]; e.state == waiting && e.ticket == x.ticket {
				slots = append(slots, x.slot)
			}
		}
	}
	slots = append(slots, q.fresh...)
	compare := func(x, y Slot) int {
		if b.slots[x].before(&b.slots[y]) {
			return -1
		}
		return 1
	}
	inOrder := true // it is, where the first comes first
	for i := 1; i < len(slots) && inOrder; i++ {
		inOrder = compare(slots[i-1], slots[i]) < 0
	}
	if !inOrder {
		slices.SortFunc(slots, compare)
	}
	return slots
}

func (b *Book) sortByID(slots []Slot) {
	slices.SortFunc(slots, func(x, y Slot) int { return int(b.slots[x].Job.ID - b.slots[y].Job.ID) })
}
