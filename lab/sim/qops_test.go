package sim_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim/oracle"
)

// Whoever qops accepts is done by the time it promised, also where jobs end
// before their estimates: an early end, which changes every start after it, may
// make nobody late.
func TestQoPSKeepsItsPromisesWhenJobsEndEarly(t *testing.T) {
	for slack, text := range map[float64]string{0: "0", 0.5: "0.5"} {
		rapid.Check(t, func(t *rapid.T) {
			jobs, nodes := oracle.Draw(t, "qops")
			for i := range jobs {
				jobs[i].Estimate = math.Max(jobs[i].Estimate, jobs[i].Runtime)
			}
			rows, err := simulate(arrivals(jobs), market.PlainNodes(nodes), "qops", map[string]string{"slack": text})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range rows {
				promised := market.Time(jobs[i].Submit + (1+slack)*jobs[i].Deadline)
				if r.Outcome == report.Completed && r.Finish.After(promised) {
					t.Fatalf("%d nodes: job %d was promised for %v and is done at %v\n%s", nodes, i, promised, r.Finish, list(jobs))
				}
			}
		})
	}
}
