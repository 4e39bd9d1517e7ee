package pricing

import "github.com/libra-market/libra/core/market"

// Static charges the base price of processor time, whatever the demand: what
// the backfilling policies charge in 000, section VII.B.
func Static(base market.Price, estimate market.Work) market.Price {
	return market.Price(float64(base) * float64(estimate))
}
