package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/sim/oracle"
	"github.com/libra-market/libra/lab/workload"
)

// On a real log with drawn agreements, overloaded as in the papers, the fast
// implementation and the slow one agree on at least 99.5 % of the jobs. They
// agree on all of them but where rounding decides between two nodes.
func TestAgreesWithTheOracleOnARealLog(t *testing.T) {
	path := filepath.Join(traces, "SDSC-SP2-1998-4.2-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no log beside the project:", err)
	}
	const last, nodes = 1000, 128
	for _, x := range []struct {
		policy, sla string
		stretch     float64
		set         map[string]string
		inaccuracy  string
	}{
		{policy: "fcfs-bf", sla: "libra-plus", stretch: 0.5},
		{policy: "sjf-bf", sla: "libra-plus", stretch: 0.5},
		{policy: "edf-bf", sla: "libra-plus", stretch: 0.5, inaccuracy: "0.3"},
		{policy: "libra", sla: "libra-plus", stretch: 0.5},
		{policy: "libra", sla: "libra-plus", stretch: 0.5, inaccuracy: "0.5"},
		{policy: "libra-plus", sla: "libra-plus", stretch: 0.5},
		{policy: "libra-plus", sla: "libra-plus", stretch: 0.25, inaccuracy: "0.2"},
		{policy: "libra", sla: "libra-sla", stretch: 0.02, set: map[string]string{"spare": "none", "gamma": "0", "delta": "0"}},
		{policy: "libra-sla", sla: "libra-sla", stretch: 0.02},
	} {
		t.Run(x.policy, func(t *testing.T) {
			t.Parallel()
			jobs := lastOf(t, path, last, x.stretch, x.sla, x.inaccuracy)
			asked := make([]oracle.Job, len(jobs))
			for i, a := range jobs {
				j := &a.Job
				asked[i] = oracle.Job{
					Submit: float64(j.Submit), Runtime: float64(a.Actual), Estimate: float64(j.Estimate), Procs: int(j.Width),
					Deadline: float64(j.SLA.Deadline), Budget: float64(j.SLA.Budget), Penalty: float64(j.SLA.Penalty), Soft: j.SLA.Soft,
				}
			}
			want := must(oracle.Run(asked, oracle.Options{Nodes: nodes, Policy: x.policy, Set: x.set}))(t)
			got := must(simulate(jobs, market.PlainNodes(nodes), x.policy, x.set))(t)
			different := 0
			for i := range want {
				if why := differs(&got[i], &want[i]); why != "" {
					if different++; different <= 3 {
						t.Logf("job %d: %s\n got %+v\nwant %+v", i, why, got[i], want[i])
					}
				}
			}
			if different > len(want)/200 {
				t.Errorf("%d of %d jobs differ", different, len(want))
			}
		})
	}
}

func lastOf(t *testing.T, path string, n int, stretch float64, sla, inaccuracy string) []workload.Arrival {
	f := must(workload.Open(path))(t)
	defer f.Close()
	jobs := must(workload.Last(f, n))(t)
	jobs = must(workload.Load(must(workload.StretchGaps(workload.FromSlice(jobs), stretch))(t)))(t)
	model := must(workload.NewModel(sla))(t)
	if inaccuracy != "" {
		if err := model.Set("inaccuracy", inaccuracy); err != nil {
			t.Fatal(err)
		}
	}
	if err := model.Apply(jobs, 1); err != nil {
		t.Fatal(err)
	}
	return jobs
}
