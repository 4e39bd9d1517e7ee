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
	next    usedUps // when nothing will be left of a part of which there is something
	spent   usedUps // when nothing will be left but rounding
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
	if b.slots.at(s).state == running {
		p = b.prospect(s, b.now)
	}
	for _, of := range []struct {
		in *usedUps
		at market.Time
	}{{&b.watch.next, p.next}, {&b.watch.spent, p.spent}} {
		if of.at.Finite() {
			of.in.set(usedUp{at: float64(of.at), id: b.slots.at(s).Job.ID, slot: s})
		} else {
			of.in.remove(s)
		}
	}
}

// prospect is how a job stands whose estimate matters.
type prospect struct {
	left  market.Work // the least on any processor; optional parts do not count
	next  market.Time // when the first processor that has work left has none: there they do
	spent market.Time // when left will be no more than rounding
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
	w.spent.upTo(0, func() float64 { return around(at) }, func(s Slot) {
		if b.prospect(s, at).left.Done() {
			ids = append(ids, b.slots.at(s).Job.ID)
		}
	})
	slices.Sort(ids)
	return ids
}

// nextUsedUp is when the next estimate of theirs is used up, if nothing changes.
func (b *Book) nextUsedUp() market.Time {
	next := market.Never
	w := b.watching()
	w.next.upTo(0, func() float64 { return around(next) }, func(s Slot) {
		at := b.prospect(s, b.now).next
		next = min(next, at)
		if float64(at) > around(market.Time(w.next.of(s).at)) {
			b.stir(s) // a part of it is done, and the next comes later
		}
	})
	return next
}
