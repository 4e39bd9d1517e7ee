package policy_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// Where a job costs the least offer that would have got the same answer, nobody pays less for it by
// offering less: a lower offer gets the same for the same price, or something worse. Just above the price
// it is the same answer, and just below it is not.
func TestNobodyGainsByOfferingLess(t *testing.T) {
	told := map[string]int{}
	for seed := range uint64(40) {
		draw := rand.New(rand.NewPCG(seed, 8))
		nodes := market.PlainNodes(8)
		if seed%4 == 3 {
			for i := range nodes {
				nodes[i].Rating = 1 + draw.Float64()
			}
		}
		see := func(j *market.Job, ask func(market.Price) policy.Told) {
			haggle(t, seed, j, draw, ask, told)
		}
		c, err := cluster.New(nodes, policy.Haggling([]float64{0, 0.5, 0.8}[seed%3], see))
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Run(context.Background(), c, workload.FromSlice(crowd(draw, 200)), sim.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"refused", "waits for something", "begins for something", "begins for nothing", "worse"} {
		if told[what] < 200 {
			t.Errorf("%s %d times: that tells little", what, told[what])
		}
	}
}

func haggle(t *testing.T, seed uint64, j *market.Job, draw *rand.Rand, ask func(market.Price) policy.Told, told map[string]int) {
	t.Helper()
	honest := ask(j.SLA.Budget)
	switch {
	case honest.Verdict == policy.Refuse:
		told["refused"]++
		if less := ask(j.SLA.Budget / 2); less.Verdict != policy.Refuse {
			t.Fatalf("world %d, job %d: %v is refused, and half of it is not", seed, j.ID, j.SLA.Budget)
		}
		return
	case honest.Price > j.SLA.Budget:
		t.Fatalf("world %d, job %d: %v for an offer of %v", seed, j.ID, honest.Price, j.SLA.Budget)
	case honest.Verdict == policy.Queue && honest.Price > 0:
		told["waits for something"]++
	case honest.Verdict == policy.Run && honest.Price > 0:
		told["begins for something"]++
	case honest.Verdict == policy.Run:
		told["begins for nothing"]++
	}
	const little = 1e-6
	for _, offer := range []market.Price{
		j.SLA.Budget * market.Price(draw.Float64()), honest.Price * (1 + little), honest.Price * (1 - little), honest.Price * market.Price(draw.Float64()),
	} {
		if offer > j.SLA.Budget {
			continue
		}
		less := ask(offer)
		alike := less.Verdict == honest.Verdict && less.Ahead == honest.Ahead
		switch {
		case alike && less.Price != honest.Price:
			t.Fatalf("world %d, job %d: %v for an offer of %v and %v for one of %v get the same (%+v)", seed, j.ID, honest.Price, j.SLA.Budget, less.Price, offer, less)
		case alike != (offer > honest.Price || honest.Price == 0):
			t.Fatalf("world %d, job %d: the price of %+v is not the least: an offer of %v gets %+v", seed, j.ID, honest, offer, less)
		case !alike && (less.Verdict > honest.Verdict || less.Verdict == honest.Verdict && less.Ahead <= honest.Ahead):
			t.Fatalf("world %d, job %d: an offer of %v gets %+v, and less, %v, gets more: %+v", seed, j.ID, j.SLA.Budget, honest, offer, less)
		case !alike:
			told["worse"]++
		}
	}
}
