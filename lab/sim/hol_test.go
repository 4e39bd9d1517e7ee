package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/revenue"
	"github.com/libra-market/libra/lab/workload"
)

// The policy of the core and the dedicated engine of package revenue are two
// programs for the same cluster, 004's section VI: they agree on every job.
func TestHOLAgreesWithTheRevenueEngine(t *testing.T) {
	system := revenue.PaperSystem()
	expired := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		system.Processors = 1 + rng.IntN(12)
		jobs := drawHOL(rng, &system)
		want, _, err := revenue.Play(system, jobs, revenue.Rule{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := must(simulate(holArrivals(&system, jobs), market.PlainNodes(system.Processors), "hol", nil))(t)
		for i := range want {
			if w, g := want[i], got[i]; !sameFate(&g, &w) {
				t.Fatalf("seed %d, job %d of %+v:\n got %+v\nwant %+v", seed, i, jobs[i], g, w)
			}
			if want[i].Fate == revenue.Expired {
				expired++
			}
		}
	}
	if expired < 1000 {
		t.Errorf("only %d jobs expired: the workloads test too little", expired)
	}
}

func sameFate(got *report.Row, want *revenue.Outcome) bool {
	switch want.Fate {
	case revenue.Ran:
		return got.Outcome == report.Completed && near(float64(got.Start), want.Time) && near(float64(got.Cost), want.Revenue)
	case revenue.Expired:
		return got.Outcome == report.Expired && near(float64(got.Cost), want.Revenue)
	case revenue.Rejected:
		return got.Outcome == report.Rejected && got.Reason == market.CannotMeetResources
	case revenue.Waiting:
	}
	return false
}

// drawHOL makes jobs that overload the cluster, some of them at equal times.
func drawHOL(rng *rand.Rand, s *revenue.System) []revenue.Job {
	jobs := make([]revenue.Job, 5+rng.IntN(60))
	at := 0.0
	for i := range jobs {
		if rng.IntN(4) > 0 {
			at += math.Floor(rng.ExpFloat64() * 4000)
		}
		jobs[i] = revenue.Job{
			Arrival: at, Length: float64(300 + 300*rng.IntN(40)), Class: int32(rng.IntN(len(s.Classes))), Width: int32(1 + rng.IntN(4)),
		}
	}
	return jobs
}

// holArrivals says the same in the words of the market.
func holArrivals(s *revenue.System, jobs []revenue.Job) []workload.Arrival {
	out := make([]workload.Arrival, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		out[i] = workload.Arrival{Actual: market.Work(j.Length), Job: market.Job{
			Submit: market.Time(j.Arrival), Estimate: market.Work(j.Length), Width: j.Width, Class: j.Class,
			SLA: market.SLA{
				Deadline: market.Time((s.Grace + 1) * j.Length), Budget: market.Price(s.Value(j)),
				Penalty: market.Price(s.Classes[j.Class].Decay), Soft: true,
			},
		}}
	}
	return out
}
