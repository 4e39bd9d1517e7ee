package policy

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// borrower is the task, in parts, that has had its estimate and goes on first all the same, and until
// when: as long as everybody else on the processor will be in time by the estimates, and it can be
// itself. Most who over-run need a moment more and would be late for a long time; those who were
// promised something give away what they have to spare, and nothing else. -1: there is none.
//
// Until when is reckoned from what the others have left and not from now, which while they stand
// still is the same number whenever it is asked.
func (p *mandatoryFirst) borrower(now market.Time, rating float64) (who int, until market.Time) {
	who = -1
	for i := range p.parts {
		if q := &p.parts[i]; q.class == overdrawn && q.due.After(now) && (who < 0 || p.before(q, &p.parts[who])) {
			who = i
		}
	}
	if who < 0 {
		return -1, market.Never
	}
	until = p.parts[who].due
	p.others = p.others[:0]
	for i := range p.parts {
		if q := &p.parts[i]; q.promised() {
			p.others = append(p.others, *q)
		}
	}
	slices.SortFunc(p.others, func(a, b part) int { return byDeadline(&a, &b) })
	long := market.Time(0)
	for i := range p.others {
		q := &p.others[i]
		long += market.Time(float64(q.left) / rating)
		if q.due.Finite() {
			until = min(until, q.due-long)
		}
	}
	if until <= now+beyond {
		return -1, market.Never
	}
	return who, until
}
