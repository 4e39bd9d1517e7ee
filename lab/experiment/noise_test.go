package experiment

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/revenue"
)

// noisy is a figure of two lines at one x whose runs share most of their noise;
// they differ by gap on average.
func noisy(n int, gap float64) *Figure {
	var a, b []float64
	for i := range n {
		luck := 100 * math.Sin(float64(i*i))
		a = append(a, luck+gap+math.Cos(float64(3*i)))
		b = append(b, luck)
	}
	f := &Figure{Number: "1", Series: []Series{{Name: "a"}, {Name: "b"}}}
	f.Series[0].add(0, Confidence(a), a)
	f.Series[1].add(0, Confidence(b), b)
	return f
}

var aAboveB = statement{"1", "I", "a is above b", "at every x", func(e evidence) verdict {
	return everywhere("a", e.line("1", "a"), e.line("1", "b"), 0)
}}

// Where two means are compared the verdict is that of the 95 % interval of paired
// runs, however much the seeds differ from each other.
func TestVerdictsArePairedIntervals(t *testing.T) {
	for _, n := range []int{3, 10, 30} {
		f := noisy(n, 0)
		gaps := make([]float64, n)
		for i := range gaps {
			gaps[i] = f.Series[0].Runs[0][i] - f.Series[1].Runs[0][i]
		}
		e := Confidence(gaps)
		half := e.High - e.Mean
		for factor, want := range map[float64]Verdict{1.5: Holds, 0.7: InNoise, 0: InNoise, -0.7: InNoise, -1.5: Fails} {
			f := noisy(n, factor*half-e.Mean)
			got := judgeAll("p", nil, []Figure{*f}, []statement{aAboveB})[0]
			if got.Verdict != want || got.Holds != (want == Holds) {
				t.Errorf("%d seeds, %v of half the interval: %s in %v of the draws", n, factor, got.Verdict, got.Certainty)
			}
		}
	}
}

// What has no seeds, or one, is decided.
func TestNoNoise(t *testing.T) {
	f := noisy(10, 1e-9)
	for i := range f.Series {
		f.Series[i].Runs = nil
	}
	for _, f := range []*Figure{f, noisy(1, 1e-9)} {
		if got := judgeAll("p", nil, []Figure{*f}, []statement{aAboveB})[0]; got.Verdict == InNoise {
			t.Errorf("%s, %s", got.Verdict, got.Measured)
		}
	}
}

// Many runs are kept as means of neighbours, which say as much about the mean.
func TestCondense(t *testing.T) {
	var values []float64
	for i := range 1003 {
		values = append(values, math.Sin(float64(i*i)))
	}
	short := condense(values)
	if len(short) != batches {
		t.Fatalf("%d kept", len(short))
	}
	all, few := Confidence(values), Confidence(short)
	if math.Abs(all.Mean-few.Mean) > 1e-3 || math.Abs((few.High-few.Low)/(all.High-all.Low)-1) > 0.3 {
		t.Errorf("%+v, not %+v", few, all)
	}
	if condense([]float64{1, math.NaN()}) != nil {
		t.Error("what is no number has no noise")
	}
}

// Comparisons over a figure count at how many of its points they hold, and say so.
func TestPointsAreCounted(t *testing.T) {
	a, b := line(1, 2, 3, 4), line(0, 3, 2, 3)
	for want, v := range map[string]verdict{
		"above at 3 of 4": everywhere("a", a, b, 0), "above at 1 of 4": everywhere("a", b, a, 0.5),
		"up at 3 of 3": rising("a", a, 0), "down at 1 of 3": falling("b", b, 0),
		"enough at 2 of 4": atLeast(a, 3), "enough at 3 of 4": compare([]named{{"a", a}}, []named{{"b", line(1, 1, 1, 1)}}).verdict(50),
		"up at 1 of 3": both(rising("a", line(0, 1, 0, 0), 9), rising("a", a, 0)),
	} {
		if !strings.Contains(v.measured, want) || !strings.HasSuffix(want, "at "+fewest(v.counts)) {
			t.Errorf("%q does not say %q, or counts %v", v.measured, want, v.counts)
		}
	}
	if got := inOrder(b, a); got != (count{3, 4}) {
		t.Errorf("in order at %v", got)
	}
}

// Another first seed is other jobs: those that come later among more seeds.
func TestFirstSeed(t *testing.T) {
	if got := fmt.Sprint(seeds(101, 3), seeds(0, 2)); got != "[101 102 103] [1 2]" {
		t.Errorf("seeds %s", got)
	}
	run := func(first, periods int) []revenue.Tally {
		r := nistRun{nistSetting: nistSetting{First: first}, o: Options{Lab: &Lab{Workers: 2}}, system: revenue.PaperSystem()}
		r.system.Period = 86400
		got, err := r.simulate(t.Context(), "test", revenueTrial{r.system, 200, []revenue.Rule{revenue.AdmitAll(&r.system)}, periods})
		if err != nil {
			t.Fatal(err)
		}
		return got[0].Periods
	}
	all, later := run(1, 5), run(4, 2)
	if fmt.Sprint(all[3:]) != fmt.Sprint(later) {
		t.Errorf("periods from the fourth on: %v, not %v", later, all[3:])
	}
	for _, first := range []int{0, 2} {
		o := Options{Trace: smallTrace(t, 50), Lab: &Lab{}, First: first}
		r := libraPlusRun{newLibraPlusSetting(o), o.Trace, o.Lab, nil}
		if got := r.grid("", nil).Seeds[0]; got != market.Bits(max(1, first)) {
			t.Errorf("first seed %d is %d", first, got)
		}
	}
}
