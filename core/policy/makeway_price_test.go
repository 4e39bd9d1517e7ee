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

// At a posted price an offer says yes or no, and nothing else: whoever offers less, or more, gets the same
// answer to the letter, price, place and processors, as long as it is the price or more, and none below.
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
		see := func(j *market.Job, ask func(market.Price) policy.Answer) {
			if why := haggle(j, draw, ask, told); why != "" {
				t.Fatalf("world %d, job %d: %s", seed, j.ID, why)
			}
		}
		c, err := cluster.New(nodes, policy.Haggling([]float64{0.3, 0.5, 0.8}[seed%3], see))
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Run(context.Background(), c, workload.FromSlice(crowd(draw, 200)), sim.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"refused", "waits", "begins", "makes others wait", "too little"} {
		if told[what] < 200 {
			t.Errorf("%s %d times: that tells little", what, told[what])
		}
	}
}

// haggle asks for the same job with other offers, and says what is wrong with the answers.
func haggle(j *market.Job, draw *rand.Rand, ask func(market.Price) policy.Answer, told map[string]int) string {
	const plenty = 1e12
	most := ask(plenty)
	switch most.Verdict {
	case policy.Refuse: // its deadline cannot be met
		return ""
	case policy.Queue:
		told["waits"]++
	case policy.Run:
		told["begins"]++
		if most.Passing {
			told["makes others wait"]++
		}
	}
	if honest := ask(j.SLA.Budget); honest.Verdict == policy.Refuse {
		told["refused"]++
	}
	price := most.Terms.Price
	for _, offer := range []market.Price{j.SLA.Budget, price, price * (1 + 1e-6), price * 2, price * market.Price(1+draw.Float64())} {
		if offer < price {
			continue
		}
		if got, want := fmt.Sprintf("%+v", ask(offer)), fmt.Sprintf("%+v", most); got != want {
			return fmt.Sprintf("an offer of %v gets %s, one of %v gets %s", offer, got, market.Price(plenty), want)
		}
	}
	for _, offer := range []market.Price{price * (1 - 1e-6), price * market.Price(draw.Float64())} {
		if less := ask(offer); price > 0 && (less.Verdict != policy.Refuse || less.Reason != market.CannotMeetBudget) {
			return fmt.Sprintf("the price is %v, and an offer of %v gets %+v", price, offer, less)
		}
		told["too little"]++
	}
	return ""
}
