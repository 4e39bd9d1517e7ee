package reading

import (
	"fmt"
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

const nodes = 32

// some are jobs of a model with the agreements of 000.
func some(t *testing.T, seed uint64, inaccuracy string) []workload.Arrival {
	t.Helper()
	model := workload.NewLublin()
	model.Jobs, model.Nodes, model.Load = 400, nodes, 1.5
	source, err := model.Source(seed)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := workload.Load(source)
	if err != nil {
		t.Fatal(err)
	}
	sla := workload.NewLibraPlusModel()
	if err := sla.Set("inaccuracy", inaccuracy); err != nil {
		t.Fatal(err)
	}
	if err := sla.Apply(jobs, seed); err != nil {
		t.Fatal(err)
	}
	return jobs
}

func run(t *testing.T, jobs []workload.Arrival, name string, set map[string]string) *report.Summary {
	t.Helper()
	s, err := Run(jobs, nodes, name, set)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Under the usual reading this is what the policies do.
func TestUsualReadingIsThePolicy(t *testing.T) {
	for _, inaccuracy := range []string{"0", "0.4"} {
		for _, v := range []struct {
			policy string
			set    map[string]string
		}{
			{"libra", nil},
			{"libra-plus", nil},
			{"libra-plus", map[string]string{"beta": "0.5"}},
			{"libra", map[string]string{"spare": "none", "fit": "least-loaded", "commitment": "current"}},
		} {
			for seed := range uint64(6) {
				jobs := some(t, seed, inaccuracy)
				kind, err := policy.Find(v.policy)
				if err != nil {
					t.Fatal(err)
				}
				want, err := (&trial.Trial{Kind: kind, Set: v.set, Nodes: market.Alike(market.Plain(), nodes)}).Run(t.Context(), workload.FromSlice(jobs))
				if err != nil {
					t.Fatal(err)
				}
				got := run(t, jobs, v.policy, v.set)
				if got.Accepted != want.Accepted || got.MetDeadline != want.MetDeadline || fmt.Sprint(got.Reasons) != fmt.Sprint(want.Reasons) ||
					math.Abs(got.Revenue-want.Revenue) > 1e-6*want.Revenue || math.Abs(got.Utility-want.Utility) > 1e-6*math.Abs(want.Utility) ||
					math.Abs(got.QoSSatisfaction-want.QoSSatisfaction) > 1e-12 || math.Abs(got.Profitability-want.Profitability) > 1e-9 ||
					math.Abs(got.UnitPrices-want.UnitPrices) > 1e-6*want.UnitPrices {
					t.Errorf("%s %v, inaccuracy %s, seed %d:\n got %+v\nwant %+v", v.policy, v.set, inaccuracy, seed, got, want)
				}
			}
		}
	}
}

// Each reading does something, where it can.
func TestReadingsDiffer(t *testing.T) {
	exact, wrong := some(t, 1, "0"), some(t, 1, "0.4")
	for _, c := range []struct {
		name, value string
		jobs        []workload.Arrival
	}{{Tasks, "apart", wrong}, {Overrun, "last", wrong}, {Free, "estimates", exact}} {
		usual, other := run(t, c.jobs, "libra-plus", nil), run(t, c.jobs, "libra-plus", map[string]string{c.name: c.value})
		if usual.MetDeadline == other.MetDeadline && usual.Revenue == other.Revenue {
			t.Errorf("%s=%s changes nothing", c.name, c.value)
		}
	}
	if a, b := run(t, exact, "libra-plus", nil), run(t, exact, "libra-plus", map[string]string{Overrun: "last"}); a.Revenue != b.Revenue {
		t.Error("nobody over-runs an exact estimate")
	}
}

// With exact estimates whoever is accepted is in time, together or apart.
func TestApartIsInTime(t *testing.T) {
	for seed := range uint64(6) {
		s := run(t, some(t, seed, "0"), "libra", map[string]string{Tasks: "apart"})
		if s.Completed != s.Accepted || s.MetDeadline != s.Completed || s.Accepted == 0 {
			t.Errorf("seed %d: %d accepted, %d done, %d in time", seed, s.Accepted, s.Completed, s.MetDeadline)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ policy, name, value string }{
		{"fifo", Tasks, "apart"}, {"libra", Tasks, "nonsense"}, {"libra", "nonsense", "1"}, {"libra-plus", "beta", "much"},
	} {
		if _, err := Run(nil, 1, c.policy, map[string]string{c.name: c.value}); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if !Needed(map[string]string{Free: "estimates"}) || Needed(map[string]string{"beta": "1"}) {
		t.Error("what is a reading")
	}
}
