package tender_test

import (
	"testing"

	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// measure runs all policies on a workload, the mean over some seeds.
func measure(t *testing.T, w grid.Workload) (acceptance, profit map[string]float64) {
	t.Helper()
	const seeds = 3
	acceptance, profit = map[string]float64{}, map[string]float64{}
	for seed := range uint64(seeds) {
		apps, err := w.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range grid.Policies() {
			b, err := tender.NewGrid(grid.PaperSites(), p, tender.NoGain)
			if err != nil {
				t.Fatal(err)
			}
			outcomes, err := tender.Run(t.Context(), b, apps, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := tender.Summarize(p.Name, b, outcomes)
			acceptance[p.Name] += s.Acceptance / seeds
			profit[p.Name] += s.Profit / seeds
			for i, o := range outcomes {
				if o.Accepted && o.Receipt.Mandatory.After(apps[i].Due()) {
					t.Fatalf("seed %d, %s: application %s misses its deadline", seed, p.Name, o.ID)
				}
			}
		}
	}
	return acceptance, profit
}

var mandatoryFirst = []string{"mf-edf", "mf-hbf", "mf-timeshare", "mf-rate"}

// What section 4 of 003 says of Figure 5: Hard-M+O accepts less than half,
// Hard-M everything, mandatory first about 80 % and earns more than both; most
// of all beside Hard-M+O where deadlines are tight.
func TestFigure5(t *testing.T) {
	lead := map[float64]float64{}
	for _, laxity := range []float64{0.1, 0.8} {
		acceptance, profit := measure(t, grid.Figure5(laxity))
		if acceptance["hard-mo"] >= 0.5 || acceptance["hard-m"] < 0.995 {
			t.Errorf("laxity %v: hard-mo accepts %v, hard-m %v", laxity, acceptance["hard-mo"], acceptance["hard-m"])
		}
		for _, mf := range mandatoryFirst {
			if acceptance[mf] < 0.65 || acceptance[mf] > 0.96 {
				t.Errorf("laxity %v: %s accepts %v", laxity, mf, acceptance[mf])
			}
			if profit[mf] <= profit["hard-mo"] || profit[mf] <= profit["hard-m"] {
				t.Errorf("laxity %v: %s earns %v, hard-mo %v, hard-m %v", laxity, mf, profit[mf], profit["hard-mo"], profit["hard-m"])
			}
		}
		lead[laxity] = profit["mf-edf"] / profit["hard-mo"]
	}
	if lead[0.1] <= lead[0.8] {
		t.Errorf("mf-edf earns %v times what hard-mo does at 10 %% laxity, %v at 80 %%", lead[0.1], lead[0.8])
	}
}

// What it says of Figure 6: at low rates Hard-M+O earns even less than Hard-M,
// and mandatory first more than both at any rate.
func TestFigure6(t *testing.T) {
	for _, k := range []float64{0.05, 0.3} {
		_, profit := measure(t, grid.Figure6(k))
		if low := profit["hard-mo"] < profit["hard-m"]; low != (k == 0.05) {
			t.Errorf("rate %v: hard-mo earns %v, hard-m %v", k, profit["hard-mo"], profit["hard-m"])
		}
		for _, mf := range mandatoryFirst {
			if profit[mf] <= max(profit["hard-m"], profit["hard-mo"]) {
				t.Errorf("rate %v: %s earns %v, hard-m %v, hard-mo %v", k, mf, profit[mf], profit["hard-m"], profit["hard-mo"])
			}
		}
	}
}
