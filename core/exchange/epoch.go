package exchange

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// open is the first command of a log: time begins.
func (x *Exchange) open(at int64, o *trade.Open) (trade.Outcome, error) {
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
func (x *Exchange) beginEpoch(c *trade.Epoch) (trade.Outcome, error) {
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
		if err := x.step(market.Event{Kind: market.Woken}); err != nil {
			return trade.Outcome{}, err
		}
	}
	v := e
	return trade.Outcome{Epoch: &v}, nil
}

// setEpochs notes the spans of the log, and how the market trades in each.
func (x *state) setEpochs(epochs []trade.EpochView) {
	x.epochs = epochs
	x.ruled = x.ruled[:0]
	for i := range epochs {
		x.ruled = append(x.ruled, epochs[i].Rules())
	}
}

// rules are how the market trades now.
func (x *state) rules() *rules.Rules { return &x.ruled[len(x.ruled)-1] }

// era is the epoch by whose rules a job is billed: that in which it was taken in,
// or quoted, whatever has changed since.
func (x *state) era(j *activeJob) int {
	if j.Era > 0 {
		return min(j.Era, len(x.epochs)) - 1
	}
	return x.eraAt(j.SubmittedUS) // of before it was noted
}

// eraAt is the epoch of a time.
func (x *state) eraAt(us int64) int {
	for i := len(x.epochs) - 1; i > 0; i-- {
		if x.epochs[i].FromUS <= us {
			return i
		}
	}
	return 0
}

// rulesOf are the rules by which a job is billed.
func (x *state) rulesOf(j *activeJob) *rules.Rules { return &x.ruled[x.era(j)] }

// Epochs lists the spans of the log.
func (x *state) Epochs() []trade.EpochView { return slices.Clone(x.epochs) }
