package policy_test

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
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
		var jobs []workload.Arrival
		at := market.Time(0)
		for range 200 {
			at += market.Time(draw.ExpFloat64() * 20)
			work := market.Work(1 + 200*draw.ExpFloat64())
			jobs = append(jobs, workload.Arrival{Actual: work, Job: market.Job{
				Submit: at, Estimate: work, Width: 1 + int32(draw.IntN(6)),
				SLA: market.SLA{Deadline: market.Time(float64(work) * (1 + 5*draw.Float64())), Budget: market.Price(100 * draw.Float64())},
			}})
		}
		try := trial.Trial{Kind: kind, Nodes: market.PlainNodes(8)}
		got, err := try.Run(t.Context(), workload.FromSlice(jobs))
		if err != nil {
			t.Fatal(err)
		}
		if got.Completed == 0 || got.Completed != got.MetDeadline || got.Revenue != got.Earned || got.Completed+got.Rejected != got.Jobs {
			t.Errorf("seed %d: of %d jobs %d are done and %d in time, revenue %v of %v", seed, got.Jobs, got.Completed, got.MetDeadline, got.Revenue, got.Earned)
		}
	}
}
