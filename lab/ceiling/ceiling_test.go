package ceiling_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/ceiling"
	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// What applications can pay for optional parts at most is what the best of all schedules
// makes them pay, neither more nor less.
func TestTheBestOrderIsTheBestOfAllSchedules(t *testing.T) {
	tried, above := 0, 0
	for seed := range uint64(400) {
		draw := rand.New(rand.NewPCG(seed, 11))
		r := grid.Resource{Name: "S", Processors: 1 + draw.IntN(2), MIPS: 1}
		apps := whole(t, draw, 1+draw.IntN(3))
		want := brute(slots(apps), r.Processors, 0, false)
		got, err := ceiling.Kept(r, apps)
		if (err == nil) != !math.IsInf(want, -1) {
			t.Fatalf("seed %d: %v, %v; the best of all schedules pays %v", seed, got, err, want)
		}
		if err != nil {
			continue
		}
		if !equal(got, want) {
			t.Errorf("seed %d: mandatory parts kept: %v, the best of all schedules %v", seed, got, want)
		}
		first := brute(slots(apps), r.Processors, 0, true)
		if math.IsInf(first, -1) {
			continue // deadlines are no good order on several processors
		}
		if got := ceiling.First(r, apps); !equal(got, first) {
			t.Errorf("seed %d: mandatory parts first: %v, the best of all schedules %v", seed, got, first)
		}
		tried++
		if want > first {
			above++
		}
	}
	if tried < 200 || above < 10 {
		t.Errorf("%d could be done, in %d of which it costs something to do mandatory parts first: too few to tell", tried, above)
	}
}

// equal allows for the microseconds by which deadlines may be missed: here whole amounts are
// paid.
func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-3 }

// No choice of applications, of sites and of an order brings more than the bound, and mostly
// not much less.
func TestNoChoiceIsAboveTheBound(t *testing.T) {
	sum, all := 0.0, 0.0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 12))
		sites := []grid.Resource{{Name: "A", Processors: 1, MIPS: 1}, {Name: "B", Processors: 1 + draw.IntN(2), MIPS: 1}}
		apps := whole(t, draw, 4)
		best := choose(apps, sites, make([][]grid.Application, 2), 0)
		for _, effort := range []bound.Effort{ceiling.Thorough, ceiling.Quick, {Buckets: 2, Looks: 100}} {
			got := ceiling.Profit(sites, apps, effort)
			if got < best {
				t.Errorf("seed %d, %+v: bound %v, the best of all choices %v", seed, effort, got, best)
			}
			if effort == ceiling.Thorough {
				sum, all = sum+best, all+got
			}
		}
	}
	t.Logf("the best is %.1f %% of the bound", 100*sum/all)
	if sum < 0.8*all {
		t.Errorf("the best is %.1f %% of the bound", 100*sum/all)
	}
}

// Where nothing is taken whole or not at all, which is so of optional parts at one site, the
// bound is the best.
func TestTheBoundIsTheBestWhereNothingIsWhole(t *testing.T) {
	for seed := range uint64(100) {
		draw := rand.New(rand.NewPCG(seed, 14))
		r := grid.Resource{Name: "S", Processors: 1 + draw.IntN(2), MIPS: 1}
		apps := whole(t, draw, 4)
		for i := range apps {
			apps[i].Mandatory, apps[i].Worth = 0, 0
		}
		best := brute(slots(apps), r.Processors, 0, false)
		if got := ceiling.Profit([]grid.Resource{r}, apps, ceiling.Thorough); got < best || got > best*1.002+1e-3 {
			t.Errorf("seed %d: bound %v, the best of all schedules %v", seed, got, best)
		}
	}
}

// No policy exceeds what it is held against, whatever the applications, the sites and the
// rule of refusal; and some come to it.
func TestNoPolicyExceedsItsCeiling(t *testing.T) {
	reached := map[string]float64{}
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 13))
		sites, apps := anything(t, draw)
		most := ceiling.Profit(sites, apps, bound.Effort{Buckets: 100, Looks: 200_000})
		for _, p := range grid.Policies() {
			door, err := tender.NewGrid(sites, p, tender.Refuse(draw.IntN(2)))
			if err != nil {
				t.Fatal(err)
			}
			door.Hurdle = []float64{0, 0, 0.4}[draw.IntN(3)]
			outcomes, err := tender.Run(t.Context(), door, apps, nil)
			if err != nil {
				t.Fatal(err)
			}
			profit := tender.Summarize(p.Name, door, outcomes).Profit
			o, err := tender.OptionalParts(sites, apps, outcomes)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, p.Name, err)
			}
			limits := map[string][2]float64{"profit": {profit, most}, "kept": {o.First, o.Kept}}
			if p.Imprecise {
				limits["optional"] = [2]float64{o.Paid, o.First}
			}
			for name, l := range limits {
				if l[0] > l[1]*(1+1e-7)+1e-5 {
					t.Errorf("seed %d, %s: %s is %v, above %v", seed, p.Name, name, l[0], l[1])
				}
				if l[1] > 1 {
					reached[name+" "+p.Name] = max(reached[name+" "+p.Name], l[0]/l[1])
				}
			}
		}
	}
	for name, part := range reached {
		if part < 0.999 && name != "profit hard-m" {
			t.Errorf("%s: nobody came nearer than %.3f of it", name, part)
		}
	}
}

// anything draws sites and applications: too many of them, budgets of all forms.
func anything(t *testing.T, draw *rand.Rand) ([]grid.Resource, []grid.Application) {
	t.Helper()
	var sites []grid.Resource
	for i := range 1 + draw.IntN(3) {
		sites = append(sites, grid.Resource{Name: strconv.Itoa(i), Processors: 1 + draw.IntN(4), MIPS: []float64{1, 1, 2.5, 7}[draw.IntN(4)]})
	}
	apps := make([]grid.Application, 1+draw.IntN(40))
	for i := range apps {
		a := &apps[i]
		*a = grid.Application{
			ID: strconv.Itoa(i), Position: i, Arrival: market.Time(100 * draw.Float64()), Jobs: 1 + draw.IntN(5),
			Mandatory: market.Work(20 * draw.Float64()), Optional: market.Work(30 * draw.Float64()), Worth: market.Price(20 * draw.Float64()),
		}
		if draw.IntN(5) == 0 {
			a.Optional = 0
		}
		a.Deadline = market.Time(float64(a.Mandatory+a.Optional) * 2 * draw.Float64())
		var err error
		if draw.IntN(3) > 0 {
			a.Budget, err = grid.Linear(market.Price(2 * draw.Float64()))
		} else {
			points := []grid.Point{{Paid: market.Price(draw.IntN(3))}}
			for range draw.IntN(4) {
				last := points[len(points)-1]
				points = append(points, grid.Point{Work: last.Work + market.Work(0.1+10*draw.Float64()), Paid: last.Paid + market.Price(10*draw.Float64())})
			}
			a.Budget, err = grid.Piecewise(points...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return sites, apps
}

// On the paper's own applications the order by rate is within two per cent of the best that
// there is behind mandatory parts, nearer than any order of the paper, and earns more.
func TestByRateIsNearTheBestOrder(t *testing.T) {
	for _, w := range []grid.Workload{grid.Figure5(0.1), grid.Figure5(0.8), grid.Figure6(0.05), grid.Figure6(0.3)} {
		apps, err := w.Generate(1)
		if err != nil {
			t.Fatal(err)
		}
		near, profit := map[string]float64{}, map[string]float64{}
		for _, p := range grid.Policies() {
			if !p.Imprecise {
				continue
			}
			door, err := tender.NewGrid(grid.PaperSites(), p, tender.NoGain)
			if err != nil {
				t.Fatal(err)
			}
			outcomes, err := tender.Run(t.Context(), door, apps, nil)
			if err != nil {
				t.Fatal(err)
			}
			o, err := tender.OptionalParts(grid.PaperSites(), apps, outcomes)
			if err != nil {
				t.Fatal(err)
			}
			near[p.Name], profit[p.Name] = o.Paid/o.First, tender.Summarize(p.Name, door, outcomes).Profit
		}
		for name := range near {
			if name != "mf-rate" && (near[name] >= near["mf-rate"] || profit[name] >= profit["mf-rate"]) {
				t.Errorf("laxity %v, k %v: %s has %.3f of the best order and earns %.0f, mf-rate %.3f and %.0f",
					w.LaxityTo, w.K, name, near[name], profit[name], near["mf-rate"], profit["mf-rate"])
			}
		}
		if near["mf-rate"] < 0.98 {
			t.Errorf("laxity %v, k %v: mf-rate has %.3f of the best order", w.LaxityTo, w.K, near["mf-rate"])
		}
	}
}

// A budget of which the second half pays more is bounded as if it paid evenly.
func TestABudgetThatGetsSteeper(t *testing.T) {
	steep, err := grid.Piecewise(grid.Point{}, grid.Point{Work: 5, Paid: 1}, grid.Point{Work: 10, Paid: 10})
	if err != nil {
		t.Fatal(err)
	}
	app := grid.Application{ID: "1", Jobs: 1, Mandatory: 5, Optional: 10, Deadline: 10, Budget: steep}
	got, err := ceiling.Kept(grid.Resource{Name: "S", Processors: 3, MIPS: 1}, []grid.Application{app})
	if err != nil || !equal(got, 5) { // half of it in time, of 10
		t.Errorf("%v, %v; want 5", got, err)
	}
	two := slices.Repeat([]grid.Application{app}, 2)
	if _, err := ceiling.Kept(grid.Resource{Name: "S", Processors: 1, MIPS: 0.9}, two); err == nil {
		t.Error("10 s of mandatory parts are done in 9")
	}
}

func TestACeilingOfNothing(t *testing.T) {
	sites := grid.PaperSites()
	if got := ceiling.Profit(sites, nil, ceiling.Quick); got != 0 {
		t.Errorf("no applications pay %v", got)
	}
	if got := ceiling.First(sites[0], nil); got != 0 {
		t.Errorf("no optional parts pay %v", got)
	}
	late := []grid.Application{{ID: "1", Jobs: 1, Mandatory: 1e9, Deadline: 1, Worth: 5}}
	if got := ceiling.Profit(sites, late, ceiling.Quick); got != 0 {
		t.Errorf("what nobody can do pays %v", got)
	}
}
