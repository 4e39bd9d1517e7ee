package policy

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// lineup is who runs, who stands still, and for how long each could still stand still, where
// jobs make way for shorter ones: all that runs in the order in which it goes first.
type lineup struct {
	known bool // nobody has come or gone since
	up    []layer

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
}

// survey looks at all that runs, unless that is known.
func (q *lineup) survey(v book.View) {
	if q.known {
		return
	}
	q.known = true
	q.collect(v)
	q.first, q.last = emptied(q.first, v.Houses()), emptied(q.last, v.Houses())
	q.until = slices.Grow(q.until[:0], v.Houses())[:v.Houses()]
	q.spare = slices.Grow(q.spare[:0], v.Houses())[:v.Houses()]
	now := v.Now()
	for i := range q.up {
		l := &q.up[i]
		l.begins = now
		houses := v.Entry(l.slot).Houses()
		for _, h := range houses {
			if q.first[h] < 0 {
				q.first[h] = market.Int32(i)
				continue
			}
			l.begins = max(l.begins, q.until[h])
		}
		l.ends = l.begins + market.Time(float64(max(l.left, 0))/l.rating)
		for _, h := range houses {
			q.until[h], q.last[h] = l.ends, market.Int32(i)
		}
	}
	for i := len(q.up) - 1; i >= 0; i-- {
		q.settle(v, i)
	}
}

// collect lists who runs, those who have least left first.
func (q *lineup) collect(v book.View) {
	q.up = q.up[:0]
	for _, s := range v.Running() {
		e := v.Entry(s)
		q.up = append(q.up, layer{standing: standingOf(e, v.Now()), slot: s, rating: slowestOf(v, e)})
	}
	slices.SortFunc(q.up, func(a, b layer) int {
		if a.before(b.standing) {
			return -1
		}
		return 1
	})
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

// sortByEnd puts jobs in the order in which they end.
func sortByEnd(up []layer) {
	slices.SortFunc(up, func(a, b layer) int {
		return cmp.Or(cmp.Compare(a.ends, b.ends), cmp.Compare(a.job, b.job))
	})
}

// emptied is a list of so many places, none of them taken.
func emptied(list []int32, n int) []int32 {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = -1
	}
	return list
}
