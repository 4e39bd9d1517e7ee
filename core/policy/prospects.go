package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// prospects says of every processor that somebody is on what it could bring at most
// with a further task, for a while, so that admission need not ask everybody.
// Processors that nobody is on are alike, and the book has them in order.
//
// It is a cache: made anew from the book it bounds the same answers.
type prospects struct {
	of       book.View
	made     bool
	last     market.Time // when it was last looked at: bounds hold from then on
	fresh    []int32     // processors with other tasks, or speeds, than when somebody last came
	noted    []bool      // by processor: whether it is among those
	odd      []bool      // by processor: whether a job without a deadline is on it, of which no sum says what it brings
	odds     int         // how many are
	at       []prospect  // by processor, in a small cluster; those of which something has happened are none
	order    richest     // there
	grove    grove       // in one that is not, of families
	next     expiry      // there, of families
	families families    // there
	part     float64     // see adapt
	came     int
	again    int
	far      int // how many have been gone along
	moved    int // how many were not what they had been
	few      int // with how many in use a cluster is small again; 0: it never is
}

// prospect bounds what one processor could bring with a further task until a time. The
// zero value is that of a processor that nobody is on.
type prospect struct {
	until market.Time
	worth float64 // what its tasks bring if they are in time
	gap   float64 // what it is expected to bring less than that
	free  float64 // work per second that nobody needs, at most
	rank  float64 // of the top one
	// For a task that would not be the top one, and for one that would:
	rest  [2]float64 // work per second that is not for hard tasks and the top one, at most
	fines [2]float64 // of the other tasks, for a delay as long as the period that is left: at least
	// How much closer the bounds are each second before until: of what is free and what is
	// not for those who come first, and of the fines.
	closer, finer float64
	proc          int32 // in a grove, a family's number
	some          bool
}

// expires is until when a bound holds.
func (q *prospect) expires() market.Time {
	if !q.some {
		return market.Never
	}
	return q.until
}

// unsure is more than what rounding does to a share of a processor, or to a return.
const unsure = 1e-6

// long is longer than any bound that gets closer holds.
const long = 1e12

// What a processor in a small cluster has for a bound of which something has happened: until it is asked, and until it
// is to be asked once more.
var (
	notAsked  = -market.Never
	askedOnce = market.Time(-math.MaxFloat64)
)

// asking is a task at the door, as prospects see it.
type asking struct {
	need  float64 // work per second
	worth float64
	fines float64 // for a delay as long as its period, if it has to bear one
	rank  float64
	now   market.Time
	hard  bool
	slim  bool // it needs so little that rounding decides what it costs
	// Where it would not be the top one, and where it would: what it takes of the rest, what it has to
	// pay for a delay, and whether the top one, who stays that, is worth a closer look.
	takes, bears, looks [2]float64
}

func newAsking(added *book.Task, now market.Time) asking {
	period := float64(added.Due - now)
	a := asking{need: float64(added.Left) / period, worth: added.Worth, rank: added.Rank, now: now, hard: !added.Soft}
	if added.Soft {
		a.fines = float64(added.Fine * period)
	}
	a.settle()
	return a
}

// settle works out what it is asked with from what it is.
func (a *asking) settle() {
	a.slim = a.need <= 3*unsure
	a.takes, a.bears, a.looks = [2]float64{0, a.need}, [2]float64{a.fines, 0}, [2]float64{1, 0}
	if a.hard {
		a.takes[0] = a.need
	}
}

// most is what a processor could bring at most whose tasks bring so much.
func (a *asking) most(worth float64) float64 {
	most := worth + a.worth
	return most + float64(1e-3*unsure*most)
}

// sync makes it the prospects of a book, or notes what was touched since the last plan.
func (r *prospects) sync(v book.View) {
	if r.of == v && len(r.noted) == v.Processors() {
		for _, proc := range v.Touched() {
			r.note(v, int(proc))
		}
		return
	}
	r.draw(v, v.Processors() <= small)
}

// draw makes it the prospects of a book, in the order of what processors bring or in a grove.
func (r *prospects) draw(v book.View, inOrder bool) {
	n := v.Processors()
	*r = prospects{of: v, made: true, part: usualPart, last: v.Now(), noted: make([]bool, n), odd: make([]bool, n)}
	if inOrder {
		r.at, r.order = make([]prospect, n), newRichest(n)
	} else {
		r.grove, r.families = newGrove(), newFamilies(n)
	}
	for proc := range n {
		if len(v.Tasks(proc)) > 0 {
			r.note(v, proc)
		}
	}
}

// A grove is the shorter way where more processors are gone along for tasks at the door than these for each of them, and
// these for each processor that something happened to: it takes more to keep, and leaves out branches.
// Tests change them.
var (
	farForTask  = 800
	farForFresh = 100
	chooseAfter = 512 // tasks at the door
)

// choose chooses the shorter way: with few on it a cluster is small again.
func (r *prospects) choose(v book.View) {
	busy := v.Processors() - v.Idle()
	switch {
	case r.at != nil && r.came >= chooseAfter:
		if r.far > farForTask*r.came+farForFresh*r.moved {
			r.draw(v, false)
			r.few = busy / 2
			return
		}
		r.came, r.far, r.moved = 0, 0, 0
	case r.at == nil && busy < r.few:
		r.draw(v, true)
	}
}

// note notes that a processor is not what it was.
func (r *prospects) note(v book.View, proc int) {
	if !r.noted[proc] {
		r.noted[proc] = true
		r.fresh = append(r.fresh, market.Int32(proc))
	}
	pile := v.Pile(proc)
	if odd := pile.Endless || math.IsNaN(pile.Worth) || math.IsInf(pile.Worth, 0); odd != r.odd[proc] {
		r.odd[proc] = odd
		if odd {
			r.odds++
		} else {
			r.odds--
		}
	}
}

// reaches reports whether a processor could bring so much with a task. It is worthwhile of [libraSLA] with what
// the processor has at best: what the others would cost, more than is free over what is left for them
// of their fines, must be no more than the task brings, and leave as much as was asked for. Most of those that
// are asked this are turned down, some for one reason and some for another: so that all of
// them are put together, without a branch, and without a division.
func (q *prospect) reaches(a *asking, least float64) bool {
	before := float64(q.until - a.now)
	if before > long { // nothing is closer then
		before = 0
	}
	led := one(a.rank > q.rank) & 1
	closer, most := q.closer*before, a.most(q.worth)
	over := a.need - q.free + closer
	rest := q.rest[led] - a.takes[led] - closer*a.looks[led]
	cost := over * (q.fines[led] + a.bears[led] + q.finer*before)
	free := one(over <= 0) | one(a.slim)
	could := one(rest > 0) & one(cost <= (a.worth+q.gap+unsure*most)*rest) & one(cost <= (most-least)*rest)
	return one(most >= least)&(free|could) != 0
}

// one is 1 for what is so.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A bound is worked out for a part of the time in which anything changes: the shorter, the
// closer it is, and the sooner it has to be worked out again. In a large cluster it is so
// long that about as many are worked out again for every task at the door.
const (
	usualPart  = 0.2
	leastPart  = 0.002
	mostPart   = 0.4
	againEach  = 1
	adaptAfter = 64 // tasks at the door
)

// adapt notes how many bounds were worked out again.
func (r *prospects) adapt(again int) {
	r.came++
	r.again += again
	if r.came < adaptAfter {
		return
	}
	switch {
	case r.again > 8*againEach*adaptAfter:
		r.part = min(mostPart, r.part*1.25)
	case r.again < againEach*adaptAfter:
		r.part = max(leastPart, r.part/1.25)
	}
	r.came, r.again = 0, 0
}

// reckon renews a bound from an outlook.
func (q *prospect) reckon(o *outlook, tasks []book.Task, pile *book.Pile, now market.Time, part float64) {
	*q = prospect{proc: q.proc, some: true, worth: pile.Worth, gap: pile.Worth - pile.Return, rank: o.topRank, until: min(o.until, o.spent)}
	if math.IsNaN(q.gap) {
		q.gap = math.Inf(1)
	}
	switch {
	case now >= o.until:
		q.reckonLate(tasks, pile.Top, now, part)
		return
	case now >= o.spent: // the outlook knows nothing of over-runs
		q.free, q.until = math.Inf(1), o.until
		return
	}
	if fines := o.soft.fines(o.at, now); fines > 0 {
		q.until = min(q.until, now+market.Time(part*fines/o.soft.fine))
	}
	for _, c := range [...]*courses{&o.hard, &o.soft, &o.top} {
		for i := range c.strays {
			if s := &c.strays[i]; s.undone < 0 {
				q.until = min(q.until, now+market.Time(part)*(s.due-now))
			}
		}
	}
	hard, soft, top := o.hard.least(now, q.until), o.soft.least(now, q.until), o.top.least(now, q.until)
	q.fill(hard, soft, top, max(0, o.soft.fines(o.at, q.until)), max(0, o.top.fines(o.at, q.until)), o.topSoft)
	if ahead := float64(q.until - now); ahead > 0 && ahead < long {
		// Who is ahead of his course needs the less the later it is, and that falls ever faster.
		q.closer = max(0, o.top.need(now)-top) / ahead
		q.finer = max(0, o.soft.fine)
	}
}

// fill draws the bounds from the least that tasks need, and their least fines. They
// hold also where rounding makes that a little less.
func (q *prospect) fill(hard, soft, top, fines, topFines float64, topSoft bool) {
	q.rest[0] = 1 + unsure - hard - top
	q.free = q.rest[0] - soft
	q.fines[0] = fines
	q.rest[1], q.fines[1] = q.rest[0], q.fines[0]
	if topSoft {
		q.rest[1] = 1 + unsure - hard
		q.fines[1] += topFines
	}
}

// reckonLate renews a bound from the tasks themselves, where some of them run late: who
// cannot be in time any more with all of a processor needs that from now on, and is
// late by at least what the others make his work longer.
func (q *prospect) reckonLate(tasks []book.Task, top int, now market.Time, part float64) {
	q.until = market.Never
	for i := range tasks {
		t := &tasks[i]
		if t.BestEffort {
			continue
		}
		left, period := t.LeftAt(now), t.Due-now
		switch {
		case left <= 0:
		case lost(t, left, period):
			if t.Speed > 0 {
				q.until = min(q.until, now+market.Time(part*float64(left)/t.Speed))
			}
		default:
			q.until = min(q.until, now+market.Time(part)*period)
			if t.Speed > 0 {
				q.until = min(q.until, now+market.Time(float64(left)/t.Speed))
			}
		}
	}
	var need, fines [3]float64 // of the hard tasks, the soft ones, and the top one
	var whole [3]bool          // whether one of them needs all there is
	for i := range tasks {
		t, kind := &tasks[i], 0
		if t.BestEffort {
			continue
		}
		switch {
		case i == top:
			kind = 2
		case t.Soft:
			kind = 1
		}
		left, period := t.LeftAt(now), t.Due-now
		after := left
		if t.Speed > 0 { // else it stands, for ever if need be
			after = t.LeftAt(q.until)
		}
		switch {
		case left <= 0:
			need[kind]++
			whole[kind] = true
		case lost(t, left, period):
			need[kind]++
			whole[kind] = true
			fines[kind] += t.Fine * max(0, float64(after))
		default:
			need[kind] += max(0, min(float64(left)/float64(period), float64(after)/float64(t.Due-q.until)))
			fines[kind] += t.Fine * float64(t.Due-q.until)
		}
	}
	q.fill(need[0], need[1], need[2], fines[1], fines[2], top >= 0 && tasks[top].Soft)
	// Those who come first leave nothing then, also where bounds are rounded up.
	if whole[0] || whole[2] {
		q.rest[0] = min(q.rest[0], 0)
	}
	if whole[0] || whole[2] && !tasks[top].Soft {
		q.rest[1] = min(q.rest[1], 0)
	}
}

// lost reports whether a task cannot be in time any more.
func lost(t *book.Task, left market.Work, period market.Time) bool {
	return float64(left) >= float64(period)
}

// least is the least that tasks need between two times.
func (c *courses) least(from, until market.Time) float64 {
	sum := c.speed
	for i := range c.strays {
		s, at := &c.strays[i], from
		if s.undone < 0 {
			at = until // who is ahead of his course needs less and less
		}
		sum += s.undone / float64(s.due-at)
	}
	return sum
}
