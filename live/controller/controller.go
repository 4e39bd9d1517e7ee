package controller

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/news"
	"github.com/libra-market/libra/live/store"
)

// Log is what the controller needs of a store.
type Log interface {
	store.Writer
	store.Log
	store.Snapshots
	store.Jobs
	store.Txs
	store.Replies
	store.Identity
}

// Config is what can be set about a controller.
type Config struct {
	Open trade.Open // the first epoch, if the log is empty
	// Unsaid is what is set of an epoch's policy and market where its owner says
	// nothing of it. Empty: what the papers say.
	Unsaid  map[string]string
	Version string
	// Lease is how long an agent goes on without hearing from the controller
	// before it stops what it runs. A little after that its node is taken for
	// lost, and its jobs begin again elsewhere. 0: agents go on for ever.
	Lease time.Duration
	// Report is how often agents say how far their tasks are.
	Report time.Duration
	// Allow is what nodes may announce.
	Allow roster.Allowance
	// Term is that of the lead under which the controller runs, and Leads says why
	// another could lead by now, if one could. Nil: nobody could.
	Term  int64
	Leads func() error
	// SnapshotEvery is after how many commands the state is written down whole.
	SnapshotEvery int
	// Limits are what one user may have under way, and how many calls of one party
	// may wait in the inbox.
	Limits fair.Limits
	// Turn is called by whoever comes to the inbox, before, and by whoever has waited for
	// orders; nil: by nobody. A simulated world lets no two come at the same instant, so
	// that a day can be lived again.
	Turn func(context.Context)
	// Now is the clock: the time of day.
	Now func() time.Time
	// Elapsed is a clock that nobody can set; it begins anywhere. Nil: Now, as far as
	// that goes forward.
	Elapsed func() time.Duration
	Logger  *slog.Logger
}

// Default is a configuration that suits a small cluster.
func Default() Config {
	return Config{
		Open:   trade.Open{Policy: "libra", Rates: trade.Rates{Processor: 1_000_000}},
		Lease:  5 * time.Minute,
		Allow:  roster.DefaultAllowance(),
		Report: 2 * time.Second, SnapshotEvery: 10_000,
		Limits: fair.Limits{Queue: 1024},
		Now:    time.Now, //nolint:forbidigo // the one place where the clock is read
		Logger: slog.New(slog.DiscardHandler),
	}
}

// Controller is a live market.
type Controller struct {
	cfg        Config
	clock      *clock
	log        Log
	x          *exchange.Exchange // the loop's alone
	inbox      *fair.Queue[*call]
	generation string
	seq        int64 // of the last command carried out; the loop's alone
	since      int   // commands since the last snapshot; the loop's alone
	lastUS     int64 // when the last entry was made that was read back

	pending *batch // carried out and not handed to the writer yet
	writing bool   // the writer is at work
	recent  lately // by idempotency key: carried out lately
	used    *usedKeys
	held    *holdings
	gate    gate
	intake  intake

	writes  chan *batch
	written chan writeResult
	fleet   *fleet
	news    *news.Board

	epoch atomic.Pointer[trade.EpochView] // as of what is durable; nil: nothing was written yet

	knocks chan struct{} // somebody wants to be let in
	came   int           // how often somebody has; the loop's alone

	statements statements
	done       chan struct{}
	saving     sync.WaitGroup

	stats stats
}

type stats struct {
	commands, queries         atomic.Int64
	batches, failures         atomic.Int64
	lastAppendUS, maxAppendUS atomic.Int64
	snapshots                 atomic.Int64
}

// Start reads the state back from the log and begins to run. The first start on
// an empty log opens the market.
func Start(ctx context.Context, log Log, cfg Config) (*Controller, error) {
	c := &Controller{
		cfg: cfg, clock: newClock(&cfg), log: log,
		inbox: fair.NewQueue[*call](cfg.Limits.Queue), writes: make(chan *batch), written: make(chan writeResult),
		recent: newLately(), used: newUsedKeys(), done: make(chan struct{}), knocks: make(chan struct{}, 1),
	}
	c.fleet = newFleet(c)
	c.news = news.New()
	if err := c.restore(ctx); err != nil {
		return nil, err
	}
	var err error
	if c.generation, err = c.log.Generation(ctx); err != nil {
		return nil, fmt.Errorf("generation of the store: %w", err)
	}
	c.pending = &batch{}
	if !c.x.Opened() {
		if err := c.openMarket(ctx); err != nil {
			return nil, err
		}
	}
	c.fleet.begin(c.x, c.now())
	go c.write()
	go c.keepKeys(ctx)
	go c.loop(ctx)
	return c, c.resume(ctx)
}

// resume says in which store the market goes on, where that is another one.
func (c *Controller) resume(ctx context.Context) error {
	generation := c.generation
	var err error
	before := ""
	if err = c.query(ctx, func(x *exchange.Exchange) { before = x.Generation() }); err != nil || before == generation {
		return err
	}
	skip := int64(0)
	if before != "" {
		skip = trade.Skip(c.now() - c.lastUS)
		c.cfg.Logger.Warn("the store was restored from a backup or put back, has lost what was written last, or its database server was promoted or brought back to some time: new jobs have higher numbers than those that may have been given out in what is missing", "skipped", skip)
	}
	_, _, err = c.Do(ctx, trade.Command{By: trade.Identity{Role: trade.RoleOwner}, Resume: &trade.Resume{Generation: generation, Skip: skip}}, trade.Key{})
	return err
}

// openMarket writes the first command of a log.
func (c *Controller) openMarket(ctx context.Context) error {
	open := c.cfg.Open
	open.Settings = epoch.Complete(open.Policy, open.Settings, c.cfg.Unsaid)
	open.Version = c.cfg.Version
	cmd := trade.Command{By: trade.Identity{Role: trade.RoleOwner}, Open: &open}
	at := c.now()
	if _, err := c.x.Do(at, cmd); err != nil {
		return fmt.Errorf("open the market: %w", err)
	}
	entry, err := c.entry(at, cmd, c.x.Effects())
	if err != nil {
		return err
	}
	if err := c.log.Append(ctx, store.Batch{Entries: []store.Entry{entry}}); err != nil {
		return fmt.Errorf("open the market: %w", err)
	}
	return nil
}

// Done is closed when the controller has stopped, all it took in written down.
func (c *Controller) Done() <-chan struct{} { return c.done }

// Leader is under whose lead agents are spoken to.
func (c *Controller) Leader() *task.Leader {
	return &task.Leader{Generation: c.generation, Term: c.cfg.Term}
}

// leads says why another could lead by now, if one could.
func (c *Controller) leads() error {
	if c.cfg.Leads == nil {
		return nil
	}
	return c.cfg.Leads()
}
