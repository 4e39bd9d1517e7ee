package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Exchange is a live market: what there is, and what commands make of it. Questions
// are asked of what is embedded, and write nothing. Commands are carried out by those
// below, each of whom knows only those before it (parts.go).
type Exchange struct {
	*state
	*bank
	*teller
	*agents

	floor    *floor
	runs     *overseer
	door     *door
	yard     *yard
	treasury *treasury
}

// New is an exchange to which nothing has happened yet. The first command is
// Open.
func New(version string) *Exchange {
	s := newState(version)
	owed, books := &assessor{s}, &bank{s}
	price := &pricer{s, books}
	tell := &teller{s, owed, books, price}
	floor := &floor{state: s, owed: owed, bank: books, price: price}
	runs := &overseer{s, owed, floor}
	return &Exchange{
		state: s, bank: books, teller: tell, agents: &agents{s, owed},
		floor: floor, runs: runs,
		door: &door{state: s, bank: books, price: price, tell: tell, floor: floor, runs: runs},
		yard: &yard{s, tell, floor}, treasury: &treasury{s, books, floor},
	}
}

// OfferPrograms bounds the programs that are kept with counter-offers, in bytes: an
// offer to a larger one is of its terms alone, and whoever takes it hands the
// program in again. Otherwise a refusal would keep more than a job does. 0: all
// are kept. What is in a log says itself what was kept.
func (x *Exchange) OfferPrograms(most int) { x.door.program = most }

// Do carries out one command at a time that is not before the last one. An
// error means that nothing has changed but time.
func (x *Exchange) Do(at int64, c trade.Command) (trade.Outcome, error) {
	// 1. Check that it is a command, and that the market is open for it.
	if err := x.check(&c); err != nil {
		return trade.Outcome{}, err
	}
	if !x.again {
		x.treasury.settle()
	}
	if c.Open != nil {
		return x.yard.open(at, c.Open)
	}

	// 2. Catch up with what was due before it came.
	x.now = max(x.now, at)
	if err := x.catchUp(); err != nil {
		return trade.Outcome{}, err
	}

	if c.Submit != nil || c.Quote != nil || c.Tick != nil && c.Tick.Came {
		x.treasury.pay(x.income.Welcome(x.now, c.By, x.ledger, x.accounts))
	}

	// 3. Carry it out: the cluster decides, and what it says is made true here.
	before := len(x.floor.fx.Steps) + len(x.floor.fx.Txs)
	o, err := x.carryOut(&c)
	if x.nodes.Changed() {
		x.jobs.LookAgain() // somebody who was kept out may have where to begin
	}

	// 4. Do what follows: those who waited for a job that has ended begin, or end.
	if err == nil {
		err = x.door.followUp()
	}
	if err != nil && len(x.floor.fx.Steps)+len(x.floor.fx.Txs) != before {
		broken(16, fmt.Sprintf("half of %s was carried out: %v", c.Kind(), err))
	}
	return o, err
}

// carryOut does what a command asks for. A tick asks for nothing more.
func (x *Exchange) carryOut(c *trade.Command) (trade.Outcome, error) {
	switch {
	case c.Epoch != nil:
		return x.yard.beginEpoch(c.Epoch)
	case c.Enlist != nil:
		return x.yard.register(c.Enlist, c.Allow)
	case c.Node != nil:
		return x.yard.changeNode(c.Node)
	case c.Quote != nil:
		return x.door.quote(c.By, c.Quote)
	case c.Submit != nil:
		return x.door.submit(c.By, c.Submit)
	case c.Cancel != nil:
		return x.door.cancel(c.By, c.Cancel)
	case c.Void != nil:
		return x.door.void(c.By, c.Void)
	case c.Begin != nil:
		return x.door.begin(c.By, c.Begin)
	case c.Watch != nil:
		x.jobs.Heed(c.Watch, x.floor.changed)
		return trade.Outcome{}, nil
	case c.Report != nil:
		return trade.Outcome{}, x.runs.report(c.By, c.Report)
	case c.Money != nil:
		return x.treasury.money(c.By, c.Money)
	case c.Resume != nil:
		x.floor.resume(c.Resume)
		return trade.Outcome{}, nil
	default:
		return trade.Outcome{}, nil
	}
}

// check refuses what is not a command.
func (x *Exchange) check(c *trade.Command) error {
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
func (x *Exchange) Next() (at int64, ok bool) {
	next := x.wake
	if first, some := x.quotes.NextEnd(); some {
		next = min(next, x.timeOf(first))
	}
	next = min(next, x.storeBy)
	if begins, some := x.jobs.NextBegin(); some {
		next = min(next, x.timeOf(begins))
	}
	if due, some := x.income.Next(); some {
		next = min(next, x.timeOf(due))
	}
	if x.kind.Imprecise {
		next = min(next, x.nextDeadline())
	}
	return x.unix(next), next.Finite()
}

// catchUp lets happen what was due by now: allowances are paid, quotes expire, estimates run out.
func (x *Exchange) catchUp() error {
	x.treasury.pay(x.income.Pay(x.now, x.ledger, x.accounts))
	for {
		id, due := x.quotes.TakeDue(x.now)
		if !due {
			break
		}
		if q := x.quotes.Find(id); q != nil {
			if err := x.door.expireQuote(q); err != nil {
				return err
			}
		}
	}
	x.door.beginDue()
	if err := x.runs.refinements(); err != nil {
		return err
	}
	if err := x.runs.sellTime(); err != nil {
		return err
	}
	if x.cluster == nil || x.time() < x.wake-market.TimeSlack {
		return x.door.followUp()
	}
	x.wake = market.Never
	if err := x.runs.overruns(); err != nil {
		return err
	}
	if err := x.floor.step(market.Event{Kind: market.Woken}); err != nil {
		return err
	}
	return x.door.followUp()
}
