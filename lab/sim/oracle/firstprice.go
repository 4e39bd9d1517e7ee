package oracle

import "math"

// firstPrice: when nodes are free, start the waiting job of the highest
//
//	yield(now + E) / E        yield(t) = budget - max(0, t - due)*penalty
//
// and again, until the best one does not fit (Irwin, Grit, Chase 2004).
// Everybody is accepted and pays the yield at his completion.
//
// Reading: E is at least 1e-6, so that it can be divided by; equal to twelve
// digits is equal, and then the first in the input goes first; no budget is an
// infinite one.
type firstPrice struct{ *spaceShared }

func newFirstPrice(s *spaceShared) *firstPrice {
	f := &firstPrice{s}
	s.cost = f.yieldOrNothing
	s.turn = func(now float64) {
		s.startBest(now, func(job int) float64 { return round12(s.yield(job, now+s.length(job)) / s.length(job)) })
	}
	return f
}

// startBest starts whoever is best, as long as he fits.
func (s *spaceShared) startBest(now float64, worth func(job int) float64) {
	for len(s.queue) > 0 {
		best := 0
		for i := range s.queue {
			if worth(s.queue[i]) > worth(s.queue[best]) {
				best = i
			}
		}
		if s.jobs[s.queue[best]].Procs > len(s.idle()) {
			return
		}
		s.start(best, now)
	}
}

func (s *spaceShared) length(job int) float64 { return math.Max(s.jobs[job].Estimate, timeSlack) }

func (s *spaceShared) yield(job int, finish float64) float64 {
	j := s.jobs[job]
	if finish <= j.due() || j.Penalty == 0 {
		return j.Budget
	}
	return j.Budget - (finish-j.due())*j.Penalty
}

// yieldOrNothing is the cost: an empty cell where the budget is unlimited.
func (s *spaceShared) yieldOrNothing(job int, finish float64) float64 {
	if math.IsInf(s.jobs[job].Budget, 1) {
		return math.NaN()
	}
	return s.yield(job, finish)
}
