package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// open is the first command of a log: time begins.
func (x *yard) open(at int64, o *trade.Open) (trade.Outcome, error) {
	e, err := epoch.New(0, at, o.Policy, o.Settings, o.Rates)
	if err != nil {
		return trade.Outcome{}, err
	}
	x.origin, x.now = at, at
	x.setEpochs([]trade.EpochView{e})
	x.rates = e.Rates
	x.kind, err = policy.Find(o.Policy)
	v := e
	return trade.Outcome{Epoch: &v}, err
}

// beginEpoch begins a new epoch: another policy, other levers, other prices. What
// has been promised stands. Between policies that share processors in different
// ways a job under way cannot be handed over, so there must be none.
func (x *yard) beginEpoch(c *trade.Epoch) (trade.Outcome, error) {
	rates := x.rates
	if c.Rates != nil {
		rates = *c.Rates
	}
	e, err := epoch.New(len(x.epochs), x.now, c.Policy, c.Settings, rates)
	if err != nil {
		return trade.Outcome{}, err
	}
	if epoch.Family(c.Policy) != epoch.Family(x.epoch().Policy) && x.cluster != nil {
		if n := x.cluster.Live(); n > 0 {
			return trade.Outcome{}, fmt.Errorf("%w: %d jobs or quotes are under way; %s can follow %s only when there are none",
				trade.ErrConflict, n, c.Policy, x.epoch().Policy)
		}
	}
	if err := x.rebuild(&e); err != nil {
		return trade.Outcome{}, err
	}
	x.setEpochs(append(x.epochs, e))
	x.rates = e.Rates
	if x.cluster != nil {
		if err := x.floor.step(market.Event{Kind: market.Woken}); err != nil {
			return trade.Outcome{}, err
		}
	}
	v := e
	return trade.Outcome{Epoch: &v}, nil
}
