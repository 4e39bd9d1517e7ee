package front

import (
	"context"
	"errors"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/wire"
)

// Market is a controller as the API and the pages see it. What it does not
// convert is the controller's as it is: the words of agents, health, the ledger's
// own statements.
type Market struct{ *controller.Controller }

var _ api.Market = Market{}

// errNothing says that a command has no part: a mistake of whoever made it.
var errNothing = errors.New("a command that asks for nothing")

// Do carries out what somebody asks.
func (m Market) Do(ctx context.Context, c api.Command, key api.Key) (api.Outcome, bool, error) {
	cmd, err := command(&c)
	if err != nil {
		return api.Outcome{}, false, err
	}
	o, replayed, err := m.Controller.Do(ctx, cmd, key)
	return outcome(&o), replayed, err
}

// command is what is asked, as the exchange takes it.
func command(c *api.Command) (trade.Command, error) {
	cmd := trade.Command{By: identity(c.By)}
	switch {
	case c.Quote != nil:
		cmd.Quote = &trade.AskQuote{TTLMS: c.Quote.TTLMS, Request: wire.ToRequest(&c.Quote.Request)}
	case c.Submit != nil:
		cmd.Submit = &trade.Submit{Request: wire.ToRequest(&c.Submit.Request), Quote: c.Submit.Quote}
	case c.Cancel != nil:
		cmd.Cancel = &trade.Cancel{Job: c.Cancel.Job, Quote: c.Cancel.Quote}
	case c.Void != nil:
		cmd.Void = &trade.Void{Job: c.Void.Job, Reason: c.Void.Reason}
	case c.Money != nil:
		money := trade.MoneyCommand(*c.Money)
		cmd.Money = &money
	case c.Epoch != nil:
		epoch := wire.ToEpoch(c.Epoch)
		cmd.Epoch = &epoch
	default:
		return cmd, errNothing
	}
	return cmd, nil
}

func identity(by api.Identity) trade.Identity {
	return trade.Identity{User: by.User, Role: trade.Role(by.Role)}
}

// outcome is what came of a command, as people read it.
func outcome(o *trade.Outcome) api.Outcome {
	return api.Outcome{
		Job: maybe(o.Job, wire.Job), Quote: maybe(o.Quote, wire.Quote), Refusal: maybe(o.Refusal, wire.Refusal),
		Account: maybe(o.Account, wire.Account), Epoch: maybe(o.Epoch, wire.Epoch),
	}
}

func maybe[T, U any](in *T, f func(*T) U) *U {
	if in == nil {
		return nil
	}
	out := f(in)
	return &out
}

// Preview answers with a quote that binds nobody, or a refusal with offers.
func (m Market) Preview(ctx context.Context, by api.Identity, r v1.Request) (api.Outcome, error) {
	o, err := m.Controller.Preview(ctx, identity(by), wire.ToRequest(&r))
	return outcome(&o), err
}
