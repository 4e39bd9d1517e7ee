package policy_test

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
)

// With exact estimates whatever best-offer starts is in time, and it earns every offer
// that it takes.
func TestWhatTheBestOfferStartsIsInTime(t *testing.T) {
	kind, err := policy.Find("best-offer")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 5))
		try := trial.Trial{Kind: kind, Nodes: market.Alike(market.Plain(), 8)}
		allInTime(t, seed, &try, crowd(draw, 200))
	}
}
