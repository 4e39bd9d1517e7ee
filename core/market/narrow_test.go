package market_test

import (
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// A number becomes a smaller one only if it is the same one.
func TestNumbersAreNotCut(t *testing.T) {
	fits := func(f func()) (fits bool) {
		defer func() { fits = recover() == nil }()
		f()
		return true
	}
	for _, c := range []struct {
		n                    int64
		int32, uint32, uint8 bool
	}{
		{0, true, true, true},
		{-1, true, false, false},
		{255, true, true, true},
		{256, true, true, false},
		{math.MaxInt32, true, true, false},
		{math.MaxInt32 + 1, false, true, false},
		{math.MaxUint32 + 1, false, false, false},
		{4294967298, false, false, false},
		{math.MinInt32, true, false, false},
		{math.MinInt32 - 1, false, false, false},
	} {
		if fits(func() { market.Int32(c.n) }) != c.int32 || fits(func() { market.Uint32(c.n) }) != c.uint32 || fits(func() { market.Uint8(c.n) }) != c.uint8 {
			t.Errorf("%d: want %v, %v, %v", c.n, c.int32, c.uint32, c.uint8)
		}
		if market.Signed(market.Bits(c.n)) != c.n {
			t.Errorf("%d has other bits", c.n)
		}
	}
	if market.Int32(-7) != -7 || market.Uint32(7) != 7 || market.Uint8(7) != 7 {
		t.Error("another number")
	}
}
