package market_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// What is written is what is read, to the micro-unit, over all of Money.
func TestMoneyReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := market.Money(rapid.OneOf(
			rapid.Int64(), rapid.Int64Range(-10_000_000, 10_000_000), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}),
		).Draw(t, "micros"))
		if got, err := market.ParseMoney(m.String()); err != nil || got != m {
			t.Fatalf("%d is written %q and read %d, %v", int64(m), m, int64(got), err)
		}
	})
}

func TestMoneyIsWrittenPlainly(t *testing.T) {
	for m, want := range map[market.Money]string{
		0: "0", 1: "0.000001", -1: "-0.000001", 1_500_000: "1.5", -2_000_000: "-2", 10: "0.00001",
		math.MaxInt64: "9223372036854.775807", math.MinInt64: "-9223372036854.775808",
	} {
		if got := m.String(); got != want {
			t.Errorf("%d: %q, want %q", int64(m), got, want)
		}
	}
}

// An amount that is not exactly one is refused, never rounded.
func TestParseMoneyRefusesWhatIsNotExact(t *testing.T) {
	for _, text := range []string{
		"", "-", ".", "1.", ".5", "1.0000001", "1e3", "+1", " 1", "1 ", "1,5", "0x10", "--1", "1.-5", "NaN", "Inf",
		"9223372036854.775808", "-9223372036854.775809", "99999999999999999999",
	} {
		if m, err := market.ParseMoney(text); !errors.Is(err, market.ErrAmount) {
			t.Errorf("%q is read as %v, %v", text, m, err)
		}
	}
}

func TestPlusNeverOverflowsSilently(t *testing.T) {
	for _, c := range []struct {
		a, b, sum market.Money
		ok        bool
	}{
		{1, 2, 3, true},
		{1, -2, -1, true},
		{0, 0, 0, true},
		{math.MaxInt64, 0, math.MaxInt64, true},
		{0, math.MinInt64, math.MinInt64, true},
		{math.MaxInt64, math.MinInt64, -1, true},
		{math.MaxInt64, 1, 0, false},
		{math.MinInt64, -1, 0, false},
		{math.MinInt64, math.MinInt64, 0, false},
	} {
		if sum, err := c.a.Plus(c.b); (err == nil) != c.ok || sum != c.sum {
			t.Errorf("%v + %v is %v, %v", c.a, c.b, sum, err)
		}
	}
}

// A price becomes money once: half to even, and never out of nothing.
func TestPriceBecomesMoney(t *testing.T) {
	for p, want := range map[market.Price]market.Money{
		10.5: 10_500_000, 0.0000005: 0, 0.0000015: 2, 0.0000025: 2, -1.25: -1_250_000,
	} {
		if got, err := p.Money(); err != nil || got != want {
			t.Errorf("%v is %d, %v, want %d", p, int64(got), err, int64(want))
		}
	}
	for _, p := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 9.3e12, -9.3e12} {
		if m, err := market.Price(p).Money(); !errors.Is(err, market.ErrAmount) {
			t.Errorf("%v is %v, %v", p, m, err)
		}
	}
}

// People read two decimals; what is less than half a cent and not nothing says so.
func TestMoneyInCents(t *testing.T) {
	for m, want := range map[market.Money]string{
		0: "0.00", 1: "<0.01", -1: ">-0.01", 4_999: "<0.01", 5_000: "0.01", -5_000: "-0.01", 10_000: "0.01", 14_999: "0.01", 15_000: "0.02", 1_500_000: "1.50",
		-1_234_567: "-1.23", 1_234_567_894_999: "1,234,567.89", math.MaxInt64: "9,223,372,036,854.77", math.MinInt64: "-9,223,372,036,854.77",
	} {
		if got := m.Text(); got != want {
			t.Errorf("%d: %q, want %q", int64(m), got, want)
		}
	}
	if a, b := market.Apart(7_200_667, 7_200_000); a != "7.200667" || b != "7.20" {
		t.Errorf("%s and %s are not told apart", a, b)
	}
	if a, b := market.Apart(7_200_667, 1_000_001); a != "7.20" || b != "1.00" {
		t.Errorf("%s and %s", a, b)
	}
}

// What is shown exactly adds up: every micro-unit is in it, and what is read off it
// without its commas is the amount.
func TestMoneyForPeople(t *testing.T) {
	for m, want := range map[market.Money]string{
		0: "0.00", 1: "0.000001", -1: "-0.000001", 10_000: "0.01", 12_345: "0.012345", 1_500_000: "1.50", 1_234_567: "1.234567",
		-2_500_000: "-2.50", 999_000_000: "999.00", 1_234_567_890_000: "1,234,567.89", math.MinInt64: "-9,223,372,036,854.775808",
	} {
		if got := m.Exact(); got != want {
			t.Errorf("%d: %q, want %q", int64(m), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := market.Money(rapid.Int64().Draw(t, "micros"))
		if got, err := market.ParseMoney(strings.ReplaceAll(m.Exact(), ",", "")); err != nil || got != m {
			t.Fatalf("%d is shown as %q, which is %d, %v", int64(m), m.Exact(), int64(got), err)
		}
	})
}
