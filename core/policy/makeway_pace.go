package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// pace lets those run who go first on all their processors, and the others stand still. Only where
// something happened can that have changed, so that it does not cost more the more jobs there
// are.
func (p *makeWay) pace(v book.View, d *book.Draft) {
	p.visits.list = p.visits.list[:0]
	if p.of != v { // nobody knows who gave them their speeds
		p.of = v
		p.visit(v, v.Running())
	}
	for _, h := range v.TouchedHouses() {
		p.visit(v, v.House(h).Residents)
	}
	p.drop = v.Spent(p.drop[:0])
	for _, s := range p.drop { // they go last from now on
		for _, h := range v.Entry(s).Houses() {
			p.visit(v, v.House(h).Residents)
		}
	}
	p.visits.byNumber()
	for _, t := range p.visits.list {
		p.line.mark(t.slot)
		e, speed := v.Entry(t.slot), 0.0
		if e.Reserved() {
			continue // it keeps idle processors, and stands in nobody's way
		}
		if p.leads(v, t.slot, e) {
			speed = slowestOf(v, e)
		}
		if e.Speed != speed {
			d.Ask(t.slot)
			d.Pace(t.slot, speed)
		}
	}
	wake := v.NextUsedUp()
	if v.Ratings() != nil { // somebody may wait for a fast processor while all are idle
		wake = min(wake, v.NextLatest())
	}
	d.Wake(wake + beyond)
}

// beyond is how long after a time it is certain that it has passed.
const beyond = 4 * market.TimeSlack

func (p *makeWay) visit(v book.View, jobs []book.Slot) {
	for _, s := range jobs {
		p.visits.list = append(p.visits.list, turn{id: v.Entry(s).Job.ID, slot: s})
	}
}

// leads reports whether a job goes first on all its processors.
func (p *makeWay) leads(v book.View, s book.Slot, e *book.Entry) bool {
	now := v.Now()
	mine := standingOf(e, now)
	for _, h := range e.Houses() {
		for _, other := range v.House(h).Residents {
			if other != s && standingOf(v.Entry(other), now).before(mine) {
				return false
			}
		}
	}
	return true
}

// standing is where a job stands among those on its processors.
type standing struct {
	last bool // it is over its estimate, or in no hurry
	left market.Work
	job  market.JobID
}

func standingOf(e *book.Entry, now market.Time) standing {
	left := e.LeftAt(now)
	return standing{last: left.Over() || !e.Due().Finite(), left: left, job: e.Job.ID}
}

// before reports whether it goes first: whoever has least left.
func (a standing) before(b standing) bool {
	switch {
	case a.last != b.last:
		return b.last
	case !a.last && a.left != b.left:
		return a.left < b.left
	}
	return a.job < b.job
}

// slowestOf is the rating of a job's slowest processor: it advances as one.
func slowestOf(v book.View, e *book.Entry) float64 {
	if v.Ratings() == nil {
		return 1
	}
	least := v.House(e.Houses()[0]).Rating
	for _, h := range e.Houses() {
		least = min(least, v.House(h).Rating)
	}
	return least
}
