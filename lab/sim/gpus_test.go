package sim_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/sim/oracle"
)

// With GPUs too the fast implementation and the slow one agree on every job: who gets
// some, who waits for them or is refused, and what he pays.
func TestAgreesWithTheOracleOnGPUs(t *testing.T) {
	for _, v := range []struct {
		policy string
		set    map[string]string
	}{
		{"fifo", nil},
		{"libra", nil},
		{"libra", map[string]string{"replan": "touched", "fit": "least-loaded"}},
		{"libra-plus", nil},
		{"libra-plus", map[string]string{"commitment": "current", "fit": "least-loaded"}},
	} {
		t.Run(v.policy, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				jobs, n := oracle.Draw(t, v.policy)
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "gpus"), 1))
				rate := []float64{0, 0.1, 1}[r.IntN(3)]
				gpus, nodes := make([]int, n), market.PlainNodes(n)
				for i := range nodes {
					gpus[i] = r.IntN(4)
					nodes[i].GPUs, nodes[i].Base.GPU = gpus[i], market.Price(rate)
				}
				for i := range jobs {
					jobs[i].GPUs = max(0, r.IntN(5)-1)
				}
				differ := func(jobs []oracle.Job) string {
					want, err := oracle.Run(jobs, oracle.Options{Nodes: n, Policy: v.policy, Set: v.set, GPUs: gpus, GPURate: rate})
					if err != nil {
						return err.Error()
					}
					return compared(jobs, want, nodes, v.policy, v.set)
				}
				if differ(jobs) != "" {
					jobs = oracle.Minimize(jobs, func(jobs []oracle.Job) bool { return differ(jobs) != "" })
					t.Fatalf("GPUs %v at %v: %s\n%s", gpus, rate, differ(jobs), list(jobs))
				}
			})
		})
	}
}
