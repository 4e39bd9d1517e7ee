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
	task  int32 // in the list of the processor
	class class
	left  market.Work
	due   market.Time
	rank  float64 // as deadlines compare
	value float64 // of the whole optional part, as budgets compare
	job   market.JobID

	optional market.Work // left of the optional part, under way or to come
	bonus    float64     // for each second of it
}

// draw lists the parts on a processor as they are now, by deadline.
func (p *mandatoryFirst) draw(v book.View, proc int) {
	now, line := v.Now(), p.docket.line(v, proc)
	p.parts = slices.Grow(p.parts[:0], len(line))[:len(line)]
	for i := range line {
		s, q := &line[i], &p.parts[i]
		left := s.left - market.Work(float64(float64(now-s.since)*s.speed))
		q.task, q.class, q.left, q.due, q.rank, q.job = s.task, s.class, left, s.due, s.rank, s.job
		q.value, q.optional, q.bonus = 0, 0, 0
		if s.refines {
			q.extra(&v.Entry(s.slot).Job)
		}
		switch q.class {
		case optional:
			if q.optional = left; left.Done() || !q.due.After(now) {
				q.class = guest
			}
		case mandatory:
			if left.Done() {
				q.class = overdrawn
			}
		default: // it does not advance, or does not matter
		}
	}
}

// newcomer is the part of a task of a job that is at the door.
func (*mandatoryFirst) newcomer(j *market.Job) part {
	q := part{task: -1, left: j.Estimate, due: j.Due(), rank: j.Due().Rank(), job: j.ID}
	q.extra(j)
	return q
}

// extra says of a part what the optional one of its job is.
func (q *part) extra(j *market.Job) {
	q.value = market.RoundSignificant(float64(j.Optional) * float64(j.SLA.Bonus))
	q.optional, q.bonus = j.Optional, float64(j.SLA.Bonus)
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
func (p *mandatoryFirst) gain(v book.View, proc int, added *part) (gain float64, finish market.Time, ok bool) {
	now, rating := v.Now(), v.Rating(proc)
	p.draw(v, proc)
	at := 0
	for at < len(p.parts) && byDeadline(&p.parts[at], added) < 0 {
		at++
	}

	// Those before it are as late as they are without it.
	free, refines := now, !added.optional.Done()
	for i := range p.parts[:at] {
		q := &p.parts[i]
		free = q.done(free, rating)
		refines = refines || q.refines()
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
		refines = refines || q.refines()
	}
	if !refines {
		return 0, finish, true
	}
	p.parts = slices.Insert(p.parts, at, *added)
	if p.order != "deadline" {
		slices.SortFunc(p.parts, func(a, b part) int { return p.valued(&a, &b) })
	}
	return p.refined(free, rating, true) - p.refined(without, rating, false), finish, true
}

// refines reports whether the part has an optional one that could be paid for.
func (q *part) refines() bool { return q.class != guest && !q.optional.Done() }

// done is when a part is if it is mandatory and begins at a time.
func (q *part) done(from market.Time, rating float64) market.Time {
	if q.class == optional || q.class == guest || q.left.Done() {
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
		if !q.refines() || q.task < 0 && !all {
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
