package market_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestSpan(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0s", 1: "0.001s", 1_500: "1.5s", 45_000: "45s", 59_999: "59.999s", 60_000: "1m", 90_499: "1m30s", 90_500: "1m31s",
		5_400_000: "1h30m", 86_400_000: "1d", 90_061_000: "1d1h1m1s",
	} {
		if got := market.Span(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}
