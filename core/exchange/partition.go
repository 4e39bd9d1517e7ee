package exchange

import (
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// quote is the answer of the core to a request, in the prices of its partition. What comes to
// more than any budget is refused.
func (x *pricer) quote(r *trade.Request, asked market.Job) (market.Quote, error) {
	core, err := x.cluster.Quote(x.time(), asked)
	if factor := x.rates.Factor(r.Partition); factor != 0 {
		core.Price, core.Gain = trade.Times(core.Price, factor), trade.Times(core.Gain, factor)
	}
	if err == nil && core.Price.Limited() {
		if _, none := x.amount(r, int(asked.Width), core.Price); none != nil {
			return core, &market.Rejection{Reason: market.CannotMeetBudget}
		}
	}
	return core, err
}

// forCore is a budget as the core is told of it: what is left for work, for the room that it
// takes, in the market's prices.
func (x *pricer) forCore(r *trade.Request, asked *market.Job, budget market.Price) market.Price {
	work := bill.Within(x.rules(), x.forWork(asked, budget))
	return trade.Per(work*market.Price(x.pieces(r, int(asked.Width))), x.rates.Factor(r.Partition))
}
