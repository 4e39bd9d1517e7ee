package policy

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// reach is what nobody of some processors exceeds, for tasks that need at least the
// share of each class. Who is no longer among them may still be counted: a bound is
// then higher than it need be, and holds.
type reach struct {
	until market.Time
	worth float64
	rank  float64               // of the lowest top task
	value [len(classes)]float64 // what is left of worth after the fines of the others
	will  [len(classes)]float64 // by how much a task's worth may fall short of what it costs the others
	delay [len(classes)]float64 // as part of its period, of a task that is not the top one: at least
	led   [len(classes)]float64 // value and
	ready [len(classes)]float64 // will, with the task at the door as the top one
}

// classes are needs, in work per second.
var classes = [...]float64{0.03, 0.06, 0.085, 0.12, 0.3, 0.45}

// nowhere is the reach of no processor.
var nowhere = func() (r reach) {
	r.until, r.worth, r.rank = market.Never, math.Inf(-1), math.Inf(1)
	for k := range classes {
		r.value[k], r.will[k], r.delay[k] = math.Inf(-1), math.Inf(-1), math.Inf(1)
		r.led[k], r.ready[k] = math.Inf(-1), math.Inf(-1)
	}
	return r
}()

// take makes it the reach also of a processor.
func (r *reach) take(q *prospect) {
	r.until, r.worth, r.rank = min(r.until, q.until), greater(r.worth, q.worth), lesser(r.rank, q.rank)
	full, fullLed := 1/q.rest, 1/q.restLed
	for k, need := range classes {
		over := need - q.free
		if over <= 0 { // and so for all the classes before
			r.delay[k] = 0
			r.value[k], r.will[k] = greater(r.value[k], q.worth), greater(r.will[k], q.gap)
			r.led[k], r.ready[k] = greater(r.led[k], q.worth), greater(r.ready[k], q.gap)
			continue
		}
		if q.rest > 0 {
			delay := over * full
			r.delay[k] = lesser(r.delay[k], delay)
			cost := delay * q.fines
			r.value[k], r.will[k] = greater(r.value[k], q.worth-cost), greater(r.will[k], q.gap-cost)
		}
		if q.restLed > 0 {
			cost := over * fullLed * q.finesLed
			r.led[k], r.ready[k] = greater(r.led[k], q.worth-cost), greater(r.ready[k], q.gap-cost)
		}
	}
}

// join makes it the reach also of others.
func (r *reach) join(s *reach) {
	r.until, r.worth, r.rank = min(r.until, s.until), greater(r.worth, s.worth), lesser(r.rank, s.rank)
	for k := range classes {
		r.value[k], r.will[k], r.delay[k] = greater(r.value[k], s.value[k]), greater(r.will[k], s.will[k]), lesser(r.delay[k], s.delay[k])
		r.led[k], r.ready[k] = greater(r.led[k], s.led[k]), greater(r.ready[k], s.ready[k])
	}
}

// greater and lesser are max and min of numbers that are none of them NaN.
func greater(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

func lesser(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}

// bound is what one of the processors could bring at most with a task; -Inf: none
// would take it.
func (r *reach) bound(a *asking) float64 {
	most := (r.worth + a.worth) * (1 + 1e-3*unsure)
	k := a.class
	if k < 0 {
		return most
	}
	best, slack, own := math.Inf(-1), a.worth+float64(unsure*most), 0.0
	rounding := a.worth + float64(1e-3*unsure*most)
	if a.fines > 0 {
		own = r.delay[k] * a.fines
	}
	if r.will[k]-own+slack >= 0 {
		best = r.value[k] - own + rounding
	}
	if a.rank > r.rank && r.ready[k]+slack >= 0 {
		best = greater(best, r.led[k]+rounding)
	}
	return best
}
