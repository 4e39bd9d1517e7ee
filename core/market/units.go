package market

import "math"

// Time is in seconds since the epoch of the log: the start of a trace, or the
// first record of a live run. A period is a Time too.
type Time float64

// Work is in processor-seconds on a processor of rating 1.
type Work float64

// Share is a fraction of one processor.
type Share float64

// Price is an unrounded amount of currency. Policies compare prices; only
// [Money] is ever owed.
type Price float64

// Never is a time that does not come: no deadline, no wake-up.
var Never = Time(math.Inf(1))

// Unlimited is the budget of a user who did not name one.
var Unlimited = Price(math.Inf(1))

// How much two numbers may differ and still count as equal. Independent
// implementations of the same rules agree job by job only if all of them allow
// for rounding in the same way, so nothing in the core compares with a bare <=.
const (
	TimeSlack  Time    = 1e-6
	WorkSlack  Work    = 1e-6
	ShareSlack Share   = 1e-9
	priceSlack float64 = 1e-9 // relative
)

// After reports whether t is later than u by more than rounding.
func (t Time) After(u Time) bool { return t > u+TimeSlack }

// Finite reports whether the time ever comes.
func (t Time) Finite() bool { return t < Never }

// Done reports whether no work is left but rounding.
func (w Work) Done() bool { return w <= WorkSlack }

// Over reports whether a job has had more than its estimate, rounding aside, of which so
// much is left.
func (w Work) Over() bool { return w < -WorkSlack }

// Fits reports whether the load is within the capacity.
func (s Share) Fits(capacity Share) bool { return s <= capacity+ShareSlack }

// Within reports whether the price can be paid from the budget: a price equal
// to the budget is affordable.
func (p Price) Within(budget Price) bool {
	if p <= budget {
		return true
	}
	if math.IsInf(float64(p), 1) {
		return false // a fraction of it is infinite too
	}
	return float64(p-budget) <= priceSlack*max(math.Abs(float64(p)), math.Abs(float64(budget)))
}

// Limited reports whether the price is an actual amount.
func (p Price) Limited() bool { return !math.IsInf(float64(p), 1) }

// Rank rounds a share to the nine decimals to which placements compare it, in
// units of the last.
func (s Share) Rank() float64 { return math.Round(float64(s) * 1e9) }

// Rank rounds a period to the six decimals to which placements compare it, in
// units of the last.
func (t Time) Rank() float64 { return math.Round(float64(t) * 1e6) }

// RoundSignificant rounds x to twelve significant digits, the precision to
// which returns are ranked, so that equal means equal.
func RoundSignificant(x float64) float64 {
	size := math.Abs(x)
	if !(size > 1e-280 && size < 1e280) {
		return x // nothing to round, or so extreme that scaling would overflow
	}
	// The decimal exponent from the binary one: log10(2) is 1233/4096, a bit
	// more, and the next power of ten settles which of two it is.
	_, binary := math.Frexp(size)
	decimal := (binary - 1) * 1233 >> 12
	if size >= math.Pow10(decimal+1) {
		decimal++
	}
	if size < math.Pow10(decimal) {
		decimal--
	}
	if shift := 11 - decimal; shift >= 0 {
		scale := math.Pow10(shift)
		return math.Round(x*scale) / scale
	}
	scale := math.Pow10(decimal - 11)
	return math.Round(x/scale) * scale
}
