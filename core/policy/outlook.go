package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// outlook says what the tasks on one processor will need at any later time, as
// long as nothing changes there. LibraSLA asks every processor at every
// arrival, so the answer must not cost a look at every task.
//
// A task that advances at speed v, and so would have c of its work undone when
// it is due, needs v + c/(due-t) at time t. Whoever gets just what he needs is
// on course: c is 0 and the need stays v. So the needs of a processor are a
// constant and a term for each task that is off course.
type outlook struct {
	version uint32
	at      market.Time // when it was drawn up
	until   market.Time // as of when a soft task needs all of a processor
	spent   market.Time // as of when a task that is ahead of its course is past its estimate, if it has not ended
	hard    courses     // the hard tasks but the top one
	soft    courses     // the soft tasks but the top one
	top     courses     // the top one
	topRank float64
	topSoft bool
}

// courses is a sum over some tasks.
type courses struct {
	speed  float64 // of all
	fine   float64 // of all
	period float64 // sum of fine times the period from outlook.at to the due time
	strays []stray // those that are off course
}

type stray struct {
	undone float64
	due    market.Time
}

// need is the work per second that the tasks need.
func (c *courses) need(now market.Time) float64 {
	sum := c.speed
	for i := range c.strays {
		sum += c.strays[i].undone / float64(c.strays[i].due-now)
	}
	return sum
}

// fines is the sum of fine times the period from now to the due time.
func (c *courses) fines(at, now market.Time) float64 {
	return c.period - float64(c.fine*float64(now-at))
}

// draw renews the outlook from the tasks as they are now: the hard ones come first.
func (o *outlook) draw(tasks []book.Task, top int, rating float64, now market.Time) {
	o.at, o.until, o.spent, o.topRank, o.topSoft = now, market.Never, market.Never, math.Inf(-1), false
	o.top = courses{strays: o.top.strays[:0]}
	if top >= 0 {
		o.topRank, o.topSoft = tasks[top].Rank, tasks[top].Soft
	}
	hard := 0
	for hard < len(tasks) && !tasks[hard].Soft {
		hard++
	}
	o.over(&o.hard, tasks[:hard], top, rating)
	o.over(&o.soft, tasks[hard:], top-hard, rating)
}

// over draws it over the hard tasks, or the soft ones, and the top one if it is among them.
func (o *outlook) over(others *courses, tasks []book.Task, top int, rating float64) {
	now, first, spent := o.at, o.until, o.spent
	speed, fine, periods, off := 0.0, 0.0, 0.0, 0
	strays := others.strays
	if cap(strays) < len(tasks) {
		strays = make([]stray, len(tasks), 2*len(tasks))
	}
	strays = strays[:len(tasks)]
	for i := range strays {
		t := &tasks[i]
		if t.BestEffort {
			continue // it needs nothing, whatever it gets
		}
		left, period := float64(t.LeftAt(now)), float64(t.Due-now)
		undone := left - float64(t.Speed*period)
		astray := math.Abs(undone) > 1e-12*left
		if i == top {
			o.top.be(t, period, undone, astray)
		} else {
			speed += t.Speed
			fine += t.Fine
			periods += float64(t.Fine * period)
			strays[off] = stray{undone: undone, due: t.Due}
			off += one(astray) // who is not is written over
		}
		// When will it need all of the processor, at its speed? A soft task
		// when v + c/(due-t) reaches the rating. A hard one may need more than
		// there is. Whoever is ahead of his course has used up his estimate before
		// he is due: mostly he is done then, and the outlook another; if it was too
		// short he needs all there is. Most are on course, and have none of this worked out.
		until := t.Due
		switch {
		case left <= 0 || t.Soft && left >= period*rating:
			until = now
		case !astray:
			until -= market.TimeSlack
		case undone < 0:
			until = now + market.Time(left/t.Speed)
			spent = min(spent, until)
		case t.Soft:
			until -= market.Time(undone / (rating - t.Speed))
		}
		first = min(first, until) // without a branch
	}
	others.speed, others.fine, others.period, others.strays = speed, fine, periods, strays[:off]
	o.until, o.spent = first, spent
}

// be makes it the sum over one task.
func (c *courses) be(t *book.Task, period, undone float64, astray bool) {
	c.speed, c.fine, c.period = 0+t.Speed, 0+t.Fine, 0+float64(t.Fine*period)
	if astray {
		c.strays = append(c.strays, stray{undone: undone, due: t.Due})
	}
}
