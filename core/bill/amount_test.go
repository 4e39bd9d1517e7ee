package bill_test

import (
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

func TestAPriceThatWasRoundedIsNotCheaper(t *testing.T) {
	for _, c := range []struct {
		price       market.Money
		part, whole int64
		want        market.Money
	}{
		{1, 1912, 105, 27}, // of 1.458: 26.6
		{11_000_000, 3000, 10_000, 3_300_000},
		{0, 1000, 10, 0},
		{bill.MaxAmount, 1, 1, bill.MaxAmount},
	} {
		if got := bill.AtRateOf(c.price, c.part, c.whole); got != c.want {
			t.Errorf("%d ms where %d cost %s: %s, want %s", c.part, c.whole, c.price, got, c.want)
		}
	}
}
