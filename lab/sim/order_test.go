package sim_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// Where processors are alike admission goes by an order of them and asks only
// those that could be chosen; where one is faster than others it asks everybody. With
// one that has no memory for anybody, the two answer alike, job by job.
func TestAskingInOrderIsAskingEverybody(t *testing.T) {
	for _, x := range []struct {
		policy string
		set    map[string]string
	}{
		{"libra", nil},
		{"libra", map[string]string{"replan": "touched"}},
		{"libra", map[string]string{"replan": "touched", "fit": "least-loaded"}},
		{"libra", map[string]string{"replan": "touched", "spare": "none"}},
		{"libra-plus", nil},
		{"libra-plus", map[string]string{"replan": "touched"}},
		{"libra-plus", map[string]string{"replan": "touched", "beta": "0.6"}},
		{"libra-plus", map[string]string{"replan": "touched", "per": "processor"}},
		{"libra-sla", nil},
	} {
		for seed := range uint64(4) {
			alike := crowd(seed, 0)
			plain, err := simulate(alike, market.PlainNodes(60), x.policy, x.set)
			if err != nil {
				t.Fatal(err)
			}
			nodes := market.PlainNodes(60)
			for i := range nodes {
				nodes[i].Memory = 1 << 40
			}
			fast := market.Plain()
			fast.Rating, fast.Memory = 2, 0
			nodes = append(nodes, fast)
			choosy, err := simulate(crowd(seed, 1), nodes, x.policy, x.set)
			if err != nil {
				t.Fatal(err)
			}
			ran, refused := 0, 0
			for i := range plain {
				a, b := &plain[i], &choosy[i]
				if a.Outcome != b.Outcome || a.Reason != b.Reason || a.Priced != b.Priced || a.Priced && !near(float64(a.Cost), float64(b.Cost)) || !near(finish(a.Finish), finish(b.Finish)) || !slices.Equal(a.Nodes, b.Nodes) {
					t.Fatalf("%s %v seed %d, job %d:\nin order  %+v\neverybody %+v", x.policy, x.set, seed, i, *a, *b)
				}
				if strings.HasPrefix(a.Outcome.String(), "rejected") {
					refused++
				} else {
					ran++
				}
			}
			if ran < 200 || refused < 50 {
				t.Errorf("%s %v seed %d: %d ran and %d were refused, which shows little", x.policy, x.set, seed, ran, refused)
			}
		}
	}
}

func finish(t market.Time) float64 {
	if !t.Finite() {
		return -1
	}
	return float64(t)
}

// crowd is more work than 60 processors can do, with estimates of all kinds.
func crowd(seed uint64, memory int64) []workload.Arrival {
	draw := rand.New(rand.NewPCG(seed, 5))
	var jobs []workload.Arrival
	at := 0.0
	if seed == 3 { // two years on, times are rounded more coarsely
		at = 6e7
	}
	for i := range 900 {
		at += draw.ExpFloat64() * 12
		run := 5 + draw.ExpFloat64()*300
		if seed == 1 { // many are alike
			run = []float64{60, 120, 240}[draw.IntN(3)]
		}
		estimate := run * []float64{1, 1, 1.3, 2, 0.8}[draw.IntN(5)]
		width := int32(1 + draw.IntN(2)*draw.IntN(20))
		patience := 1 + draw.ExpFloat64()*6
		if seed == 1 {
			patience = []float64{2, 4, 8}[draw.IntN(3)]
		}
		jobs = append(jobs, workload.Arrival{Actual: market.Work(run), Job: market.Job{
			Submit: market.Time(at), Estimate: market.Work(estimate), Width: width, Memory: memory,
			SLA: market.SLA{
				Deadline: market.Time(estimate * patience), Budget: market.Price(estimate * (1 + draw.ExpFloat64()*4)),
				Penalty: market.Price(draw.Float64()), Soft: draw.IntN(2) == 0,
			},
		}})
		if seed == 2 && i%60 == 30 { // now and then somebody who names neither a deadline nor a limit
			jobs[i].Job.SLA.Deadline, jobs[i].Job.SLA.Budget = market.Never, market.Unlimited
		}
	}
	return jobs
}
