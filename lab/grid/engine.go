package grid

import "github.com/libra-market/libra/core/market"

// The events of a site (docs/semantics.md, section 4, item 2): an arrival,
// the completion of a part, a deadline. Between two of them nothing changes hands.

// advance makes the events happen that are due by a time, in their order.
// Events that lie apart by rounding alone are one instant; what happens at the
// instant of a query happens before it.
func (s *Site) advance(at market.Time) {
	for {
		next := min(s.mandatory.next(), s.optional.next(), s.deadline())
		if !next.Finite() || next.After(at) {
			break
		}
		s.now = max(s.now, min(next, at))
		s.instant()
	}
	// The end of everything is no time to go on from.
	if at.Finite() {
		s.now = at
	}
}

// instant takes the completions of now, then its deadlines, then gives the
// processors out again.
func (s *Site) instant() {
	until := s.now + market.TimeSlack
	s.finished = s.mandatory.popDue(until, s.finished[:0])
	for _, j := range s.finished {
		s.fulfil(j, j.finished())
	}
	s.finished = s.optional.popDue(until, s.finished[:0])
	for _, j := range s.finished {
		j.left = 0
		s.depart(j, j.finished())
	}
	for s.deadline() <= until {
		s.expire(s.contracts.contracts[s.overdue()])
	}
	s.share()
}

// share gives the processors to mandatory parts and what is left of them to
// optional parts.
func (s *Site) share() {
	s.mandatory.share(s.now, s.resource.Processors)
	s.optional.share(s.now, s.resource.Processors-s.mandatory.running.len())
}

// finished is when a part that was taken off the processors had finished.
func (j *job) finished() market.Time { return j.since }

// admit lets the jobs of a contract in.
func (s *Site) admit(c *contract) {
	s.contracts.add(c)
	s.valued.add(c)
	c.receipt.Mandatory, c.receipt.End = s.now, s.now
	for i := range c.jobs {
		j := &c.jobs[i]
		j.since = s.now
		if j.left.Done() {
			s.fulfil(j, s.now)
		} else {
			s.mandatory.add(j)
		}
	}
	s.share()
}

// fulfil ends the mandatory part of a job.
func (s *Site) fulfil(j *job, at market.Time) {
	c := j.of
	c.receipt.Mandatory = max(c.receipt.Mandatory, at)
	j.phase, j.left = optional, c.optional
	if c.expired || j.left.Done() {
		s.depart(j, at)
		return
	}
	s.optional.add(j)
}

// depart settles what a job pays: for its mandatory part, which is always done,
// and for what was executed of its optional part.
func (s *Site) depart(j *job, at market.Time) {
	c := j.of
	executed := c.optional
	if !j.left.Done() {
		executed -= j.left
	}
	j.phase = gone
	c.receipt.Left++
	c.receipt.End = max(c.receipt.End, at)
	c.receipt.Optional += executed + c.included
	c.receipt.Paid += c.worth + c.budget.Between(0, executed)
	if c.staying--; c.staying == 0 {
		c.receipt.Done = true
		s.contracts.remove(c)
		s.valued.remove(c)
		c.jobs = nil
	}
}

// expire sends the jobs of a contract away at its deadline. A mandatory part
// that is not done by then is late by rounding alone (it was promised, and the
// schedule is the one that was promised): it ends first.
func (s *Site) expire(c *contract) {
	c.expired = true
	jobs := c.jobs // leave drops them with the last
	for i := range jobs {
		if j := &jobs[i]; j.phase == optional {
			s.optional.remove(s.now, j)
			s.depart(j, c.due)
		}
	}
}

// overdue counts the contracts at the head of the roll that have expired and
// still end a mandatory part: none, but for rounding.
func (s *Site) overdue() int {
	n := 0
	for n < len(s.contracts.contracts) && s.contracts.contracts[n].expired {
		n++
	}
	return n
}

// deadline is the next deadline: the roll is in their order.
func (s *Site) deadline() market.Time {
	n := s.overdue()
	if n == len(s.contracts.contracts) {
		return market.Never
	}
	return s.contracts.contracts[n].due
}
