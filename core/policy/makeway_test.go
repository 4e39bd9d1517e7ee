package policy_test

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// With exact estimates whatever make-way starts is in time, those who make way too, on
// processors that are alike and on others.
func TestWhatMakesWayIsInTime(t *testing.T) {
	kind, err := policy.Find("make-way")
	if err != nil {
		t.Fatal(err)
	}
	stood := 0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 6))
		nodes := market.PlainNodes(8)
		if seed%3 == 2 {
			for i := range nodes {
				nodes[i].Rating = 1 + draw.Float64()
			}
		}
		jobs := crowd(draw, 200)
		try := trial.Trial{Kind: kind, Nodes: market.Each(nodes), Watch: func(r *market.Record) {
			if r.Kind == market.Granted && r.Speed == 0 {
				stood++
			}
		}}
		allInTime(t, seed, &try, jobs)
	}
	if stood < 1000 {
		t.Errorf("jobs stood still %d times: that tells little", stood)
	}
}

// allInTime runs jobs: what is started is done in time, and what was offered for it is earned.
func allInTime(t *testing.T, seed uint64, try *trial.Trial, jobs []workload.Arrival) {
	t.Helper()
	got, err := try.Run(t.Context(), workload.FromSlice(jobs))
	if err != nil {
		t.Fatal(err)
	}
	if got.Completed == 0 || got.Completed != got.MetDeadline || got.Revenue != got.Earned || got.Completed+got.Rejected != got.Jobs {
		t.Errorf("seed %d: of %d jobs %d are done and %d in time, revenue %v of %v", seed, got.Jobs, got.Completed, got.MetDeadline, got.Revenue, got.Earned)
	}
}

// crowd is jobs for eight processors, more than they can do, for offers of all kinds.
func crowd(draw *rand.Rand, n int) (jobs []workload.Arrival) {
	at := market.Time(0)
	for range n {
		at += market.Time(draw.ExpFloat64() * 20)
		work := market.Work(1 + 200*draw.ExpFloat64())
		jobs = append(jobs, workload.Arrival{Actual: work, Job: market.Job{
			Submit: at, Estimate: work, Width: 1 + int32(draw.IntN(6)),
			SLA: market.SLA{Deadline: market.Time(float64(work) * (1 + 5*draw.Float64())), Budget: market.Price(100 * draw.Float64())},
		}})
	}
	return jobs
}
