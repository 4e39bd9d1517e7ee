package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Exchange is the market floor of one live cluster: what there is, and what
// commands make of it.
type Exchange struct {
	state

	todo    followUps
	fx      Effects
	touched touched
	again   bool // what is carried out was carried out before: see Again
	program int  // see OfferPrograms
}

// New is an exchange to which nothing has happened yet. The first command is
// Open.
func New(version string) *Exchange { return &Exchange{state: newState(version)} }

// OfferPrograms bounds the programs that are kept with counter-offers, in bytes: an
// offer to a larger one is of its terms alone, and whoever takes it hands the
// program in again. Otherwise a refusal would keep more than a job does. 0: all
// are kept. What is in a log says itself what was kept.
func (x *Exchange) OfferPrograms(most int) { x.program = most }

// Do carries out one command at a time that is not before the last one. An
// error means that nothing has changed but time.
func (x *Exchange) Do(at int64, c trade.Command) (trade.Outcome, error) {
	// 1. Check that it is a command, and that the market is open for it.
	if err := x.check(&c); err != nil {
		return trade.Outcome{}, err
	}
	if !x.again {
		x.settle()
	}
	if c.Open != nil {
		return x.open(at, c.Open)
	}

	// 2. Catch up with what was due before it came.
	x.now = max(x.now, at)
	if err := x.catchUp(); err != nil {
		return trade.Outcome{}, err
	}

	// 3. Carry it out: the cluster decides, and what it says is made true here.
	before := len(x.fx.Steps) + len(x.fx.Txs)
	o, err := x.carryOut(&c)

	// 4. Do what follows: those who waited for a job that has ended begin, or end.
	if err == nil {
		err = x.todo.run()
	}
	if err != nil && len(x.fx.Steps)+len(x.fx.Txs) != before {
		broken(16, fmt.Sprintf("half of %s was carried out: %v", c.Kind(), err))
	}
	return o, err
}

// carryOut does what a command asks for. A tick asks for nothing more.
func (x *Exchange) carryOut(c *trade.Command) (trade.Outcome, error) {
	switch {
	case c.Epoch != nil:
		return x.beginEpoch(c.Epoch)
	case c.Enlist != nil:
		return x.register(c.Enlist, c.Allow)
	case c.Node != nil:
		return x.changeNode(c.Node)
	case c.Quote != nil:
		return x.quote(c.By, c.Quote)
	case c.Submit != nil:
		return x.submit(c.By, c.Submit)
	case c.Cancel != nil:
		return x.cancel(c.By, c.Cancel)
	case c.Void != nil:
		return x.void(c.By, c.Void)
	case c.Report != nil:
		return trade.Outcome{}, x.report(c.By, c.Report)
	case c.Money != nil:
		return x.money(c.By, c.Money)
	default:
		return trade.Outcome{}, nil
	}
}

// check refuses what is not a command.
func (x *state) check(c *trade.Command) error {
	switch kind := c.Kind(); {
	case kind == "":
		return fmt.Errorf("%w: an empty command", trade.ErrConflict)
	case c.Open != nil && x.Opened():
		return fmt.Errorf("%w: the market is open", trade.ErrConflict)
	case c.Open == nil && !x.Opened():
		return fmt.Errorf("%w: the first command opens the market", trade.ErrConflict)
	}
	return nil
}

// Next is when the exchange wants a Tick, if nothing else happens before.
func (x *state) Next() (at int64, ok bool) {
	next := x.wake
	if first, some := x.quotes.ends.first(); some {
		next = min(next, x.timeOf(first))
	}
	if x.kind.Imprecise {
		next = min(next, x.nextDeadline())
	}
	return x.unix(next), next.Finite()
}

// catchUp lets happen what was due by now: quotes expire, estimates run out.
func (x *Exchange) catchUp() error {
	for {
		id, due := x.quotes.ends.pop(x.now)
		if !due {
			break
		}
		if q := x.quotes.find(id); q != nil {
			if err := x.expireQuote(q); err != nil {
				return err
			}
		}
	}
	if err := x.refinements(); err != nil {
		return err
	}
	if x.cluster == nil || x.time() < x.wake-market.TimeSlack {
		return x.todo.run()
	}
	x.wake = market.Never
	if err := x.overruns(); err != nil {
		return err
	}
	if err := x.step(market.Event{Kind: market.Woken}); err != nil {
		return err
	}
	return x.todo.run()
}

// step lets something happen to the cluster and applies what it says.
func (x *Exchange) step(happened ...market.Event) error {
	t := x.time()
	said, err := x.cluster.Step(t, happened)
	if err != nil {
		return err
	}
	x.fx.note(t, happened, said)
	for i := range happened {
		x.touch(&happened[i])
	}
	for i := range said {
		x.touch(&said[i])
		x.apply(&said[i])
	}
	return nil
}
