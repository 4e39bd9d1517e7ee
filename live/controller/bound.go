package controller

import (
	"fmt"
	"math"
	"slices"

	fluid "github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// bound is the most that the jobs of a period could have brought, of the same
// jobs at the same prices and over the same time as the revenue it stands
// beside: the least of the linear programme of 004 without delays, whose solution is
// to take the work that pays best first, and of the dual of core/bound, which also knows
// when each job came and had to be done.
//
// Revenue never exceeds it: what was taken is one of the choices that it is the
// best of. A job that has ended counts with what it paid and what it took for
// that, whatever it had said.
type bound struct {
	now         int64
	offers      []offer
	first, last int64   // from when to when somebody could have worked on them
	used        float64 // processor-seconds that were worked
	earned      int64   // by jobs that have ended
	windows     []fluid.Offer
	unnamed     int // refused, and nobody knows what they would have paid
}

// offer is what a job paid, or would have paid, for how much work.
type offer struct {
	pay  int64
	work float64 // processor-seconds
}

func (b *bound) add(j *trade.Job) {
	if b.first == 0 {
		b.first = j.SubmittedUS
	}
	end := b.now
	if j.State.Final() {
		end = j.EndedUS
	}
	if j.State != trade.Rejected {
		b.last = max(b.last, end)
		b.used += j.Used()
	}
	until := market.Never // it may still be done
	asked := offer{pay: j.Offered(), work: float64(j.Request.EstimateMS) / 1e3 * float64(j.Request.Procs()*elements(&j.Request))}
	switch {
	case j.State == trade.Rejected && asked.pay == 0:
		b.unnamed++
		return
	case j.State == trade.Rejected: // it could have been done by its deadline, or by now
		due := b.now
		if j.DueUS != 0 {
			due = min(due, j.DueUS)
		}
		b.last = max(b.last, due)
		until = seconds(due)
	case j.State.Final() && j.State != trade.Lost:
		asked = offer{pay: j.Charged, work: j.Used()}
		b.earned += j.Charged
		until = seconds(j.EndedUS)
	case j.State == trade.Lost:
		until = seconds(b.now)
	}
	b.offers = append(b.offers, asked)
	b.windows = append(b.windows, fluid.Offer{
		From: seconds(j.SubmittedUS), Until: until, Width: 1, Work: market.Work(asked.work), Worth: float64(asked.pay), Fade: fluid.Lapses,
	})
}

func elements(r *trade.Request) int {
	if r.Array == nil {
		return 1
	}
	return r.Array.Len()
}

// capacity is the work that could have been done, at a speed, while there was
// somebody to work for; never less than was done, on nodes that are gone by now.
func (b *bound) capacity(speed float64) float64 {
	return max(b.used, speed*float64(max(0, b.last-b.first))/1e6)
}

func seconds(us int64) market.Time { return market.Time(us) / 1e6 }

// most is the least of both bounds at a speed; and never less than was earned, on nodes
// that are gone by now.
func (b *bound) most(speed float64) int64 {
	most := b.best(b.capacity(speed))
	if dual := fluid.Most(b.windows, fluid.Pool(speed), fluid.Quick); dual < float64(most) {
		most = int64(math.Ceil(dual))
	}
	return max(b.earned, most)
}

// best takes the best-paying work first, until there is no more capacity.
func (b *bound) best(capacity float64) int64 {
	slices.SortStableFunc(b.offers, func(one, other offer) int {
		switch x, y := float64(one.pay)*other.work, float64(other.pay)*one.work; {
		case x > y:
			return -1
		case x < y:
			return 1
		default:
			return 0
		}
	})
	const rounding = 1e-6 // sums of what was worked differ by their order
	total := int64(0)
	for _, o := range b.offers {
		if o.work > capacity+rounding {
			return total + int64(float64(o.pay)*max(0, capacity)/o.work)
		}
		total, capacity = total+o.pay, capacity-o.work
	}
	return total
}

// how says how it was reckoned.
func (b *bound) how() string {
	text := "the same jobs at what they paid, were asked or offered, the best-paying work per processor-second first, until all processors " +
		"would have been busy from the first submission to the last end; each between its submission and its end, or its deadline if it was refused, " +
		"cut and shared at will (docs/policies.md)"
	if b.unnamed > 0 {
		text += fmt.Sprintf("; without %d that were refused and named no budget, or had not the money", b.unnamed)
	}
	return text
}
