package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// quote is the answer of the core to a request, in the prices of its partition.
func (x *pricer) quote(r *trade.Request, asked market.Job) (market.Quote, error) {
	core, err := x.cluster.Quote(x.time(), asked)
	if factor := x.rates.Factor(r.Partition); factor != 0 {
		core.Price, core.Gain = trade.Times(core.Price, factor), trade.Times(core.Gain, factor)
	}
	return core, err
}

// forCore is a budget as the core is told of it: what is left for work, for the room that it
// takes, in the market's prices.
func (x *pricer) forCore(r *trade.Request, asked *market.Job, budget market.Price) market.Price {
	work := x.forWork(asked, budget) * market.Price(x.pieces(r, int(asked.Width)))
	return trade.Per(work, x.rates.Factor(r.Partition))
}
