package market_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestSpan(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0s", 1: "0.001s", 1_500: "1.5s", 45_000: "45s", 1_234: "1.23s", 9_996: "10s", 12_340: "12.3s", 59_949: "59.9s", 59_956: "1m", 59_999: "1m", 60_000: "1m", 90_499: "1m30s", 90_500: "1m31s",
		5_400_000: "1h30m", 86_400_000: "1d", 90_061_000: "1d1h1m1s",
	} {
		if got := market.Span(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}

func TestSpansApart(t *testing.T) {
	for _, c := range []struct {
		a, b       int64
		one, other string
	}{
		{10_004, 10_000, "10.004s", "10.000s"},
		{72_000_001, 72_000_000, "72000.001s", "72000.000s"},
		{12_000, 10_000, "12s", "10s"},
		{10_000, 10_000, "10s", "10s"},
	} {
		if one, other := market.SpansApart(c.a, c.b); one != c.one || other != c.other {
			t.Errorf("%d, %d: %s, %s", c.a, c.b, one, other)
		}
	}
}
