package market_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// A price equal to the budget is affordable, but for rounding; what has no
// bound is affordable only without one.
func TestWithinAllowsForRounding(t *testing.T) {
	inf := market.Unlimited
	for _, c := range []struct {
		price, budget market.Price
		want          bool
	}{
		{10, 10, true},
		{10, 11, true},
		{11, 10, false},
		{10 * (1 + 5e-10), 10, true},
		{10 * (1 + 2e-9), 10, false},
		{1e12 + 100, 1e12, true},
		{1e12 + 2000, 1e12, false}, // relative
		{1e-300, 0, false},
		{0, 0, true},
		{-1, 0, true},
		{10, inf, true},
		{inf, inf, true},
		{inf, 1e300, false},
		{inf, 0, false},
		{market.Price(math.NaN()), 10, false},
		{10, market.Price(math.NaN()), false},
	} {
		if got := c.price.Within(c.budget); got != c.want {
			t.Errorf("%v within %v: %v", c.price, c.budget, got)
		}
	}
}

func TestSlackIsWhereTheRulesPutIt(t *testing.T) {
	third := market.Share(1) / 3
	if !(third + third + third).Fits(1) || !market.Share(1+9e-10).Fits(1) || market.Share(1+2e-9).Fits(1) {
		t.Error("shares compare to 1e-9")
	}
	if market.Time(10+9e-7).After(10) || !market.Time(10+2e-6).After(10) || market.Never.After(market.Never) {
		t.Error("times compare to 1e-6")
	}
	if !market.Work(9e-7).Done() || market.Work(2e-6).Done() || !market.Work(-1).Done() {
		t.Error("work compares to 1e-6")
	}
	if market.Never.Finite() || !market.Time(1e300).Finite() {
		t.Error("only Never never comes")
	}
}

// Ranks of numbers that differ by rounding alone are equal.
func TestRanksForgetRounding(t *testing.T) {
	if a, b := market.Share(0.1+0.2).Rank(), market.Share(0.3).Rank(); a != b {
		t.Errorf("shares: %v and %v", a, b)
	}
	if a, b := market.Time(1e6/3*3).Rank(), market.Time(1e6).Rank(); a != b {
		t.Errorf("times: %v and %v", a, b)
	}
	if !math.IsInf(market.Never.Rank(), 1) {
		t.Error("Never comes after everything")
	}
}

// Twelve digits, as strconv rounds them, but for a digit of the thirteenth.
func TestRoundSignificantKeepsTwelveDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1, 10).Draw(t, "mantissa") * math.Pow10(rapid.IntRange(-280, 280).Draw(t, "exponent"))
		if rapid.Bool().Draw(t, "negative") {
			x = -x
		}
		got := market.RoundSignificant(x)
		want, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 11, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-x) > 5.1e-12*math.Abs(x) || math.Abs(got-want) > 1.1e-11*math.Abs(x) {
			t.Fatalf("%v becomes %v, want %v", x, got, want)
		}
		if again := market.RoundSignificant(got); math.Abs(again-got) > 1e-15*math.Abs(got) {
			t.Fatalf("%v, rounded once more, is %v", got, again)
		}
	})
	for _, x := range []float64{0, math.Inf(1), math.Inf(-1), 5e-324, 1e-305, math.MaxFloat64} {
		if got := market.RoundSignificant(x); got != x && math.Abs(got-x) > 1e-11*math.Abs(x) {
			t.Errorf("%v becomes %v", x, got)
		}
	}
	if !math.IsNaN(market.RoundSignificant(math.NaN())) {
		t.Error("NaN becomes a number")
	}
	// 0.1+0.2 and 0.3 bring the same.
	if a, b := market.RoundSignificant(0.1+0.2), market.RoundSignificant(0.3); a != b {
		t.Errorf("%v and %v differ", a, b)
	}
}
