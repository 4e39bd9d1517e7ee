package exchange

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Exchange is the market floor of one live cluster.
type Exchange struct {
	clock

	version string
	epochs  []EpochView

	kind    policy.Kind
	rates   Rates
	nodes   roster
	byName  map[string]int // the latest of a name
	cluster *cluster.Cluster
	ledger  *ledger.Ledger
	home    map[string]string // by user: the account that pays

	next     int64 // number of the next job or quote
	jobs     map[int64]*live
	quotes   map[string]*kept
	reserved map[int64]*kept // by job number: those that hold room
	expiry   expiries
	waits    map[int64][]int64 // by job: who waits for it
	wake     market.Time
	record   Track

	todo    followUps
	fx      Effects
	touched touched
}

// New is an exchange to which nothing has happened yet. The first command is
// Open.
func New(version string) *Exchange {
	return &Exchange{
		version:  version,
		byName:   map[string]int{},
		jobs:     map[int64]*live{},
		quotes:   map[string]*kept{},
		reserved: map[int64]*kept{},
		waits:    map[int64][]int64{},
		ledger:   ledger.New(),
		next:     1,
		wake:     market.Never,
	}
}

// Opened reports whether the exchange has had its first command.
func (x *Exchange) Opened() bool { return len(x.epochs) > 0 }

// Underway counts the jobs that have not ended.
func (x *Exchange) Underway() int { return len(x.jobs) }

// epoch is the span of the log that is under way.
func (x *Exchange) epoch() *EpochView { return &x.epochs[len(x.epochs)-1] }

// Do carries out one command at a time that is not before the last one. An
// error means that nothing has changed but time.
func (x *Exchange) Do(at int64, c Command) (Outcome, error) {
	if err := x.check(&c); err != nil {
		return Outcome{}, err
	}
	if c.Open != nil {
		return x.open(at, c.Open)
	}
	x.now = max(x.now, at)
	if err := x.catchUp(); err != nil {
		return Outcome{}, err
	}
	var o Outcome
	var err error
	before := len(x.fx.Steps) + len(x.fx.Txs)
	switch {
	case c.Epoch != nil:
		o, err = x.change(c.Epoch)
	case c.Enlist != nil:
		o, err = x.enlist(c.Enlist)
	case c.Node != nil:
		o, err = x.changeNode(c.Node)
	case c.Quote != nil:
		o, err = x.quote(c.By, c.Quote)
	case c.Submit != nil:
		o, err = x.submit(c.By, c.Submit)
	case c.Cancel != nil:
		o, err = x.cancel(c.By, c.Cancel)
	case c.Report != nil:
		err = x.measured(c.Report)
	case c.Money != nil:
		o, err = x.money(c.By, c.Money)
	}
	if err == nil {
		err = x.todo.run()
	}
	if err != nil && len(x.fx.Steps)+len(x.fx.Txs) != before {
		broken(16, fmt.Sprintf("half of %s was carried out: %v", c.Kind(), err))
	}
	return o, err
}

// check refuses what is not a command.
func (x *Exchange) check(c *Command) error {
	switch kind := c.Kind(); {
	case kind == "":
		return fmt.Errorf("%w: an empty command", ErrConflict)
	case c.Open != nil && x.Opened():
		return fmt.Errorf("%w: the market is open", ErrConflict)
	case c.Open == nil && !x.Opened():
		return fmt.Errorf("%w: the first command opens the market", ErrConflict)
	}
	return nil
}

// Next is when the exchange wants a Tick, if nothing else happens before.
func (x *Exchange) Next() (at int64, ok bool) {
	next := x.wake
	if first, some := x.expiry.first(); some {
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
		id, due := x.expiry.pop(x.now)
		if !due {
			break
		}
		if err := x.lapse(id); err != nil {
			return err
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

// step lets something happen to the cluster and hears what follows.
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
		x.hear(&said[i])
	}
	return nil
}

// live lists the numbers of the jobs under way, in order.
func (x *Exchange) live() []int64 {
	ids := make([]int64, 0, len(x.jobs))
	for id := range x.jobs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
