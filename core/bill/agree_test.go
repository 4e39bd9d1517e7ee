package bill_test

import (
	"math"
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

func TestMost(t *testing.T) {
	five, two := int64(5_000_000), int64(2_000_000)
	optional := &bill.Optional{WorkMS: 1_500, Processors: 4, Rate: 100_000} // 6 s at 0.1
	for _, c := range []struct {
		budget   *int64
		optional *bill.Optional
		want     market.Money
	}{
		{nil, nil, 3_000_000},
		{&five, nil, 5_000_000},
		{&two, nil, 3_000_000},
		{nil, optional, 3_600_000},
		{&five, optional, 5_600_000},
	} {
		if got := bill.Most(papers(), 3_000_000, 0, c.budget, c.optional); got != c.want {
			t.Errorf("most of %+v: %d, want %d", c, got, c.want)
		}
	}
}

func TestExtend(t *testing.T) {
	// 8 s are sold for 4: 2 s that it has had before are paid for at the same rate.
	if got := bill.Extend(papers(), 4_000_000, 10_000, 2_000); got != (bill.Extension{WorkMS: 10_000, Price: 5_000_000}) {
		t.Errorf("got %+v", got)
	}
	if got := bill.Extend(papers(), 4_000_000, 10_000, 0); got.Price != 4_000_000 {
		t.Errorf("got %+v", got)
	}
	j := agreed(extended)
	if got := j.Sold(papers()); got != 9_900_001 {
		t.Errorf("sold for %d", got)
	}
}

func TestProportion(t *testing.T) {
	for _, c := range []struct {
		amount      market.Money
		part, whole int64
		want        market.Money
	}{
		{10, 1, 3, 3},
		{10, 2, 3, 6},
		{10, 3, 3, 10},
		{10, 0, 3, 0},
		{10, 1, 0, 0},
		{0, 1, 3, 0},
		{10, -1, 3, 0},
		{10, 6, 3, 20},
		{99_999_999_999_999_999, 9_999_999_999_999, 10_000_000_000_000, 99_999_999_999_989_999}, // beyond what floats know
		{bill.MaxAmount, bill.MaxMS, 1, bill.MaxAmount},
		{bill.MaxAmount, 184_560, 1_000, bill.MaxAmount}, // 1000.5 * 2^64 / 1000
		{bill.MaxAmount, 2, 1, bill.MaxAmount},
	} {
		if got := bill.Proportion(c.amount, c.part, c.whole); got != c.want {
			t.Errorf("%d * %d / %d = %d, want %d", c.amount, c.part, c.whole, got, c.want)
		}
	}
}

func TestPay(t *testing.T) {
	for _, c := range []struct {
		rate       market.Money
		ms         int64
		processors int
		want       market.Money
		fits       bool
	}{
		{1_000_000, 1_500, 1, 1_500_000, true},
		{1_000_000, 1_500, 3, 4_500_000, true},
		{1, 999, 1, 0, true},
		{1, 1_001, 1, 1, true},
		{bill.MaxAmount, 1_000, 1, bill.MaxAmount, true},
		{bill.MaxAmount, 184_560, 1, 0, false}, // 1000.5 * 2^64 / 1000
		{0, 1_000, 1, 0, true},
		{1, 0, 1, 0, true},
		{1, 1_000, 0, 0, true},
		{1, 1, market.MaxWidth, 16_777, true},
		{1, bill.MaxMS, 1, 10_000_000_000, true},
		{bill.MaxAmount, 1_000, 2, 2 * bill.MaxAmount, false},
		{bill.MaxAmount, bill.MaxMS, market.MaxWidth, 0, false},
		{bill.MaxAmount + 1, 0, 1, 0, false},
		{-1, 1, 1, 0, false},
		{1, -1, 1, 0, false},
		{1, bill.MaxMS + 1, 1, 0, false},
		{1, 1, market.MaxWidth + 1, 0, false},
		{1, 1, -1, 0, false},
	} {
		if got, fits := bill.Pay(c.rate, c.ms, c.processors); got != c.want || fits != c.fits {
			t.Errorf("%d for %d ms on %d: %d, %v; want %d, %v", c.rate, c.ms, c.processors, got, fits, c.want, c.fits)
		}
	}
}

// A delay that no money can pay for is not paid for.
func TestPenaltyBeyondMoney(t *testing.T) {
	j, e := agreed(), ended(fine(market.Price(math.Inf(1))), at(201))
	if amount, late := bill.Penalty(papers(), &j, &e, 8_000_000); amount != 0 || late != 1 {
		t.Errorf("penalty %d for %v", amount, late)
	}
}

// Who cannot pay for a piece of work may have what it can pay for, less what it took already, as long as that is worth
// selling.
func TestAffords(t *testing.T) {
	for _, c := range []struct {
		left         market.Price
		price        market.Money
		workMS, over int64
		want         int64
	}{
		{0.6, 12_000_000, 10_000, 0, 500},
		{0.6, 12_000_000, 10_000, 150, 350},
		{0.6, 12_000_000, 10_000, 401, -1},
		{0.12, 12_000_000, 10_000, 0, 100},
		{0.11, 12_000_000, 10_000, 0, -1},
		{0, 12_000_000, 10_000, 0, -1},
		{0.6, 0, 10_000, 0, -1},
		{market.Unlimited, 12_000_000, 10_000, 0, -1},
		{1e12, 1, bill.MaxMS, 0, 1<<31 - 1},
	} {
		if got := bill.Affords(c.left, c.price, c.workMS, c.over, -1); got != c.want {
			t.Errorf("%v left at %v for %d ms, of which %d are gone: %d ms, want %d", c.left, c.price, c.workMS, c.over, got, c.want)
		}
	}
}
