package revenue

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/libra-market/libra/core/admission"
)

// The same seed gives the same results, whoever computes them.
func TestStudyIndependentOfWorkers(t *testing.T) {
	s := PaperSystem()
	s.Period = 10 * 86400
	rules, err := PaperRules(&s, 2, admission.PaperPhi, admission.Scaled)
	if err != nil {
		t.Fatal(err)
	}
	var before []RuleResult
	for _, workers := range []int{1, 2, 7} {
		study := Study{System: s, Load: 2, Rules: rules, Periods: 9, Seed: 3, Workers: workers}
		results, err := study.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			results[i].system = nil
		}
		if before != nil && !reflect.DeepEqual(before, results) {
			t.Errorf("%d workers: %+v, not %+v", workers, results, before)
		}
		before = results
	}
}

// Rules see the same jobs: whoever admits a class fully sees as many of it, and
// more load only brings the jobs closer together.
func TestCommonRandomNumbers(t *testing.T) {
	s := PaperSystem()
	s.Period = 30 * 86400
	sim, err := NewSimulator(s)
	if err != nil {
		t.Fatal(err)
	}
	all := sim.Run(5, 0, 2, AdmitAll(&s))
	classes := append([]Tally(nil), sim.ByClass()...)
	some := sim.Run(5, 0, 2, Rule{Q: []float64{0.3, 1, 0.5, 1}})
	if all.Arrived != some.Arrived {
		t.Errorf("%d and %d jobs", all.Arrived, some.Arrived)
	}
	for c, tally := range sim.ByClass() {
		if tally.Arrived != classes[c].Arrived {
			t.Errorf("class %d: %d and %d jobs", c, tally.Arrived, classes[c].Arrived)
		}
	}
	a, b := newGenerator(&s), newGenerator(&s)
	a.begin(1, 2, 1)
	b.begin(1, 2, 4)
	for range 100 {
		var x, y Job
		if a.next(&x) != b.next(&y) || x.Length != y.Length || x.Class != y.Class || math.Abs(x.Arrival-4*y.Arrival) > 1e-6 {
			t.Fatalf("%+v and %+v", x, y)
		}
	}
}

// The generator follows the laws of tables 1 and 2.
func TestGenerator(t *testing.T) {
	s := PaperSystem()
	g := newGenerator(&s)
	g.begin(1, 0, 2)
	const n = 200_000
	var length, square float64
	counts := make([]float64, 4)
	var j Job
	for range n {
		g.next(&j)
		length += j.Length / n
		square += j.Length * j.Length / n
		counts[j.Class]++
		if j.Length < 300 || j.Width != 500 {
			t.Fatalf("%+v", j)
		}
	}
	if deviation := math.Sqrt(square - length*length); math.Abs(length-7200) > 30 || math.Abs(deviation-2400) > 20 {
		t.Errorf("lengths: mean %v, deviation %v", length, deviation)
	}
	if rate := n / j.Arrival; math.Abs(rate/(2*10.0/7200)-1) > 0.01 {
		t.Errorf("%v jobs a second", rate)
	}
	for c, count := range counts {
		if math.Abs(count/n-s.Classes[c].Share) > 0.005 {
			t.Errorf("class %d: %v", c, count/n)
		}
	}
}

func TestNoAllocationPerJob(t *testing.T) {
	s := PaperSystem()
	sim, err := NewSimulator(s)
	if err != nil {
		t.Fatal(err)
	}
	rule := AdmitAll(&s)
	sim.Run(1, 0, 2, rule)
	if allocs := testing.AllocsPerRun(3, func() { sim.Run(1, 0, 2, rule) }); allocs > 0 {
		t.Errorf("%v allocations in a period", allocs)
	}
}

// What section VI says of figures 16 to 19, where it says it in numbers.
func TestSectionVIClaims(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a few million jobs")
	}
	run := func(load float64) (all, optimal RuleResult) {
		results, err := SectionVIStudy(t.Context(), PaperSystem(), load, admission.FittedPhi, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		return results[0], results[1]
	}
	all, optimal := run(0.5)
	if a, b := all.RevenuePerJob().Mean, optimal.RevenuePerJob().Mean; math.Abs(a-1800) > 30 || math.Abs(b-1800) > 30 {
		t.Errorf("$1800 per job at load 0.5: %v and %v", a, b)
	}
	all, optimal = run(2)
	if all.RevenuePerSecond().Mean <= optimal.RevenuePerSecond().Mean {
		t.Error("between 65 and 300 % admitting all earns more")
	}
	if u := all.Utilisation().Mean; u < 0.99 {
		t.Errorf("utilisation of 100 %% at load 2: %v", u)
	}
	all, optimal = run(4)
	if all.RevenuePerSecond().Mean >= optimal.RevenuePerSecond().Mean {
		t.Error("beyond 300 % q* earns more")
	}
	if a := optimal.RevenuePerJob().Mean; math.Abs(a-5000) > 30 {
		t.Errorf("$5000 per job beyond 285 %%: %v", a)
	}
}

// Tuning never ends below what it starts from by more than chance, and is far
// above the paper's rules at load 2.
func TestTune(t *testing.T) {
	s := PaperSystem()
	s.Period = 60 * 86400
	tuned, err := Tune(t.Context(), Tuning{
		System: s, Load: 2, Phi: admission.PaperPhi, Offset: admission.Scaled, SearchPeriods: 4, Periods: 8, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]float64{}
	for _, standing := range tuned.Standings {
		part[standing.Result.Rule.Name] = standing.Part
	}
	if part[RuleTuned] > 0.01 || part[RuleAdmitAll] < 0.03 || part[RuleOptimal] < 0.08 {
		t.Errorf("gaps %v", part)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Tune(ctx, Tuning{System: s, Load: 2, Phi: 1, Offset: admission.Scaled, SearchPeriods: 4, Periods: 8}); err == nil {
		t.Error("an interrupted tuning has no result")
	}
}

func TestStudent(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.7062, 5: 2.57058, 6: 2.44691, 9: 2.26216, 19: 2.09302, 99: 1.98422} {
		if got := student(freedom); math.Abs(got-want) > 2e-3 {
			t.Errorf("%d degrees of freedom: %v, not %v", freedom, got, want)
		}
	}
}
