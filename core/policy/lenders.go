package policy

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// lenders are those who could make way. Those who run cost by the second what they pay, for as long as a job takes: they are
// kept in the order of what each of their processors costs. Those who stand still somewhere would wait in any case
// for a while, so that what they cost depends on the job: they are few.
type lenders struct {
	list   []lender
	spares []market.Time // theirs, next to each other: most are asked for more
	at     []int32       // by slot: its place among those and 1; 0: it is none
	cheap  bids          // those who run; what they are paid is below zero, so that the first asks for the least
	long   bids          // the same, by when they have nothing left
	still  []book.Slot   // the others
	place  []int32       // by slot: its place among those and 1

	costs []cost // scratch: of those who stand still
}

// cost is what each of some processors costs.
type cost struct {
	each  float64
	procs int
}

// lender is a job that goes first somewhere and has time to spare.
type lender struct {
	had    market.Work // left at since
	since  market.Time
	speed  float64
	begins market.Time
	pays   float64 // for a second
	each   float64 // the same, for each processor on which it goes first
	procs  int     // on which it goes first
	job    market.JobID
	slot   book.Slot
	last   bool
}

// leftAt is what the job has left.
func (l *lender) leftAt(now market.Time) market.Work {
	return l.had - market.Work(float64(float64(now-l.since)*l.speed))
}

// makesWay reports whether it is in no hurry, or longer than a job.
func (l *lender) makesWay(estimate market.Work, now market.Time) bool {
	return l.last || estimate < l.leftAt(now)-market.WorkSlack
}

// done is when it has nothing left, or later.
func (l *lender) done() float64 {
	if l.last || l.speed != 1 {
		return math.Inf(1)
	}
	return float64(l.since) + float64(l.had)
}

// late is by how much a job delays it that takes until some time.
func (l *lender) late(until, now market.Time) float64 {
	return float64(max(0, until-max(now, l.begins)))
}

// room makes places for slots.
func (q *lenders) room(s book.Slot) {
	for int(s) >= len(q.at) {
		q.at, q.place = append(q.at, 0), append(q.place, 0)
	}
}

// clear strikes out all of them.
func (q *lenders) clear() {
	clear(q.at)
	clear(q.place)
	q.cheap.clear()
	q.long.clear()
	q.list, q.spares, q.still = q.list[:0], q.spares[:0], q.still[:0]
}

// put takes one down, in place of what was there of it before.
func (q *lenders) put(l lender, spare market.Time) {
	s := l.slot
	q.room(s)
	if q.at[s] == 0 {
		q.list, q.spares = append(q.list, lender{}), append(q.spares, 0)
		q.at[s] = market.Int32(len(q.list))
	}
	i := q.at[s] - 1
	q.list[i], q.spares[i] = l, spare
	if l.begins == longAgo {
		q.stands(s, false)
		q.cheap.put(bid{rate: -l.each, need: int64(l.procs), slot: s})
		q.long.put(bid{rate: l.done(), need: int64(l.procs), slot: s})
		return
	}
	q.cheap.remove(s)
	q.long.remove(s)
	q.stands(s, true)
}

// remove strikes one out, if it is there.
func (q *lenders) remove(s book.Slot) {
	if int(s) >= len(q.at) || q.at[s] == 0 {
		return
	}
	q.cheap.remove(s)
	q.long.remove(s)
	q.stands(s, false)
	i, last := q.at[s]-1, len(q.list)-1
	q.list[i], q.spares[i] = q.list[last], q.spares[last]
	q.at[q.list[i].slot] = i + 1
	q.list, q.spares, q.at[s] = q.list[:last], q.spares[:last], 0
}

// stands notes whether one stands still somewhere.
func (q *lenders) stands(s book.Slot, still bool) {
	i, last := q.place[s]-1, len(q.still)-1
	switch {
	case still && i < 0:
		q.still = append(q.still, s)
		q.place[s] = market.Int32(len(q.still))
	case !still && i >= 0:
		q.still[i] = q.still[last]
		q.place[q.still[i]] = i + 1
		q.still, q.place[s] = q.still[:last], 0
	}
}

// suit reports whether one could make way for a job that takes so long.
func (q *lenders) suit(s book.Slot, j *market.Job, long, now market.Time) bool {
	i := q.at[s] - 1
	return q.spares[i] >= long && q.list[i].makesWay(j.Estimate, now)
}

// hopeless reports that a job which needs so many processors more than are idle, and takes so long, finds nobody to make
// way for it: there are too few, or it would not even pay for the cheapest, each of them by itself. Who is chosen
// costs no less.
func (p *makeWay) hopeless(v book.View, j *market.Job, missing int, price market.Price, long market.Time) bool {
	if missing <= 0 || p.everybody {
		return false
	}
	q, now, times := &p.line.lenders, v.Now(), p.times(v)
	q.costs = q.costs[:0]
	able := int(q.long.needAbove(float64(now) + float64(j.Estimate))) // those who run longer, at most
	for _, s := range q.still {
		if q.suit(s, j, long, now) {
			l := &q.list[q.at[s]-1]
			q.costs = append(q.costs, cost{each: l.each * l.late(now+long, now), procs: l.procs})
			able += l.procs
		}
	}
	if able < missing {
		return true
	}
	slices.SortFunc(q.costs, func(a, b cost) int {
		if a.each < b.each {
			return -1
		}
		return 1
	})
	sum, others := 0.0, q.costs
	tooDear := func(c cost) bool {
		n := min(c.procs, missing)
		missing -= n
		sum += c.each * float64(n)
		return !(passage{cost: sum * roundingDown, times: times}).paidBy(price)
	}
	for r := range q.cheap.rows {
		for i := range q.cheap.rows[r].bids {
			b := &q.cheap.rows[r].bids[i]
			if !q.suit(b.slot, j, long, now) {
				continue
			}
			c := cost{each: -b.rate * float64(long), procs: int(b.need)}
			for len(others) > 0 && others[0].each < c.each && missing > 0 {
				if tooDear(others[0]) {
					return true
				}
				others = others[1:]
			}
			if missing <= 0 {
				return false
			}
			if tooDear(c) {
				return true
			}
		}
	}
	for ; len(others) > 0 && missing > 0; others = others[1:] {
		if tooDear(others[0]) {
			return true
		}
	}
	return missing > 0
}
