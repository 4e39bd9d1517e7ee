package controller

import (
	"context"
	"slices"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/live/store"
)

// Tally is the business of a period, by the jobs submitted in it: promises
// made, kept, missed and paid, and what was earned beside what could have been.
func (c *Controller) Tally(ctx context.Context, fromUS, toUS int64) (exchange.Tally, error) {
	t := exchange.Tally{FromUS: fromUS, ToUS: toUS, Reasons: map[string]int64{}}
	var speed float64
	if err := c.query(ctx, func(x *exchange.Exchange) { speed = x.Speed() }); err != nil {
		return t, err
	}
	var all []offer
	first := int64(0)
	err := c.eachJob(ctx, store.Query{From: fromUS, To: toUS}, func(j *exchange.Job) error {
		if first == 0 {
			first = j.SubmittedUS
		}
		t.Count(j)
		if j.PromisedUS > 0 && (j.Firm || j.State == exchange.Lost) {
			t.CountPromise(j, j.DueUS)
		}
		all = append(all, offered(j))
		return nil
	})
	if err != nil {
		return t, err
	}
	t.Net = t.Revenue - t.Penalties
	period := float64(min(toUS, c.now())-max(fromUS, first)) / 1e6
	if first == 0 {
		period = 0
	}
	t.Bound = bound(all, speed*period)
	t.BoundHow = "the provider's model without any delay: the best-paying work per processor-second first, until the processors that are up now would have been full for the whole period"
	if speed*period > 0 {
		t.Utilized = t.Used / (speed * period)
	}
	return t, nil
}

// offer is what a job would have paid for how much work.
type offer struct {
	pay  int64
	work float64 // processor-seconds
}

func offered(j *exchange.Job) offer {
	return offer{pay: j.Offered(), work: float64(j.Request.EstimateMS) / 1e3 * float64(j.Request.Procs()*elements(&j.Request))}
}

func elements(r *exchange.Request) int {
	if r.Array == nil {
		return 1
	}
	return r.Array.Len()
}

// bound is the most that any admission could have earned: the linear programme
// of 004 without delays, whose solution is to take the work that pays best.
func bound(all []offer, capacity float64) int64 {
	slices.SortFunc(all, func(a, b offer) int {
		switch x, y := float64(a.pay)*b.work, float64(b.pay)*a.work; {
		case x > y:
			return -1
		case x < y:
			return 1
		default:
			return 0
		}
	})
	total := int64(0)
	for _, o := range all {
		if o.work <= capacity {
			total, capacity = total+o.pay, capacity-o.work
			continue
		}
		return total + int64(float64(o.pay)*capacity/o.work)
	}
	return total
}
