package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// lineup is who runs, who stands still, and for how long each could still stand still, where
// jobs make way for shorter ones: all that runs in the order in which it goes first.
type lineup struct {
	known bool // nobody has come or gone since
	of    book.View
	up    []layer
	ranks []ranked // those, in that order: the next time they hardly stand in another
	here  []uint64 // by slot: the last survey that met the job
	turn  uint64   // of that

	lenders  []lender      // those who could make way
	spares   []market.Time // theirs, next to each other: most are asked for more
	together lenders       // of all of them

	// By house.
	first []int32       // who goes first there, as a place in up; -1: nobody
	last  []int32       // who goes last
	until []market.Time // when all are done so far
	spare []market.Time // how long everybody there could stand still and be in time, and everybody below them
}

// layer is a job in the lineup.
type layer struct {
	standing
	slot   book.Slot
	begins market.Time // when those who go first are done
	ends   market.Time // if nobody else comes
	spare  market.Time // how long it, and those below it, could stand still
	rating float64     // of its slowest processor
	alone  int         // processors on which it goes last
	front  int         // processors on which it goes first
}

// lender is a job that goes first somewhere and has time to spare.
type lender struct {
	left   market.Work
	begins market.Time
	pays   float64 // for a second
	each   float64 // the same, for each processor on which it goes first
	procs  int     // on which it goes first
	job    market.JobID
	at     int32 // in the lineup
	last   bool
}

// ranked is where a job stands in the lineup.
type ranked struct {
	standing
	slot book.Slot
}

// survey looks at all that runs, unless that is known.
func (q *lineup) survey(v book.View) {
	if q.known {
		return
	}
	q.known, q.together.drawn = true, false
	q.collect(v)
	q.first, q.last = emptied(q.first, v.Houses()), emptied(q.last, v.Houses())
	q.until = slices.Grow(q.until[:0], v.Houses())[:v.Houses()]
	q.spare = slices.Grow(q.spare[:0], v.Houses())[:v.Houses()]
	now := v.Now()
	q.of = v
	for i := range q.up {
		l := &q.up[i]
		l.begins = now
		houses := v.Entry(l.slot).Houses()
		for _, h := range houses {
			if q.first[h] < 0 {
				q.first[h] = market.Int32(i)
				l.front += v.House(h).N
				continue
			}
			l.begins = max(l.begins, q.until[h])
		}
		l.ends = l.begins + market.Time(float64(max(l.left, 0))/l.rating)
		for _, h := range houses {
			q.until[h], q.last[h] = l.ends, market.Int32(i)
		}
	}
	q.lenders, q.spares = q.lenders[:0], q.spares[:0]
	for i := len(q.up) - 1; i >= 0; i-- {
		q.settle(v, i)
		if l := &q.up[i]; l.front > 0 && l.spare >= 0 {
			e := v.Entry(l.slot)
			q.spares = append(q.spares, l.spare)
			pays := float64(e.Terms.Price) / lengthOf(&e.Job)
			q.lenders = append(q.lenders, lender{
				left: l.left, begins: l.begins, pays: pays, each: pays / float64(l.front),
				procs: l.front, job: l.job, at: market.Int32(i), last: l.last,
			})
		}
	}
}

// still reports whether it is as it was for who came last, at this very moment: nothing else has happened, nobody who came
// has been given processors, and nobody was left out who asked for more.
func (q *lineup) still(v book.View) bool {
	return q.known && q.of == v && v.Cause() == book.Arrived && len(q.up) == len(v.Running())
}

// collect lists who runs, those who have least left first.
func (q *lineup) collect(v book.View) {
	running := v.Running()
	q.turn++
	for _, s := range running {
		for int(s) >= len(q.here) {
			q.here = append(q.here, 0)
		}
		q.here[s] = q.turn
	}
	before := q.ranks
	q.ranks = q.ranks[:0]
	stands := func(s book.Slot) {
		if int(s) < len(q.here) && q.here[s] == q.turn {
			q.here[s] = 0
			q.ranks = append(q.ranks, ranked{standing: standingOf(v.Entry(s), v.Now()), slot: s})
		}
	}
	for i := range before {
		stands(before[i].slot)
	}
	stayed := len(q.ranks)
	for _, s := range running {
		stands(s)
	}
	if come := len(q.ranks) - stayed; come > manyCome {
		slices.SortFunc(q.ranks, func(a, b ranked) int {
			if a.before(b.standing) {
				return -1
			}
			return 1
		})
	} else {
		nearlyInOrder(q.ranks)
	}
	q.up = q.up[:0]
	for i := range q.ranks {
		r := &q.ranks[i]
		q.up = append(q.up, layer{standing: r.standing, slot: r.slot, rating: slowestOf(v, v.Entry(r.slot))})
	}
}

// manyCome is from how many new jobs on all are sorted.
const manyCome = 8

// nearlyInOrder puts jobs in order of which few stand where they should not.
func nearlyInOrder(ranks []ranked) {
	for i := 1; i < len(ranks); i++ {
		if !ranks[i].before(ranks[i-1].standing) {
			continue
		}
		x, at := ranks[i], i
		for ; at > 0 && x.before(ranks[at-1].standing); at-- {
			ranks[at] = ranks[at-1]
		}
		ranks[at] = x
	}
}

// settle says how long a job could stand still, once that is known of those below it. Who is over
// its estimate may be done at any moment, and who has not had anything yet has not begun: neither is
// made to wait.
func (q *lineup) settle(v book.View, i int) {
	l, e := &q.up[i], v.Entry(q.up[i].slot)
	l.spare, l.alone = e.Due()-l.ends, 0
	if l.left.Over() || l.left >= e.Job.Estimate {
		l.spare = min(l.spare, 0)
	}
	for _, h := range e.Houses() {
		if q.last[h] == market.Int32(i) {
			l.alone += v.House(h).N
			q.spare[h] = market.Never
		}
		l.spare = min(l.spare, q.spare[h])
	}
	for _, h := range e.Houses() {
		q.spare[h] = l.spare
	}
}

// emptied is a list of so many places, none of them taken.
func emptied(list []int32, n int) []int32 {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = -1
	}
	return list
}
