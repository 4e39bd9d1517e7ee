package bill

import (
	"math"
	"math/bits"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
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

// PartOf is amount*part/whole as a job owes it: rounded as the rules say, and never
// more than the amount for no more than the whole.
func PartOf(r *rules.Rules, amount market.Money, part, whole int64) market.Money {
	share := Proportion(amount, part, whole)
	if r.Up() && amount > 0 && part > 0 && whole > 0 && share < MaxAmount {
		shareHigh, shareLow := bits.Mul64(market.Bits(share), market.Bits(whole))
		high, low := bits.Mul64(market.Bits(amount), market.Bits(part))
		if shareHigh != high || shareLow != low {
			share++
		}
	}
	return share
}

// small is an amount of which a rounded unit is much: a thousand times as much work
// must not be had for less. Of others it is not worth an odd figure.
const small = market.Money(1000)

// Amount is what a price comes to in money. To the nearest unit; but where the rules
// round up a small one is rounded up, so that no rate is so low that it is nothing.
func Amount(r *rules.Rules, p market.Price) (market.Money, error) {
	amount, err := p.Money()
	if err != nil || !r.Up() || p <= 0 || amount >= small {
		return amount, err
	}
	const noise = 1e-6 // of sums of floats
	return market.Money(max(1, math.Ceil(float64(p)*float64(market.Unit)-noise))), nil
}

// Within is the most that a price may be of which a budget has to pay the amount: where a
// small one is rounded up, no part of a unit more than the budget.
func Within(r *rules.Rules, budget market.Price) market.Price {
	if !r.Up() || budget <= 0 || budget >= small.Price() {
		return budget
	}
	return market.Money(math.Floor(float64(budget) * float64(market.Unit))).Price()
}

// AtRateOf is what partMS of work cost where wholeMS cost price. A price was
// rounded, by up to half a unit.
func AtRateOf(r *rules.Rules, price market.Money, partMS, wholeMS int64) market.Money {
	if price <= 0 || price >= small || wholeMS > MaxMS { // what is free stays free
		return PartOf(r, price, partMS, wholeMS)
	}
	return PartOf(r, 2*price+1, partMS, 2*wholeMS)
}

// Pay is what so many milliseconds on each of so many processors cost, rounded
// down; false where that is no amount of money a job can have.
func Pay(rate market.Money, ms int64, processors int) (market.Money, bool) {
	amount, _, fits := pay(rate, ms, processors)
	return amount, fits
}

// payFor is the same as a job owes it, where it is such an amount.
func payFor(r *rules.Rules, rate market.Money, ms int64, processors int) market.Money {
	amount, more, _ := pay(rate, ms, processors)
	if more && r.Up() {
		amount++
	}
	return amount
}

// pay is that, and whether there was something to round.
func pay(rate market.Money, ms int64, processors int) (amount market.Money, more, fits bool) {
	if rate < 0 || ms < 0 || rate > MaxAmount || ms > MaxMS || processors < 0 || processors > market.MaxWidth {
		return 0, false, false
	}
	high, low := bits.Mul64(market.Bits(rate), market.Bits(ms)*market.Bits(processors)) // below 2^44 * 2^24 of them
	if high >= 1000 {
		return 0, false, false
	}
	share, rest := bits.Div64(high, low, 1000)
	return market.Money(market.Signed(share)), rest > 0, share <= uint64(MaxAmount)
}
