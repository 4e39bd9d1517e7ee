package exchange

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Where a job costs what it bids, the market may have a least price (the setting
// reserve of such policies): an idle market would else be sold for a micro-unit.

// leastBid is what a request must bid on so many processors; 0: anything.
func (x *pricer) leastBid(r *trade.Request, width int) int64 {
	if x.cluster == nil {
		return 0
	}
	rate := x.cluster.Reserve()
	if rate <= 0 {
		return 0
	}
	procs, estimate := r.Width(width)
	least := float64(trade.Times(rate, x.rates.Factor(r.Partition))) * float64(estimate) * float64(procs) / x.pieces(r, int(procs)) * float64(market.Unit)
	if least >= float64(bill.MaxAmount) {
		return int64(bill.MaxAmount)
	}
	return int64(math.Ceil(least-1e-6)) + x.storedFor(r, int(procs)) // but for rounding
}

// belowReserve says what is wrong with a bid that is less than the market sells for; ""
// where none is.
func (x *pricer) belowReserve(r *trade.Request, width int) string {
	if x.cluster == nil {
		return ""
	}
	rate := trade.Times(x.cluster.Reserve(), x.rates.Factor(r.Partition))
	hour, err := (rate * 3600).Money()
	if rate <= 0 || err != nil {
		return ""
	}
	if least := x.leastBid(r, width); r.Budget != nil && *r.Budget < least {
		return fmt.Sprintf("it bids less than the reserve: under %s an hour of a processor is sold for %s at the least, and this job for %s",
			x.epoch().Policy, hour.Said(), market.Money(least).Said())
	}
	if r.Optional != nil && market.Money(r.Optional.RateMicros).Price() < rate {
		return fmt.Sprintf("it bids less than the reserve for its optional part: under %s an hour of a processor is sold for %s at the least, a second for %.6f %s",
			x.epoch().Policy, hour.Said(), float64(rate), market.Sign)
	}
	return ""
}
