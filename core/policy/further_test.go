package policy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// What is kept of every budget makes everything cheaper, and changes nothing else: who is taken, when and where.
func TestWhatIsKeptChangesPricesAlone(t *testing.T) {
	for _, name := range []string{"going-rate", "make-way"} {
		for seed := range uint64(10) {
			jobs := crowd(rand.New(rand.NewPCG(seed, 12)), 200)
			for i := range jobs {
				if i%3 == 0 {
					jobs[i].Actual *= 1.2 // over-runs
				}
			}
			all, half := happened(t, name, "0", jobs), happened(t, name, "1", jobs)
			if len(all) != len(half) {
				t.Fatalf("%s, world %d: %d events, and %d where half of every budget is kept", name, seed, len(all), len(half))
			}
			for i := range all {
				if price := all[i].price; price.Limited() && price != 2*half[i].price {
					t.Fatalf("%s, world %d, %s: costs %v, and %v where half is kept", name, seed, all[i].what, price, half[i].price)
				}
				if all[i].what != half[i].what {
					t.Fatalf("%s, world %d: %s, and %s where half of every budget is kept", name, seed, all[i].what, half[i].what)
				}
			}
		}
	}
}

// happening is an event, and what it says of a price.
type happening struct {
	what  string
	price market.Price
}

// happened is what happens to jobs under a policy that keeps so much of their budgets.
func happened(t *testing.T, name, further string, jobs []workload.Arrival) (all []happening) {
	t.Helper()
	kind, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kind.New(map[string]string{"further": further})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(market.PlainNodes(8), p)
	if err != nil {
		t.Fatal(err)
	}
	see := func(r *market.Record) {
		all = append(all, happening{fmt.Sprint(r.At, r.Kind, r.Reason, r.Firm, r.Job, r.Start, r.Finish, r.Speed, r.Procs, r.Slices), r.Price})
	}
	if err := sim.Run(context.Background(), c, workload.FromSlice(jobs), sim.Options{See: see}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Whoever offers what is asked is not refused for what is kept, who names no budget pays what they would, and where
// the price is a posted one nothing is kept.
func TestNobodyIsRefusedForWhatIsKept(t *testing.T) {
	for _, name := range []string{"going-rate", "make-way"} {
		for _, c := range []struct {
			set    map[string]string
			budget market.Price
			costs  market.Price // 0: it is refused
		}{
			{map[string]string{"reserve": "1", "further": "0.5"}, 30, 20},
			{map[string]string{"reserve": "1", "further": "0.5"}, 12, 10},
			{map[string]string{"reserve": "1", "further": "0.5"}, 10, 10},
			{map[string]string{"reserve": "1", "further": "0.5"}, 9, 0},
			{map[string]string{"further": "0.5", "bid": "3"}, market.Unlimited, 30},
			{map[string]string{"reserve": "1", "further": "0.5", "price": "posted"}, 30, 10},
		} {
			kind, err := policy.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := kind.New(c.set)
			if err != nil {
				t.Fatal(err)
			}
			open, err := cluster.New(market.PlainNodes(1), p)
			if err != nil {
				t.Fatal(err)
			}
			q, err := open.Quote(0, market.Job{ID: 1, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 50, Budget: c.budget}})
			if refused := err != nil; refused != (c.costs == 0) || !refused && q.Price != c.costs {
				t.Errorf("%s %v: %v for %v, %v, want %v", name, c.set, q.Price, c.budget, err, c.costs)
			}
		}
	}
}
