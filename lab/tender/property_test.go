package tender_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// drawn is a small workload twice: for the grid, and in exact fractions.
type drawn struct {
	sites []grid.Resource
	apps  []grid.Application
	exact []*oracleApp
}

// drawGrid draws few numbers from small ranges, so that deadlines tie, parts fit
// exactly and everything happens at once.
func drawGrid(t *rapid.T) drawn {
	var d drawn
	for i := range rapid.IntRange(1, 3).Draw(t, "sites") {
		d.sites = append(d.sites, grid.Resource{
			Name:       "S" + strconv.Itoa(i),
			Processors: rapid.IntRange(1, 4).Draw(t, "processors"),
			MIPS:       float64(rapid.SampledFrom([]int{1, 1, 2, 3, 7, 10}).Draw(t, "mips")),
		})
	}
	tenths := func(most int, label string) (float64, *big.Rat) {
		n := rapid.IntRange(0, most).Draw(t, label)
		if rapid.Bool().Draw(t, "whole") {
			n -= n % 10
		}
		return float64(n) / 10, rat(int64(n), 10)
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "applications") {
		a := grid.Application{ID: strconv.Itoa(i), Jobs: rapid.IntRange(1, 5).Draw(t, "p")}
		x := &oracleApp{position: i, p: a.Jobs}
		var arrival, m, o, deadline, worth float64
		var exactDeadline *big.Rat
		arrival, x.arrival = tenths(300, "arrival")
		m, x.m = tenths(200, "m")
		if m == 0 {
			m, x.m = 1, rat(1, 1)
		}
		o, x.o = tenths(300, "o")
		deadline, exactDeadline = tenths(400, "deadline")
		x.due = add(x.arrival, exactDeadline)
		worth, x.worth = tenths(100, "bm")
		a.Arrival, a.Deadline, a.Worth = market.Time(arrival), market.Time(deadline), market.Price(worth)
		a.Mandatory, a.Optional = market.Work(m), market.Work(o)
		a.Budget = drawBudget(t, x, tenths)
		d.apps = append(d.apps, a)
		d.exact = append(d.exact, x)
	}
	return d
}

func drawBudget(t *rapid.T, x *oracleApp, tenths func(int, string) (float64, *big.Rat)) grid.Budget {
	if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
		rate, exact := tenths(30, "rate")
		x.slope = exact
		b, err := grid.Linear(market.Price(rate))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var points []grid.Point
	var work, paid int64
	for i := range rapid.IntRange(1, 4).Draw(t, "corners") {
		if i > 0 {
			work += rapid.Int64Range(1, 20).Draw(t, "work")
		}
		paid += rapid.Int64Range(0, 20).Draw(t, "paid")
		points = append(points, grid.Point{Work: market.Work(work), Paid: market.Price(paid)})
		x.corners = append(x.corners, [2]*big.Rat{rat(work, 1), rat(paid, 1)})
	}
	b, err := grid.Piecewise(points...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Application by application, the grid does what docs/semantics.md, section 4, says,
// and an accepted mandatory part never misses (rule 7).
func TestGridAgainstOracle(t *testing.T) {
	for _, p := range grid.Policies() {
		t.Run(p.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := drawGrid(t)
				refuse := rapid.SampledFrom([]tender.Refuse{tender.NoGain, tender.Infeasible}).Draw(t, "refuse")
				quarters := rapid.SampledFrom([]int64{0, 0, 1, 2, 4}).Draw(t, "hurdle, in quarters")
				or := newOracle(p.Name, refuse == tender.Infeasible, d.sites)
				or.hurdle = rat(quarters, 4)
				or.run(d.exact)
				outcomes := runGrid(t, d.sites, p, refuse, float64(quarters)/4, d.apps)
				for i := range outcomes {
					compare(t, &d.apps[i], &outcomes[i], d.exact[i])
				}
			})
		})
	}
}

func runGrid(t interface {
	Fatal(...any)
	Helper()
}, sites []grid.Resource, p grid.Policy, refuse tender.Refuse, hurdle float64, apps []grid.Application,
) []tender.Outcome {
	t.Helper()
	b, err := tender.NewGrid(sites, p, refuse)
	if err != nil {
		t.Fatal(err)
	}
	b.Hurdle = hurdle
	outcomes, err := tender.Run(context.Background(), b, apps, nil)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func compare(t *rapid.T, a *grid.Application, got *tender.Outcome, want *oracleApp) {
	t.Helper()
	if want.missed {
		t.Fatalf("application %s: the oracle lets a mandatory part miss its deadline", a.ID)
	}
	if got.Accepted != want.accepted {
		t.Fatalf("application %s: accepted %v, want %v (%v)", a.ID, got.Accepted, want.accepted, got.Reason)
	}
	if !got.Accepted {
		return
	}
	if site := "S" + strconv.Itoa(want.site); got.Site != site {
		t.Fatalf("application %s: at %s with gain %v, want %s with %v", a.ID, got.Site, got.Gain, site, want.gain.FloatString(9))
	}
	r := &got.Receipt
	for _, x := range []struct {
		what string
		got  float64
		want *big.Rat
	}{
		{"gain", float64(got.Gain), want.gain},
		{"mandatory_finish", float64(r.Mandatory), want.mandatoryFinish},
		{"end", float64(r.End), want.end},
		{"optional_mi", float64(r.Optional), want.optionalDone},
		{"budget", float64(r.Paid), want.budget},
	} {
		if exact, _ := x.want.Float64(); math.Abs(x.got-exact) > 1e-5 {
			t.Fatalf("application %s: %s %v, want %v", a.ID, x.what, x.got, exact)
		}
	}
	if r.Mandatory.After(a.Due()) || r.End.After(a.Due()) {
		t.Fatalf("application %s: mandatory parts done at %v, all left at %v, due %v", a.ID, r.Mandatory, r.End, a.Due())
	}
}

// The paper's own applications, more than two of its sites can hold, judged by
// the same oracle.
func TestPaperAgainstOracle(t *testing.T) {
	w := grid.Figure6(0.2)
	w.Applications = 50
	sites := grid.PaperSites()[1:3]
	apps, err := w.Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range apps { // whole numbers make shorter fractions
		a := &apps[i]
		a.Arrival, a.Deadline = market.Time(math.Round(float64(a.Arrival))), market.Time(math.Round(float64(a.Deadline)))
		a.Mandatory, a.Optional = market.Work(math.Round(float64(a.Mandatory))), market.Work(math.Round(float64(a.Optional)))
	}
	for _, p := range grid.Policies() {
		var exact []*oracleApp
		for i := range apps {
			a := &apps[i]
			rate, _ := a.Budget.Rate()
			x := &oracleApp{
				position: i, p: a.Jobs, arrival: float(a.Arrival), due: add(float(a.Arrival), float(a.Deadline)),
				m: float(a.Mandatory), o: float(a.Optional), worth: float(a.Worth), slope: float(rate),
			}
			exact = append(exact, x)
		}
		newOracle(p.Name, false, sites).run(exact)
		outcomes := runGrid(t, sites, p, tender.NoGain, 0, apps)
		for i := range outcomes {
			got, want := &outcomes[i], exact[i]
			if got.Accepted != want.accepted || got.Accepted && got.Site != sites[want.site].Name {
				t.Fatalf("%s: application %s: accepted %v at %s, want %v", p.Name, got.ID, got.Accepted, got.Site, want.accepted)
			}
			if !got.Accepted {
				continue
			}
			near(t, got.ID+" gain", float64(got.Gain), want.gain)
			near(t, got.ID+" mandatory_finish", float64(got.Receipt.Mandatory), want.mandatoryFinish)
			near(t, got.ID+" end", float64(got.Receipt.End), want.end)
			near(t, got.ID+" optional_mi", float64(got.Receipt.Optional), want.optionalDone)
			near(t, got.ID+" budget", float64(got.Receipt.Paid), want.budget)
		}
		refused := slices.IndexFunc(outcomes, func(o tender.Outcome) bool { return !o.Accepted })
		if refused < 0 {
			t.Errorf("%s: nothing refused, so little was tried", p.Name)
		}
	}
}

func float[T ~float64](x T) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

func near(t *testing.T, what string, got float64, want *big.Rat) {
	t.Helper()
	exact, _ := want.Float64()
	if math.Abs(got-exact) > 1e-6+1e-9*math.Abs(exact) {
		t.Errorf("application %s: %v, want %v", what, got, exact)
	}
}
