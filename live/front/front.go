package front

import (
	"context"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/wire"
)

// Market is a controller as the API and the pages see it. What it does not
// convert is the controller's as it is: the words of agents, health, the ledger's
// own statements.
type Market struct {
	*controller.Controller

	Archive *archive.Keeper // nil: the log stays in the store
	Unit    string          // that amounts are in, where sentences have some; "": nothing is said of it
}

var _ api.Market = Market{}

// Do carries out what somebody asks.
func (m Market) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	o, replayed, err := m.Controller.Do(ctx, c, key)
	return m.outcome(&o), replayed, err
}

// Again is what came of a command with this key, if there was one.
func (m Market) Again(ctx context.Context, key api.Key) (api.Outcome, bool, error) {
	o, found, err := m.Answered(ctx, key)
	return m.outcome(&o), found, err
}

// outcome is what came of a command, as people read it.
func (m Market) outcome(o *trade.Outcome) api.Outcome {
	out := api.Outcome{
		Job: maybe(o.Job, wire.Job), Quote: maybe(o.Quote, wire.Quote), Refusal: maybe(o.Refusal, wire.Refusal),
		Account: maybe(o.Account, wire.Account), Epoch: maybe(o.Epoch, wire.Epoch),
	}
	if out.Job != nil {
		wire.JobIn(out.Job, m.Unit)
	}
	if out.Quote != nil {
		wire.QuoteIn(out.Quote, m.Unit)
	}
	if out.Refusal != nil {
		wire.RefusalIn(out.Refusal, m.Unit)
	}
	return out
}

func maybe[T, U any](in *T, f func(*T) U) *U {
	if in == nil {
		return nil
	}
	out := f(in)
	return &out
}

// Preview answers with a quote that binds nobody, or a refusal with offers.
func (m Market) Preview(ctx context.Context, by trade.Identity, r trade.Request) (api.Outcome, error) {
	o, err := m.Controller.Preview(ctx, by, r)
	return m.outcome(&o), err
}
