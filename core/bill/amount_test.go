package bill_test

import (
	"math"
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
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
		if got := bill.AtRateOf(papers(), c.price, c.part, c.whole); got != c.want {
			t.Errorf("%d ms where %d cost %s: %s, want %s", c.part, c.whole, c.price, got, c.want)
		}
	}
}

// Whatever the rate, what was used is not free where amounts are rounded up, no part
// of an amount is more than it, and what was sold covers what is owed.
func TestNothingUsedIsFree(t *testing.T) {
	for _, price := range []market.Money{1, 2, 3, 7, 1000, 5_833_333} {
		j := bill.Job{
			Price: price, Held: bill.MaxAmount, EstimateMS: 3_000, Due: market.Never,
			Extensions: []bill.Extension{{WorkMS: 1_000, Price: 1}},
			Optional:   &bill.Optional{WorkMS: 700, Processors: 1, Rate: 1},
			Storage:    &bill.Storage{Price: 1, MS: 5_000, More: 2_500},
		}
		for _, workMS := range []int64{1, 1_499, 2_999, 3_000, 3_001, 4_000} {
			e := bill.Ending{Way: bill.Ended, Begun: true, WorkMS: workMS, OptionalMS: 1, At: 6, Mandatory: market.Never, UsedUp: market.Never, Told: market.Never}
			owed := bill.Owed(live(), &j, &e)
			for _, l := range owed.Lines {
				if l.Amount <= 0 && l.Formula != "0 * 0.25" {
					t.Errorf("%d ms for %s: %s: %s = %s", workMS, price, l.What, l.Formula, l.Amount)
				}
			}
			if most := j.Sold(live()) + j.Optional.Most(live()); owed.Charge > most {
				t.Errorf("%d ms for %s: owes %s of %s that was sold", workMS, price, owed.Charge, most)
			}
			down := live()
			down.Rounding = rules.RoundingDown
			if before := bill.Owed(down, &j, &e); owed.Charge < before.Charge || owed.Charge > before.Charge+market.Money(len(owed.Lines)) {
				t.Errorf("%d ms for %s: %s, rounded down %s", workMS, price, owed.Charge, before.Charge)
			}
		}
	}
}

func TestAmount(t *testing.T) {
	down := live()
	down.Rounding = rules.RoundingDown
	for _, c := range []struct {
		price    market.Price
		up, down market.Money
	}{
		{0, 0, 0}, {1e-12, 1, 0}, {1.2e-6, 2, 1}, {0.1e-6 + 0.2e-6 + 2.7e-6, 3, 3}, {999.4e-6, 1000, 999}, {5.8333333, 5_833_333, 5_833_333}, {-1.2e-6, -1, -1},
	} {
		up, err := bill.Amount(live(), c.price)
		low, err2 := bill.Amount(down, c.price)
		if up != c.up || low != c.down || err != nil || err2 != nil {
			t.Errorf("%v: %d and %d, want %d and %d", c.price, up, low, c.up, c.down)
		}
	}
	if _, err := bill.Amount(live(), market.Price(math.NaN())); err == nil {
		t.Error("no number is an amount")
	}
}
