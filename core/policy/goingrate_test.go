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
		try := trial.Trial{Kind: kind, Nodes: nodes, Watch: func(r *market.Record) {
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
