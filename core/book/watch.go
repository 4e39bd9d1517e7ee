package book

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// watch knows whose estimate is used up next, and whose is: who drives the core in real
// time asks for both at every event, and must not look at every job for it. It keeps only
// where to look. What is said is worked out anew from the entries, so that it is, to the
// last bit, what looking at everybody says.
type watch struct {
	next    usedUps // when nothing will be left of a part of which there is something, or nothing but rounding
	spent   usedUps // those of whom nothing else is left now
	stirred []Slot  // those of which something has changed since somebody asked
	is      []bool  // by slot: it is among them
}

// around is the time before which somebody must be looked at whose time, as it was kept,
// is no later than a given one: rounding may have moved it since.
func around(at market.Time) float64 { return float64(at) + 1e-5 + 1e-12*math.Abs(float64(at)) }

// watching is the watch, made of the entries if nobody has asked before.
func (b *Book) watching() *watch {
	if b.watch == nil {
		b.watch = &watch{}
		for _, s := range b.running {
			b.stir(s)
		}
	}
	w := b.watch
	for _, s := range w.stirred {
		w.is[s] = false
		b.watchFor(s)
	}
	w.stirred = w.stirred[:0]
	return w
}

// stir notes that a job may be done at another time than was thought.
func (b *Book) stir(s Slot) {
	w := b.watch
	if w == nil {
		return
	}
	for int(s) >= len(w.is) {
		w.is = append(w.is, false)
	}
	if !w.is[s] {
		w.is[s] = true
		w.stirred = append(w.stirred, s)
	}
}

// watchFor puts a job where it belongs as of now.
func (b *Book) watchFor(s Slot) {
	p := prospect{next: market.Never, spent: market.Never}
	if b.slots.at(s).state == running && !b.isPaced(s) {
		p = b.prospect(s, b.now)
	}
	w, id := b.watch, b.slots.at(s).Job.ID
	if at := p.first(b.now); at.Finite() {
		w.next.set(usedUp{at: float64(at), id: id, slot: s})
	} else {
		w.next.remove(s)
	}
	if p.spent <= b.now {
		w.spent.set(usedUp{at: float64(p.spent), id: id, slot: s})
	} else {
		w.spent.remove(s)
	}
}

// isPaced reports whether it is kept elsewhere when the estimate of a job is used up: see
// [pace].
func (b *Book) isPaced(s Slot) bool { return b.pace != nil && b.pace.usedUp.has(s) }

// prospect is how a job stands whose estimate matters.
type prospect struct {
	left  market.Work // the least on any processor; optional parts do not count
	next  market.Time // when the first processor that has work left has none: there they do
	spent market.Time // when left will be no more than rounding
}

// first is when somebody has to look at the job: the two times of whom nothing has been
// used up yet are one but for rounding, and one place is kept for both.
func (p *prospect) first(now market.Time) market.Time {
	if p.spent > now {
		return min(p.next, p.spent)
	}
	return p.next
}

func (b *Book) prospect(s Slot, now market.Time) prospect {
	e := b.slots.at(s)
	p := prospect{left: anyEstimate, next: market.Never, spent: market.Never}
	if e.reserved || e.bestEffort || !e.Due().Finite() {
		return p
	}
	if !e.independent {
		p.count(e.LeftAt(now), e.Speed, now, false)
	}
	for t := range b.tasksOf(s) {
		p.count(t.LeftAt(now), t.Speed, now, t.Refining)
	}
	return p
}

func (p *prospect) count(left market.Work, speed float64, now market.Time, optional bool) {
	done := left.Done()
	if !done && speed > 0 {
		p.next = min(p.next, now+market.Time(float64(left)/speed))
	}
	if optional {
		return
	}
	p.left = min(p.left, left)
	switch {
	case done:
		p.spent = min(p.spent, now)
	case speed > 0:
		p.spent = min(p.spent, now+market.Time(float64(left-market.WorkSlack)/speed))
	}
}

// UsedUp lists, by number, the running jobs whose estimate is used up at a
// time, on some processor at least, and to whom being in time still means
// something.
func (b *Book) UsedUp(at market.Time) []market.JobID {
	var ids []market.JobID
	at = max(at, b.now)
	w := b.watching()
	bound := func() float64 { return around(at) }
	look := func(s Slot) {
		if b.prospect(s, at).left.Done() {
			ids = append(ids, b.slots.at(s).Job.ID)
		}
	}
	w.spent.upTo(0, bound, look) // who has spent one part and has another is in both
	w.next.upTo(0, bound, look)
	if b.pace != nil {
		b.pace.usedUp.upTo(bound, look)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// nextUsedUp is when the next estimate of theirs is used up, if nothing changes.
func (b *Book) nextUsedUp() market.Time {
	next := market.Never
	w := b.watching()
	bound := func() float64 { return around(next) }
	if b.pace != nil {
		b.pace.usedUp.upTo(bound, func(s Slot) { next = min(next, b.prospect(s, b.now).next) })
	}
	w.next.upTo(0, bound, func(s Slot) {
		p := b.prospect(s, b.now)
		next = min(next, p.next)
		if float64(p.first(b.now)) > around(market.Time(w.next.of(s).at)) {
			b.stir(s) // a part of it is done, and the next comes later
		}
	})
	return next
}
