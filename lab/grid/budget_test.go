package grid_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

func TestBudget(t *testing.T) {
	linear, err := grid.Linear(0.5)
	if err != nil {
		t.Fatal(err)
	}
	corners, err := grid.ParseBudget("0:1; 4:5 ;8:5;10:6")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		b       grid.Budget
		l, want float64
	}{
		{grid.Budget{}, 7, 0},
		{linear, 0, 0},
		{linear, 3, 1.5},
		{corners, 0, 1},
		{corners, 1, 2},
		{corners, 4, 5},
		{corners, 6, 5},
		{corners, 9, 5.5},
		{corners, 10, 6},
		{corners, 99, 6},
	} {
		if got := c.b.At(market.Work(c.l)); float64(got) != c.want {
			t.Errorf("%v pays %v for %v MI, want %v", c.b, got, c.l, c.want)
		}
	}
	if got := corners.Between(1, 9); got != 3.5 {
		t.Errorf("from 1 to 9 it pays %v, want 3.5", got)
	}
	if text := corners.String(); text != "0:1;4:5;8:5;10:6" {
		t.Errorf("written %q", text)
	}
}

func TestBudgetMakesSense(t *testing.T) {
	for text, want := range map[string]string{
		"":              "not l:b",
		"0":             "not l:b",
		"0:":            "point 1: empty",
		"x:0":           `point 1: "x" is not a number`,
		"1:0":           "point 1 is at 1 MI",
		"0:0;5":         "not l:b",
		"0:0;5:Inf":     `"Inf" is not a number`,
		"0:0;5:1;5:2":   "point 3: 5 MI is not more than 5",
		"0:0;5:1;4:2":   "point 3: 4 MI",
		"0:3;5:2":       "point 2: pays 2, less than 3",
		"0:-1":          "point 1: 0:-1 makes no sense",
		"0:0;1e16:1":    "makes no sense",
		"0:0;1:0x1p3":   "not a number",
		"0:0;1:2;":      "not l:b",
		"0:0;1:2:3":     "not a number",
		"0:0;1:1e999":   "not a number",
		"0:0;1:1_000.0": "not a number",
	} {
		if b, err := grid.ParseBudget(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %v, %v, want %q", text, b, err, want)
		}
	}
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := grid.Linear(market.Price(rate)); err == nil {
			t.Errorf("a rate of %v is taken", rate)
		}
	}
	if _, err := grid.Piecewise(); err == nil {
		t.Error("no points are taken")
	}
}

// A budget never decreases, and parts add up to the whole.
func TestBudgetNeverDecreases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []grid.Point
		var work, paid float64
		for i := range rapid.IntRange(1, 6).Draw(t, "points") {
			if i > 0 {
				work += rapid.Float64Range(1e-3, 1e6).Draw(t, "work")
			}
			paid += rapid.Float64Range(0, 1e6).Draw(t, "paid")
			points = append(points, grid.Point{Work: market.Work(work), Paid: market.Price(paid)})
		}
		b, err := grid.Piecewise(points...)
		if err != nil {
			t.Fatal(err)
		}
		from := rapid.Float64Range(0, 2e6).Draw(t, "from")
		to := from + rapid.Float64Range(0, 2e6).Draw(t, "more")
		less, more := b.At(market.Work(from)), b.At(market.Work(to))
		if more < less-1e-9 {
			t.Fatalf("%v pays %v for %v MI and %v for %v", b, less, from, more, to)
		}
		if got := b.Between(market.Work(from), market.Work(to)); math.Abs(float64(got-(more-less))) > 1e-6 {
			t.Fatalf("from %v to %v it pays %v, want %v", from, to, got, more-less)
		}
		if again, err := grid.ParseBudget(b.String()); err != nil || again.String() != b.String() {
			t.Fatalf("%q is read as %v, %v", b, again, err)
		}
	})
}
