package policy_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// With exact estimates whatever going-rate takes in is in time, at the door or after it waited, on
// processors that are alike and on others.
func TestWhatTheGoingRateTakesIsInTime(t *testing.T) {
	kind, err := policy.Find("going-rate")
	if err != nil {
		t.Fatal(err)
	}
	waited, stood := 0, 0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 6))
		nodes := market.PlainNodes(8)
		if seed%3 == 2 {
			for i := range nodes {
				nodes[i].Rating = 1 + draw.Float64()
			}
		}
		try := trial.Trial{Kind: kind, Nodes: market.Each(nodes), Watch: func(r *market.Record) {
			switch r.Kind {
			case market.Granted:
				waited++
			case market.Shared:
				for _, s := range r.Slices {
					if s.Speed == 0 {
						stood++
					}
				}
			default:
			}
		}}
		allInTime(t, seed, &try, crowd(draw, 200))
	}
	if waited < 300 || stood < 1000 {
		t.Errorf("%d began after they waited, and tasks stood still %d times: that tells little", waited, stood)
	}
}

// Who needs more than it said is done in time by what others have to spare, and by nothing else: who needs no more
// than it said is in time, whatever others do.
func TestWhoOverrunsTakesFromNobody(t *testing.T) {
	kind, err := policy.Find("going-rate")
	if err != nil {
		t.Fatal(err)
	}
	over, punctual := 0, 0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 8))
		jobs := crowd(draw, 200)
		for i := range jobs {
			switch draw.IntN(3) {
			case 0:
				jobs[i].Actual *= 1.2
			case 1:
				jobs[i].Actual *= market.Work(draw.Float64())
			}
		}
		try := trial.Trial{Kind: kind, Nodes: market.Alike(market.Plain(), 8), Watch: func(r *market.Record) {
			if r.Kind != market.Completed {
				return
			}
			a := &jobs[r.Job]
			late := r.At.After(a.Job.Due())
			switch said := a.Actual <= a.Job.Estimate; {
			case said && late:
				t.Errorf("world %d: job %d needed no more than it said and is done at %v, due %v", seed, r.Job, r.At, a.Job.Due())
			case !said:
				over++
				if !late {
					punctual++
				}
			}
		}}
		if _, err := try.Run(t.Context(), workload.FromSlice(jobs)); err != nil {
			t.Fatal(err)
		}
	}
	if over < 1000 || punctual < over/2 {
		t.Errorf("of %d that needed more than they said %d are in time", over, punctual)
	}
}

// At a posted price an offer says yes or no, and nothing else, as under make-way.
func TestNobodyGainsByOfferingLessThanTheGoingRate(t *testing.T) {
	told := map[string]int{}
	for seed := range uint64(40) {
		draw := rand.New(rand.NewPCG(seed, 9))
		see := func(j *market.Job, ask func(market.Price) policy.Answer) {
			if why := haggle(j, draw, ask, told); why != "" {
				t.Fatalf("world %d, job %d: %s", seed, j.ID, why)
			}
		}
		c, err := cluster.New(market.PlainNodes(8), policy.HagglingOverTheRate([]float64{0.3, 0.5, 0.8}[seed%3], see))
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Run(context.Background(), c, workload.FromSlice(crowd(draw, 200)), sim.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"refused", "waits", "begins", "too little"} {
		if told[what] < 200 {
			t.Errorf("%s %d times: that tells little", what, told[what])
		}
	}
}

// To ask what a job would be told later changes nothing now: who will have had its estimate by then is still there.
func TestAskingAboutLaterChangesNothing(t *testing.T) {
	kind, err := policy.Find("going-rate")
	if err != nil {
		t.Fatal(err)
	}
	p, err := kind.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(market.PlainNodes(1), p)
	if err != nil {
		t.Fatal(err)
	}
	first := market.Job{ID: 1, Estimate: 5, Width: 1, SLA: market.SLA{Deadline: 6, Budget: 100}}
	c.Step(0, []market.Event{{Kind: market.Submitted, Job: 1, Spec: &first}})
	if _, err := c.Quote(6.5, market.Job{ID: 2, Estimate: 1, Width: 1, SLA: market.SLA{Deadline: 50, Budget: 1000}}); err != nil {
		t.Fatal(err)
	}
	// 5 s and then 10 s are more than 12.
	if q, err := c.Quote(0, market.Job{ID: 3, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 12, Budget: 1000}}); err != nil || q.Firm {
		t.Errorf("%+v, %v: it is promised what cannot be", q, err)
	}
}
