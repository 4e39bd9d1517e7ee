package bound_test

import (
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// No policy exceeds the bound, whatever the workload: wrong estimates, jobs that are
// too wide or too long, clusters of unequal processors, soft deadlines.
func TestNoPolicyExceedsTheBound(t *testing.T) {
	reached := map[string]float64{} // the largest part of a limit that any policy came to
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 3))
		nodes := market.PlainNodes(1 + draw.IntN(6))
		if seed%4 == 0 {
			for i := range nodes {
				nodes[i].Processors, nodes[i].Rating = 1+draw.IntN(2), 0.5+draw.Float64()
			}
		}
		jobs := randomWork(draw, seed%3 == 0)
		l := bound.Of(each(jobs), bound.NewCluster(market.Each(nodes)), bound.Effort{Buckets: 200, Looks: 1_000_000})
		for _, kind := range policy.Kinds() {
			try := trial.Trial{Kind: kind, Nodes: market.Each(nodes), Exact: kind.ExactEstimates}
			got, err := try.Run(t.Context(), workload.FromSlice(jobs))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []struct {
				name       string
				got, limit float64
			}{
				{"revenue", got.Revenue, *l.Revenue},
				{"profitability", got.Profitability, *l.Profitability},
				{"QoS", got.QoSSatisfaction, l.QoS},
				{"utility", got.Utility, l.Utility},
			} {
				if m.got > m.limit*(1+1e-9)+1e-9 {
					t.Errorf("seed %d: %s of %s is %v, above the bound %v", seed, m.name, kind.Name, m.got, m.limit)
				}
				if m.limit > 0 {
					reached[m.name] = max(reached[m.name], m.got/m.limit)
				}
			}
		}
	}
	// Otherwise the bound would be of no use, and the test neither.
	for name, part := range reached {
		if part < 0.999 {
			t.Errorf("nobody came nearer to the bound on %s than %.3f of it", name, part)
		}
	}
}

func randomWork(draw *rand.Rand, wrong bool) []workload.Arrival {
	var jobs []workload.Arrival
	at := market.Time(0)
	busy := 0.2 + 3*draw.Float64()
	for i := range 5 + draw.IntN(40) {
		at += market.Time(draw.ExpFloat64() * 50 / busy)
		work := market.Work(1 + draw.ExpFloat64()*60)
		a := workload.Arrival{Number: int64(i + 1), Actual: work, Job: market.Job{
			Submit: at, Estimate: work, Width: 1 + int32(draw.IntN(4)),
			SLA: market.SLA{
				Deadline: market.Time(float64(work) * (0.9 + 6*draw.Float64()*draw.Float64())), Budget: market.Price(float64(work) * 8 * draw.Float64()),
				Penalty: market.Price(draw.Float64() / 2), Soft: draw.IntN(2) == 0,
			},
		}}
		if wrong {
			a.Job.Estimate = market.Work(float64(work) * (0.3 + 1.5*draw.Float64()))
		}
		if draw.IntN(20) == 0 {
			a.Job.SLA.Deadline = market.Never
		}
		jobs = append(jobs, a)
	}
	return jobs
}

func each(jobs []workload.Arrival) iter.Seq2[*market.Job, market.Work] {
	return func(yield func(*market.Job, market.Work) bool) {
		for i := range jobs {
			if !yield(&jobs[i].Job, jobs[i].Actual) {
				return
			}
		}
	}
}
