package bill

import (
	"math/bits"

	"github.com/libra-market/libra/core/market"
)

// Bounds of what a job can ask for.
const (
	MaxAmount = market.Money(1e17)
	MaxMS     = int64(1e13) // three centuries
)

// Proportion is amount*part/whole, rounded down; nothing of nothing, and no more
// than there is money.
func Proportion(amount market.Money, part, whole int64) market.Money {
	if amount <= 0 || part <= 0 || whole <= 0 {
		return 0
	}
	high, low := bits.Mul64(market.Bits(amount), market.Bits(part))
	if high >= market.Bits(whole) {
		return MaxAmount
	}
	share, _ := bits.Div64(high, low, market.Bits(whole))
	return market.Money(market.Signed(min(share, uint64(MaxAmount))))
}

// AtRateOf is what partMS of work cost where wholeMS cost price. A price was
// rounded, by up to half a unit. Of a small one that is much, and a thousand times as
// much work must not be had for less; of others it is not worth an odd figure.
func AtRateOf(price market.Money, partMS, wholeMS int64) market.Money {
	const small = 1000
	if price <= 0 || price >= small || wholeMS > MaxMS { // what is free stays free
		return Proportion(price, partMS, wholeMS)
	}
	return Proportion(2*price+1, partMS, 2*wholeMS)
}

// Pay is what so many milliseconds on each of so many processors cost, rounded
// down; false where that is no amount of money a job can have.
func Pay(rate market.Money, ms int64, processors int) (market.Money, bool) {
	if rate < 0 || ms < 0 || rate > MaxAmount || ms > MaxMS || processors < 0 || processors > market.MaxWidth {
		return 0, false
	}
	high, low := bits.Mul64(market.Bits(rate), market.Bits(ms)*market.Bits(processors)) // below 2^44 * 2^24 of them
	if high >= 1000 {
		return 0, false
	}
	amount, _ := bits.Div64(high, low, 1000)
	return market.Money(market.Signed(amount)), amount <= uint64(MaxAmount)
}
