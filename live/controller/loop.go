package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/pen"
	"github.com/libra-market/libra/live/store"
)

// call is one thing for the loop to do: a command, or a query of the exchange.
type call struct {
	cmd   *trade.Command
	key   trade.Key
	query func(*exchange.Exchange)

	took     time.Duration // of the loop
	out      trade.Outcome
	replayed bool
	err      error
	done     chan struct{} // closed when the answer may be known
}

// batch is what goes to the store together, and who waits for it.
type batch struct {
	store.Batch

	bytes    int // of entries and rows
	calls    []*call
	orders   []nodeOrders
	notices  []v1.Notice
	epoch    trade.EpochView // in force at its end
	snapshot *moment
}

func (b *batch) empty() bool { return len(b.Entries) == 0 }

// full reports whether no more should wait for the store with what is in it:
// whoever comes next would wait for all of it.
func (b *batch) full() bool { return len(b.Entries) >= mostPending || b.bytes >= mostBytes }

// answer lets those know who wait for the batch: what came of their calls, or
// why nothing did.
func (b *batch) answer(failed error) {
	for _, a := range b.calls {
		if failed != nil {
			a.out, a.err = trade.Outcome{}, failed
		}
		close(a.done)
	}
}

type writeResult struct {
	batch *batch
	err   error
}

const (
	// mostPending is how many commands may wait for the store before the loop does,
	// and mostBytes how much of them.
	mostPending = 4096
	mostBytes   = 1 << 20
	// writeCost is about what a byte costs until it is on disk, in nanoseconds.
	writeCost = 20
)

// loop owns the exchange: it takes what comes, and hands what is decided to the
// writer whenever that is free.
func (c *Controller) loop(ctx context.Context) {
	defer close(c.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	c.intake.next = time.NewTimer(time.Hour)
	defer c.intake.next.Stop()
	for {
		c.flush()
		timer.Reset(c.untilNext())
		select {
		case <-c.ready():
			c.drainInbox()
		case w := <-c.written:
			c.wrote(w)
		case <-timer.C:
			c.tick()
		case <-second.C:
			c.eachSecond(ctx)
		case <-c.intake.next.C:
			c.measureNext()
		case <-ctx.Done():
			c.finish()
			return
		}
	}
}

// ready says when there is something in the inbox; nothing, while too much waits for the
// store.
func (c *Controller) ready() <-chan struct{} {
	if c.pending.full() {
		return nil
	}
	return c.inbox.Ready()
}

// mostAtATime is how many calls are carried out before the loop looks around.
const mostAtATime = 512

// drainInbox carries out what waits, in turns, and charges each party with what it
// took: the loop's time, and that of the writer.
func (c *Controller) drainInbox() {
	began := c.cfg.Now()
	for range mostAtATime {
		if c.pending.full() {
			break
		}
		a, who, ok := c.inbox.Take()
		if !ok {
			return
		}
		before := c.pending.bytes
		c.execute(a)
		now := c.cfg.Now()
		c.inbox.Charge(who, now.Sub(began)+time.Duration(c.pending.bytes-before)*writeCost)
		began = now
	}
	c.inbox.Signal()
}

// execute does one call. Its answer waits until all it may rest on is durable.
func (c *Controller) execute(a *call) {
	if c.gate.closed != nil {
		a.err = c.gate.closed
		close(a.done)
		return
	}
	if a.cmd == nil {
		began := c.cfg.Now()
		c.stats.queries.Add(1)
		c.guard("query", func() error { c.x.At(c.now()); a.query(c.x); return nil })
		a.took = c.cfg.Now().Sub(began)
	} else if !c.repeated(a) {
		a.err = c.guard(a.cmd.Kind(), func() error { return c.do(a) })
	} else {
		return
	}
	if c.pending.empty() && !c.writing {
		close(a.done)
		return
	}
	c.pending.calls = append(c.pending.calls, a)
}

// do carries out a command and writes down what came of it.
func (c *Controller) do(a *call) error {
	at := max(c.now(), c.x.Now())
	if err := c.held.allow(a.cmd, at); err != nil {
		return err
	}
	out, err := c.x.Do(at, *a.cmd)
	fx := c.x.Effects()
	c.hearKnocks()
	if err != nil {
		if !fx.Facts.Empty() { // time went on, or who came was welcome, if nothing else was
			return errors.Join(err, c.record(at, a.cmd.InVain(), fx, nil))
		}
		return err
	}
	a.out = out
	var reply *store.Reply
	if a.key.Given() {
		a.out = leanOutcome(out)
		body, err := pen.Outcome(&a.out)
		if err != nil {
			return err
		}
		reply = &store.Reply{Owner: a.key.Owner, Key: a.key.Key, Digest: a.key.Digest, Body: body, At: at}
		c.remember(a)
	}
	return c.record(at, *a.cmd, fx, reply)
}

// record adds a command and its effects to the batch that goes to the store.
func (c *Controller) record(at int64, cmd trade.Command, fx exchange.Effects, reply *store.Reply) error {
	entry, err := c.entry(at, cmd, fx)
	if err != nil {
		return err
	}
	b := c.pending
	b.Entries = append(b.Entries, entry)
	b.bytes += len(entry.Body)
	for i := range fx.Jobs {
		row, err := jobRow(&fx.Jobs[i], fx.First[fx.Jobs[i].ID])
		if err != nil {
			return err
		}
		b.Jobs = append(b.Jobs, row)
		b.bytes += len(row.Body) + len(row.Spec)
		c.held.note(&fx.Jobs[i])
	}
	for i := range fx.Txs {
		row, err := txRow(&fx.Txs[i])
		if err != nil {
			return err
		}
		b.Txs = append(b.Txs, row)
	}
	if reply != nil {
		b.Replies = append(b.Replies, *reply)
	}
	c.fleet.changed(fx.Nodes, fx.Reshared)
	b.notices = append(b.notices, notices(at, fx)...)
	c.since++
	c.stats.commands.Add(1)
	return nil
}

func (c *Controller) entry(at int64, cmd trade.Command, fx exchange.Effects) (store.Entry, error) {
	cmd = leanCommand(cmd, &fx)
	journal.LeaveOut(fx.Steps, &fx.Facts)
	body, err := pen.Entry(&cmd, fx.Steps, &fx.Facts)
	if err != nil {
		return store.Entry{}, fmt.Errorf("write down a command: %w", err)
	}
	c.seq++
	return store.Entry{Seq: c.seq, At: at, Kind: cmd.Kind(), Version: EntryForm, Body: body}, nil
}

// tick tells the exchange that time has passed, if it asked for that.
func (c *Controller) tick() {
	if at, asked := c.x.Next(); c.gate.closed == nil && asked && at <= c.now() {
		c.guard("tick", func() error { return c.do(&call{cmd: &trade.Command{Tick: &trade.Tick{}}}) })
	}
}

// untilNext is how long nothing needs to be done unless something happens.
func (c *Controller) untilNext() time.Duration {
	if c.gate.closed != nil {
		return time.Hour
	}
	next := c.now() + time.Hour.Microseconds()
	if at, asked := c.x.Next(); asked {
		next = min(next, at)
	}
	if !c.writing { // else what is due goes with the next batch
		next = min(next, c.fleet.next)
	}
	return max(time.Millisecond, time.Duration(next-c.now())*time.Microsecond)
}

// guard runs a step of the exchange. A broken invariant closes the market: what
// it says can no longer be trusted, and a restart reads the log back.
func (c *Controller) guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.gate.turn(contradicted, fmt.Errorf("%w: %v", trade.ErrUnavailable, p))
			c.cfg.Logger.Error("the market is closed", "during", what, "because", p, "stack", string(debug.Stack()))
			err = c.gate.closed
		}
	}()
	return f()
}

// finish writes down what is left and leaves a snapshot behind.
func (c *Controller) finish() {
	for {
		a, _, ok := c.inbox.Take()
		if !ok {
			break
		}
		a.err = fmt.Errorf("%w: it is shutting down", trade.ErrUnavailable)
		close(a.done)
	}
	ctx := context.Background() // the one that was cancelled asked for this
	if c.writing {
		c.wrote(<-c.written)
	}
	if c.gate.closed == nil && !c.pending.empty() {
		b := c.pending
		c.pending = &batch{}
		c.wrote(writeResult{batch: b, err: c.log.Append(ctx, b.Batch)})
	}
	close(c.writes)
	c.saving.Wait()
	if c.gate.closed == nil && c.since > 0 {
		c.save(ctx, c.snapshot())
	}
	c.news.Close()
}
