package sim_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/sim/oracle"
	"github.com/libra-market/libra/lab/workload"
)

// variants are the policies with the settings under which each is held against
// the oracle.
var variants = []struct {
	policy string
	set    map[string]string
}{
	{"fifo", nil},
	{"fcfs-bf", nil},
	{"sjf-bf", nil},
	{"edf-bf", nil},
	{"fcfs-bf", map[string]string{"late": "lapsed"}},
	{"edf-bf", map[string]string{"late": "lapsed", "pbase": "2.5"}},
	{"libra", nil},
	{"libra", map[string]string{"spare": "none"}},
	{"libra", map[string]string{"commitment": "current"}},
	{"libra", map[string]string{"replan": "touched"}},
	{"libra", map[string]string{"replan": "touched", "spare": "none", "fit": "least-loaded"}},
	{"libra", map[string]string{"replan": "touched", "commitment": "current"}},
	{"libra", map[string]string{"fit": "least-loaded"}},
	{"libra", map[string]string{"spare": "none", "gamma": "0", "delta": "0"}},
	{"libra-plus", nil},
	{"libra-plus", map[string]string{"beta": "0.5", "alpha": "0.7"}},
	{"libra-plus", map[string]string{"spare": "none", "commitment": "current"}},
	{"libra-plus", map[string]string{"replan": "touched"}},
	{"libra-plus", map[string]string{"replan": "touched", "spare": "none", "commitment": "current"}},
	{"libra-plus", map[string]string{"fit": "least-loaded"}},
	{"libra-plus", map[string]string{"fit": "least-loaded", "replan": "touched", "beta": "0.5"}},
	{"libra-sla", nil},
	{"first-price", nil},
	{"first-reward", nil},
	{"first-reward", map[string]string{"alpha": "1", "discount": "0"}},
	{"first-reward", map[string]string{"alpha": "0", "slack": "3"}},
	{"first-reward", map[string]string{"alpha": "0.2", "discount": "0.1"}},
	{"bid-share", nil},
	{"make-way", nil},
	{"make-way", map[string]string{"margin": "0", "press": "0", "lean": "1"}},
	{"make-way", map[string]string{"margin": "0.5", "press": "3"}},
	{"make-way", map[string]string{"margin": "2", "follow": "0.6", "reserve": "0.1"}},
	{"make-way", map[string]string{"price": "posted", "follow": "0.5"}},
	{"make-way", map[string]string{"further": "0.5", "reserve": "0.9"}},
	{"make-way", map[string]string{"price": "posted", "follow": "0.8", "urgency": "0.5", "per": "processor"}},
	{"qops", nil},
	{"qops", map[string]string{"slack": "0.5", "pbase": "2"}},
}

// The fast implementation and the slow one agree on every job of thousands of
// small workloads rich in ties, exact fits, over-runs and overload.
func TestAgreesWithTheOracle(t *testing.T) {
	for _, v := range variants {
		name := v.policy
		for k, x := range v.set {
			name += "," + k + "=" + x
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				jobs, nodes := oracle.Draw(t, v.policy)
				if why := disagreement(jobs, nodes, v.policy, v.set); why != "" {
					jobs = oracle.Minimize(jobs, func(jobs []oracle.Job) bool {
						return disagreement(jobs, nodes, v.policy, v.set) != ""
					})
					t.Fatalf("%d nodes, %s\n%s", nodes, disagreement(jobs, nodes, v.policy, v.set), list(jobs))
				}
			})
		})
	}
}

// disagreement says where the two differ, or nothing.
func disagreement(jobs []oracle.Job, nodes int, name string, set map[string]string) string {
	want, err := oracle.Run(jobs, oracle.Options{Nodes: nodes, Policy: name, Set: set})
	if err != nil {
		return err.Error()
	}
	return compared(jobs, want, market.PlainNodes(nodes), name, set)
}

// compared says where what a run makes of jobs is not what it should be.
func compared(jobs []oracle.Job, want []oracle.Row, nodes []market.Node, name string, set map[string]string) string {
	got, err := simulate(arrivals(jobs), nodes, name, set)
	if err != nil {
		return err.Error()
	}
	for i := range want {
		if d := differs(&got[i], &want[i]); d != "" {
			return fmt.Sprintf("job %d: %s\n got %+v\nwant %+v", i, d, got[i], want[i])
		}
	}
	return ""
}

func differs(got *report.Row, want *oracle.Row) string {
	number := func(x float64, known bool) float64 {
		if !known {
			return math.NaN()
		}
		return x
	}
	switch {
	case got.Outcome.String() != want.Outcome, got.Reason.String() != want.Reason:
		return "outcome"
	case !near(number(float64(got.Start), got.Start.Finite()), want.Start):
		return "start"
	case !near(number(float64(got.Finish), got.Finish.Finite()), want.Finish):
		return "finish"
	case !near(number(float64(got.Cost), got.Priced), want.Cost):
		return "cost"
	case !near(number(float64(got.Utility), got.Valued), want.Utility):
		return "utility"
	case strings.Trim(fmt.Sprint(got.Nodes), "[]") != strings.Trim(fmt.Sprint(want.Nodes), "[]"):
		return "nodes"
	}
	return ""
}

// near allows for the instant of 1e-6 that implementations may place an event
// within, whatever a second is worth.
func near(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) == math.IsNaN(b)
	}
	return math.Abs(a-b) <= 1e-4+1e-6*math.Abs(b)
}

func arrivals(jobs []oracle.Job) []workload.Arrival {
	out := make([]workload.Arrival, len(jobs))
	for i, j := range jobs {
		out[i] = workload.Arrival{Actual: market.Work(j.Runtime), Job: market.Job{
			Name: fmt.Sprint(i), Submit: market.Time(j.Submit), Estimate: market.Work(j.Estimate), Width: int32(j.Procs), GPUs: int32(j.GPUs),
			SLA: market.SLA{
				Deadline: market.Time(j.Deadline), Budget: market.Price(j.Budget), Penalty: market.Price(j.Penalty), Soft: j.Soft,
			},
		}}
	}
	return out
}

func simulate(jobs []workload.Arrival, nodes []market.Node, name string, set map[string]string) ([]report.Row, error) {
	kind, err := policy.Find(name)
	if err != nil {
		return nil, err
	}
	p, err := kind.New(set)
	if err != nil {
		return nil, err
	}
	kept := market.Compact(nodes) // as the program keeps them
	c, err := cluster.Of(kept, p)
	if err != nil {
		return nil, err
	}
	if kind.ExactEstimates {
		for i := range jobs {
			jobs[i].Job.Estimate = jobs[i].Actual
		}
	}
	var rows []report.Row
	table := report.NewTable(nil, func(r *report.Row) error { rows = append(rows, *r); return nil })
	var world sim.World = c
	see := table.See
	if gpus, sold := sim.SellGPUs(c, kept, kind.TimeShared, nil); sold {
		world, see = gpus, gpus.Seer(see)
	}
	if err := sim.Run(context.Background(), world, workload.FromSlice(jobs), sim.Options{See: see}); err != nil {
		return nil, err
	}
	return rows, table.Close()
}

func list(jobs []oracle.Job) string {
	var b strings.Builder
	for i, j := range jobs {
		fmt.Fprintf(&b, "%d: %s\n", i, j)
	}
	return b.String()
}
