package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// class is what a part of a task is to the processor: the smaller goes first.
type class uint8

const (
	mandatory class = iota
	overdrawn       // a mandatory part past its estimate
	optional
	guest // nothing is promised to it, and nothing paid for it
	kept  // a mandatory part that is only reserved: it counts and does not run
)

// part is the part that a task of a processor is with, or comes with.
type part struct {
	task  int // in the list of the processor
	class class
	left  market.Work
	due   market.Time
	rank  float64 // as deadlines compare
	value float64 // of the whole optional part, as budgets compare
	job   market.JobID

	optional market.Work // left of the optional part, under way or to come
	bonus    float64     // for each second of it
}

// draw lists the parts on a processor.
func (p *mandatoryFirst) draw(v book.View, proc int) {
	p.parts = p.parts[:0]
	now, tasks := v.Now(), v.Tasks(proc)
	for i := range tasks {
		t := &tasks[i]
		j := &v.Entry(t.Slot).Job
		q := newPart(j, t.LeftAt(now), t.Due)
		q.task = i
		switch {
		case t.BestEffort:
			q.class = guest
		case t.Reserved:
			q.class = kept
		case t.Refining:
			q.class, q.optional = optional, q.left
			if q.left.Done() || !t.Due.After(now) {
				q.class = guest
			}
		case q.left.Done():
			q.class = overdrawn
		}
		p.parts = append(p.parts, q)
	}
}

func newPart(j *market.Job, left market.Work, due market.Time) part {
	return part{
		class: mandatory, left: left, due: due, rank: due.Rank(), job: j.ID,
		value:    market.RoundSignificant(float64(j.Optional) * float64(j.SLA.Bonus)),
		optional: j.Optional, bonus: float64(j.SLA.Bonus),
	}
}

// before orders the parts that run: mandatory ones by deadline, then optional
// ones as the policy wants them.
func (p *mandatoryFirst) before(a, b *part) bool {
	switch {
	case a.class != b.class:
		return a.class < b.class
	case a.class == optional:
		return p.valued(a, b) < 0
	}
	return byDeadline(a, b) < 0
}

// byDeadline is EDF.
func byDeadline(a, b *part) int {
	switch {
	case a.rank < b.rank:
		return -1
	case a.rank > b.rank:
		return 1
	}
	return int(a.job - b.job)
}

// valued is the order of optional parts: by deadline, by all that each could
// pay, which 003 calls the budget rate although it is no slope, or by what each second
// pays, which is nearly the best that there is (docs/policies.md).
func (p *mandatoryFirst) valued(a, b *part) int {
	mine, theirs := 0.0, 0.0
	switch p.order {
	case "budget":
		mine, theirs = a.value, b.value
	case "rate":
		mine, theirs = market.RoundSignificant(a.bonus), market.RoundSignificant(b.bonus)
	}
	switch {
	case mine > theirs:
		return -1
	case mine < theirs:
		return 1
	}
	return byDeadline(a, b)
}

// gain is what the optional parts on a processor are expected to pay with a task
// of a job less what they are without it, when the mandatory part of that would be
// done, and whether all can be in time then: the pre-schedule of 003, section 3.4,
// for one processor.
func (p *mandatoryFirst) gain(v book.View, proc int, j *market.Job) (gain float64, finish market.Time, ok bool) {
	now, rating := v.Now(), v.Rating(proc)
	p.draw(v, proc)
	p.parts = slices.DeleteFunc(p.parts, func(q part) bool { return q.class == guest })
	slices.SortFunc(p.parts, func(a, b part) int { return byDeadline(&a, &b) })
	added := newPart(j, j.Estimate, j.Due())
	added.task = -1
	at, _ := slices.BinarySearchFunc(p.parts, added, func(a, b part) int { return byDeadline(&a, &b) })

	// Those before it are as late as they are without it.
	free := now
	for i := range p.parts[:at] {
		free = p.parts[i].done(free, rating)
	}
	without := free
	free = added.done(free, rating)
	finish = free
	if free.After(added.due) {
		return 0, 0, false
	}
	for i := at; i < len(p.parts); i++ {
		q := &p.parts[i]
		without = q.done(without, rating)
		if free = q.done(free, rating); q.promised() && free.After(q.due) {
			return 0, 0, false
		}
	}
	p.parts = slices.Insert(p.parts, at, added)
	if p.order != "deadline" {
		slices.SortFunc(p.parts, func(a, b part) int { return p.valued(&a, &b) })
	}
	return p.refined(free, rating, true) - p.refined(without, rating, false), finish, true
}

// done is when a part is if it is mandatory and begins at a time.
func (q *part) done(from market.Time, rating float64) market.Time {
	if q.class == optional || q.left.Done() {
		return from
	}
	return from + market.Time(float64(q.left)/rating)
}

// refined is what the optional parts pay that find a place before their
// deadlines, one after the other from a time on; with the one at the door, or
// without.
func (p *mandatoryFirst) refined(free market.Time, rating float64, all bool) (paid float64) {
	for i := range p.parts {
		q := &p.parts[i]
		if q.optional.Done() || q.task < 0 && !all {
			continue
		}
		end := min(free+market.Time(float64(q.optional)/rating), q.due)
		if end.After(free) {
			paid += float64(q.bonus*float64(end-free)) * rating
			free = end
		}
	}
	return paid
}

// promised reports whether the part was promised to be done in time.
func (q *part) promised() bool { return q.class == mandatory || q.class == kept }
