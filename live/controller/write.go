package controller

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/pen"
	"github.com/libra-market/libra/live/store"
)

// flush gives what is decided to the writer, if it is free and there is
// anything to write. Who only looked, or was told no, while the writer was at
// work has waited for that alone.
func (c *Controller) flush() {
	switch {
	case c.writing:
		return
	case c.gate.closed != nil: // nothing of it will be written
		c.pending.answer(c.gate.closed)
		c.pending = &batch{}
		return
	case c.pending.empty():
		c.pending.answer(nil)
		c.pending.calls = nil
		c.fleet.publish(c.fleet.due(c.x, c.now()))
		return
	}
	b := c.pending
	b.orders, b.epoch = c.fleet.due(c.x, c.now()), inForce(c.x)
	// A snapshot takes as long as the state is large, so it waits for as many commands.
	if c.since >= max(c.cfg.SnapshotEvery, c.x.Underway()) {
		b.snapshot = c.snapshot()
		c.since = 0
	}
	c.pending, c.writing = &batch{}, true
	c.writes <- b
}

// write is the writer: one batch after the other.
func (c *Controller) write() {
	for b := range c.writes {
		began := c.cfg.Now()
		err := c.log.Append(context.Background(), b.Batch) // a batch begun is finished, whoever goes away
		took := c.cfg.Now().Sub(began).Microseconds()
		c.stats.lastAppendUS.Store(took)
		c.stats.maxAppendUS.Store(max(took, c.stats.maxAppendUS.Load()))
		c.stats.batches.Add(1)
		c.written <- writeResult{batch: b, err: err}
	}
}

// wrote lets the world know what is durable now, or takes back what could not
// be made so.
func (c *Controller) wrote(w writeResult) {
	c.writing = false
	if w.err != nil {
		c.stats.failures.Add(1)
		c.cfg.Logger.Error("the log cannot be written", "error", w.err)
		c.rollBack(w)
		return
	}
	c.fleet.publish(w.batch.orders)
	c.news.Publish(w.batch.notices...)
	c.epoch.Store(&w.batch.epoch)
	w.batch.answer(nil)
	if s := w.batch.snapshot; s != nil {
		c.saving.Add(1)
		go func() { defer c.saving.Done(); c.save(context.Background(), s) }()
	}
}

// rollBack answers everybody that nothing has happened, and reads the state
// back from the store: what was decided since the last write never was.
func (c *Controller) rollBack(w writeResult) {
	c.gate.turn(notWritten, fmt.Errorf("%w: the log cannot be written: %w", trade.ErrUnavailable, w.err))
	w.batch.answer(c.gate.closed)
	c.pending.answer(c.gate.closed)
	c.pending, c.recent = &batch{}, newLately()
}

// reopen reads the state back and opens the market again. If the store still
// cannot be written, the first command finds out.
func (c *Controller) reopen(ctx context.Context) {
	if err := c.restore(ctx); err != nil {
		c.cfg.Logger.Error("the state cannot be read back", "error", err)
		return
	}
	c.gate.turn(readBack, nil)
	c.fleet.changed(c.x.NodesUp(), nil)
	tick := &call{cmd: &trade.Command{Tick: &trade.Tick{}}, done: make(chan struct{})}
	c.execute(tick)
}

// moment is the state as of a command, on its way to a snapshot. It is a copy: the
// market goes on while it is encoded, which takes by far the longest.
type moment struct {
	seq   int64
	state journal.Snapshot
}

// snapshot is the state as of the last command.
func (c *Controller) snapshot() *moment { return &moment{seq: c.seq, state: c.x.Snapshot()} }

// encode makes a snapshot for the store.
func (m *moment) encode() (store.Snapshot, error) {
	body, err := pen.Snapshot(&m.state)
	return store.Snapshot{Seq: m.seq, At: m.state.Now, Version: SnapshotForm, Body: body}, err
}

// save keeps a snapshot. If it cannot be kept, the log has it all: only the next
// start takes longer.
func (c *Controller) save(ctx context.Context, m *moment) {
	s, err := m.encode()
	if err == nil {
		err = c.log.SaveSnapshot(ctx, s)
	}
	if err != nil {
		c.cfg.Logger.Warn("the snapshot was not kept", "error", err)
		return
	}
	c.stats.snapshots.Add(1)
}

// jobRow is a job as it is kept: what was asked, once, and how it stands.
func jobRow(j *trade.Job, first bool) (store.Job, error) {
	row := store.Job{
		ID: j.ID, Owner: j.Owner, Account: j.Account, Name: j.Name, State: string(j.State), Submitted: j.SubmittedUS, Ended: j.EndedUS,
	}
	if j.QuotedUS > 0 { // rows are in the order of their numbers, and it has had its number since then
		row.Submitted = j.QuotedUS
	}
	var err error
	refused := j.State == trade.Rejected
	if first && large(&j.Request) && !refused {
		if row.Spec, err = json.Marshal(&j.Request); err != nil {
			return row, err
		}
	}
	body := *j
	body.Program = program(&j.Request)
	if body.Request = lean(&j.Request); refused {
		body.Request = terms(&j.Request)
	}
	row.Body, err = pen.Job(&body)
	return row, err
}
