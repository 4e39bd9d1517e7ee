package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// lineup is who runs, who stands still, and for how long each could still stand still, where
// jobs make way for shorter ones: on each processor all that is there in the order in which it goes first.
//
// It is kept as it changes. Whoever came, left, went faster or slower, or was measured, is looked at anew, and so are those
// whom that makes earlier or later: below them who begins, and above them who may stand still. All else stays: who
// runs ends when it was to end, and who stands still begins when those before it end.
//
// It is a cache: made anew from the book it is the same.
type lineup struct {
	known bool // nobody has come or gone since
	of    book.View
	turn  int // of the last change of the book that it knows of

	up     []layer       // in no order
	at     []int32       // by slot: its place in up and 1; 0: it is not there
	stacks [][]book.Slot // by house: who is there, in the order in which they go first
	built  []uint64      // by house: the look at which that was put together
	looks  uint64
	stale  []book.Slot // who has to be looked at anew
	is     []bool      // by slot: it is among those
	line   []book.Slot // scratch: who is looked at next (a heap)
	upward bool        // the last of them first

	ends    bids    // when each ends, the first first, and how many processors that leaves idle
	lenders lenders // those who could make way
}

// layer is a job in the lineup.
type layer struct {
	standing
	slot   book.Slot
	since  market.Time // what was left then
	had    market.Work
	speed  float64
	rating float64     // of its slowest processor
	begins market.Time // when those who go first are done; long ago where it is first everywhere
	ends   market.Time // if nobody else comes
	spare  market.Time // how long it, and those below it, could stand still
	alone  int         // processors on which it goes last
	front  int         // processors on which it goes first
	moves  bool        // it is another already a moment later
	queued bool
}

var longAgo = -market.Never

// survey looks at all of which something has changed, or at all that runs: where somebody wants that, and where the book
// is read as if one of them were not there.
func (q *lineup) survey(v book.View, anew bool) {
	if q.known {
		return
	}
	q.known = true
	changed, turn, known := v.Changes(q.turn)
	q.turn = turn
	passing := anew || v.Confined()
	if passing || !known || q.of != v {
		q.forget()
		for _, s := range v.Running() {
			q.mark(s)
		}
	} else {
		for _, s := range changed {
			q.mark(s)
		}
		for _, h := range v.TouchedHouses() {
			for _, s := range v.House(h).Residents {
				q.mark(s)
			}
		}
		now := v.Now()
		for i := range q.up {
			if l := &q.up[i]; l.moves || l.ends < now {
				q.mark(l.slot)
			}
		}
	}
	q.look(v)
	if q.of = v; passing {
		q.of = book.View{} // and anew next time
	}
}

// mark notes that somebody has to be looked at anew.
func (q *lineup) mark(s book.Slot) {
	for int(s) >= len(q.is) {
		q.is = append(q.is, false)
	}
	if !q.is[s] {
		q.is[s] = true
		q.stale = append(q.stale, s)
	}
}

// forget makes it a lineup of nobody.
func (q *lineup) forget() {
	for _, s := range q.stale {
		q.is[s] = false
	}
	clear(q.at)
	q.ends.clear()
	q.lenders.clear()
	q.stale, q.up = q.stale[:0], q.up[:0]
}

// still reports whether it is as it was for who came last, at this very moment: nothing else has happened, nobody who came
// has been given processors, and nobody was left out who asked for more.
func (q *lineup) still(v book.View) bool {
	return q.known && q.of == v && v.Cause() == book.Arrived && len(q.up) == len(v.Running())
}

// look looks at those who are to be looked at anew, and at all whom they make earlier or later.
func (q *lineup) look(v book.View) {
	q.looks++
	for len(q.stacks) < v.Houses() {
		q.stacks, q.built = append(q.stacks, nil), append(q.built, 0)
	}
	here := q.stale[:0]
	for _, s := range q.stale {
		q.is[s] = false
		if v.Here(s) && !v.Waits(s) {
			q.take(v, s)
			here = append(here, s)
		} else {
			q.drop(s)
		}
	}
	q.upward, q.line = false, q.line[:0]
	for _, s := range here {
		for _, h := range v.Entry(s).Houses() {
			if q.built[h] != q.looks {
				q.stack(v, h)
			}
		}
	}
	q.stale = q.stale[:0]
	below := q.stale
	for len(q.line) > 0 {
		s := q.pop()
		below = append(below, s)
		q.place(v, s)
	}
	q.upward = true
	for _, s := range below {
		q.push(s, v.Now())
	}
	for len(q.line) > 0 {
		q.settle(v, q.pop())
	}
	q.stale = below[:0]
}

// take takes down how a job stands.
func (q *lineup) take(v book.View, s book.Slot) {
	for int(s) >= len(q.at) {
		q.at = append(q.at, 0)
	}
	if q.at[s] == 0 {
		q.up = append(q.up, layer{})
		q.at[s] = market.Int32(len(q.up))
	}
	l, e := &q.up[q.at[s]-1], v.Entry(s)
	*l = layer{
		standing: standingOf(e, v.Now()), slot: s, had: e.Left, since: e.Since, speed: e.Speed, rating: slowestOf(v, e),
		ends: longAgo, spare: longAgo,
	}
}

// drop forgets a job that runs no more.
func (q *lineup) drop(s book.Slot) {
	if int(s) >= len(q.at) || q.at[s] == 0 {
		return
	}
	q.lenders.remove(s)
	q.ends.remove(s)
	i, last := q.at[s]-1, len(q.up)-1
	q.up[i] = q.up[last]
	q.at[q.up[i].slot] = i + 1
	q.up, q.at[s] = q.up[:last], 0
}

// stack puts those on a house in order, and looks at them next.
func (q *lineup) stack(v book.View, h int32) {
	q.built[h] = q.looks
	there := q.stacks[h][:0]
	for _, s := range v.House(h).Residents {
		if int(s) >= len(q.at) || q.at[s] == 0 {
			continue // it is left out
		}
		q.push(s, v.Now())
		at := len(there)
		for there = append(there, s); at > 0 && q.goesFirst(s, there[at-1]); at-- {
			there[at] = there[at-1]
		}
		there[at] = s
	}
	q.stacks[h] = there
}

func (q *lineup) goesFirst(s, other book.Slot) bool {
	return q.up[q.at[s]-1].before(q.up[q.at[other]-1].standing)
}

// push puts a job among those who are looked at next, as it stands now.
func (q *lineup) push(s book.Slot, now market.Time) {
	l := &q.up[q.at[s]-1]
	if l.queued {
		return
	}
	l.queued = true
	l.left = l.had - market.Work(float64(float64(now-l.since)*l.speed))
	at := len(q.line)
	for q.line = append(q.line, s); at > 0 && q.sooner(s, q.line[(at-1)/2]); at = (at - 1) / 2 {
		q.line[at] = q.line[(at-1)/2]
	}
	q.line[at] = s
}

// sooner reports whether one is looked at before another.
func (q *lineup) sooner(s, other book.Slot) bool {
	if q.upward {
		return q.goesFirst(other, s)
	}
	return q.goesFirst(s, other)
}

// pop takes out who is looked at next.
func (q *lineup) pop() book.Slot {
	first, last := q.line[0], len(q.line)-1
	s, at := q.line[last], 0
	q.line = q.line[:last]
	for next := 1; next < last; next = 2*at + 1 {
		if next+1 < last && q.sooner(q.line[next+1], q.line[next]) {
			next++
		}
		if !q.sooner(q.line[next], s) {
			break
		}
		q.line[at] = q.line[next]
		at = next
	}
	if last > 0 {
		q.line[at] = s
	}
	q.up[q.at[first]-1].queued = false
	return first
}

// place says when a job begins and ends, once that is known of all who go before it.
func (q *lineup) place(v book.View, s book.Slot) {
	l, now := &q.up[q.at[s]-1], v.Now()
	was := l.ends
	l.begins, l.front, l.alone = longAgo, 0, 0
	houses := v.Entry(s).Houses()
	for _, h := range houses {
		there := q.stacks[h]
		k := slices.Index(there, s)
		if k == 0 {
			l.front += v.House(h).N
		} else {
			l.begins = max(l.begins, q.up[q.at[there[k-1]]-1].ends)
		}
		if k == len(there)-1 {
			l.alone += v.House(h).N
		}
	}
	first := l.begins == longAgo
	l.moves = first && l.speed != l.rating
	if l.ends = l.since + market.Time(float64(l.had)/l.rating); !first || l.moves || l.ends < now {
		l.ends = max(l.begins, now) + market.Time(float64(max(l.left, 0))/l.rating)
	}
	q.ends.put(bid{rate: -float64(l.ends), need: int64(l.alone), slot: s})
	if l.ends == was {
		return
	}
	for _, h := range houses {
		if there := q.stacks[h]; there[len(there)-1] != s {
			q.push(there[slices.Index(there, s)+1], now)
		}
	}
}

// settle says how long a job could stand still, once that is known of those below it. Who is over
// its estimate may be done at any moment, and who has not had anything yet has not begun: neither is
// made to wait.
func (q *lineup) settle(v book.View, s book.Slot) {
	l, e := &q.up[q.at[s]-1], v.Entry(s)
	was := l.spare
	l.spare, l.moves = e.Due()-l.ends, l.moves || e.Reserved() // which begins anew at every moment
	if begun := l.left < e.Job.Estimate; !begun || l.left.Over() {
		l.spare = min(l.spare, 0)
		l.moves = l.moves || !begun && l.speed > 0
	}
	for _, h := range e.Houses() {
		if there := q.stacks[h]; there[len(there)-1] != s {
			l.spare = min(l.spare, q.up[q.at[there[slices.Index(there, s)+1]]-1].spare)
		}
	}
	q.lend(e, l)
	if l.spare == was {
		return
	}
	for _, h := range e.Houses() {
		there := q.stacks[h]
		if k := slices.Index(there, s); k > 0 {
			q.push(there[k-1], v.Now())
		}
	}
}

// lend takes down what a job could lend.
func (q *lineup) lend(e *book.Entry, l *layer) {
	if l.front == 0 || l.spare < 0 {
		q.lenders.remove(l.slot)
		return
	}
	pays := float64(e.Terms.Price) / lengthOf(&e.Job)
	q.lenders.put(lender{
		had: l.had, since: l.since, speed: l.speed, begins: l.begins, pays: pays, each: pays / float64(l.front),
		procs: l.front, job: l.job, slot: l.slot, last: l.last,
	}, l.spare)
}

// leads reports whether a job goes first on a house.
func (q *lineup) leads(s book.Slot, house int32) bool { return q.stacks[house][0] == s }
