package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// Forms of what is in the store. A form is never changed: a change is another
// form, and the readers of all older ones stay (docs/upgrade.md).
const (
	// EntryForm is how entries of the log are written: since 2 they say what came
	// of a command; 1 said only what was asked. Since 3, what was measured of jobs is packed;
	// since 4 there are allowances; since 5 a job is in an entry once (journal.LeaveOut), how
	// its price came about is in the first entry of it, and the row of a transaction says
	// nothing twice.
	EntryForm = 5
	// SnapshotForm is how snapshots are written: since 2 a job is the same in a
	// snapshot and in the log; since 3 there are allowances.
	SnapshotForm = "3"
)

// Body is an entry of the log, as it is read; live/pen writes it. What a job asks for is
// written once: where it is among the facts, the command is without.
type Body struct {
	Command trade.Command  `json:"cmd"`             // what was asked: for those who want to know how it would have gone otherwise
	Steps   []journal.Step `json:"steps,omitempty"` // what the core was told, and what it said
	Facts   *journal.Facts `json:"facts,omitempty"` // what is true since then: recovery reads this alone
}

// UnmarshalJSON reads an entry and puts back what was left out of its steps.
func (b *Body) UnmarshalJSON(text []byte) error {
	type plain Body
	if err := json.Unmarshal(text, (*plain)(b)); err != nil {
		return err
	}
	journal.PutBack(b.Steps, b.Facts)
	return nil
}

// recovery puts the state together from a snapshot and the entries after it.
type recovery struct {
	version string
	image   *journal.Image
	again   *exchange.Exchange // while entries of form 1 are read
	seq     int64
	entries int
	old     int // of them, those of form 1
}

// restore reads the state back. It decides nothing: what was decided is in the
// log, whatever this program would decide today.
func (c *Controller) restore(ctx context.Context) error {
	began := c.cfg.Now()
	r := &recovery{version: c.cfg.Version, image: journal.NewImage()}
	snap, x, err := r.read(ctx, c.log)
	if err != nil {
		return err
	}
	x.OfferPrograms(offerProgram)
	c.x, c.seq, c.since = x, r.seq, r.entries
	c.lastUS = x.Now()
	c.clock.startAfter(c.lastUS)
	c.held = newHoldings(&c.cfg.Limits)
	for j := range x.Live() {
		c.held.note(j)
	}
	c.cfg.Logger.Info("state read back", "snapshot", snap.Seq, "entries", r.entries, "jobs", x.Underway(), "took", c.cfg.Now().Sub(began).Round(time.Millisecond))
	if r.old > 0 || snap.Version != "" && snap.Version != SnapshotForm {
		return c.upgrade(ctx)
	}
	return nil
}

// Readable says why this program cannot read the past of a store, if it cannot.
// It writes nothing.
func Readable(ctx context.Context, past store.Past) error {
	_, _, err := (&recovery{image: journal.NewImage()}).read(ctx, past)
	return err
}

// read puts all of a store together; the snapshot is empty if there is none.
func (r *recovery) read(ctx context.Context, past store.Past) (store.Snapshot, *exchange.Exchange, error) {
	// 1. Take the last snapshot, as plain data.
	snap, found, err := past.LatestSnapshot(ctx)
	if err != nil {
		return snap, nil, fmt.Errorf("read the snapshot: %w", err)
	}
	if found {
		if err = r.snapshot(&snap); err != nil {
			return snap, nil, err
		}
		if last, _, bad := past.Last(ctx); bad == nil && last.Seq < snap.Seq {
			return snap, nil, fmt.Errorf("%w: the log ends at entry %d, and there is a snapshot of entry %d; %s", store.ErrDamaged, last.Seq, snap.Seq, store.Advice)
		}
	}

	// 2. Put in what the entries after it made true, each as it was written.
	var before []byte // the hash of the entry before
	for e, bad := range past.Tail(ctx, max(0, r.seq-1)) {
		if bad != nil {
			return snap, nil, fmt.Errorf("read the log: %w", bad)
		}
		if e.Seq == r.seq { // the snapshot says what came of it
			before = e.Hash
			continue
		}
		if err = r.follows(&e, before); err != nil {
			return snap, nil, err
		}
		before = e.Hash
		if err = r.entry(&e); err != nil {
			return snap, nil, fmt.Errorf("log entry %d (%s): %w", e.Seq, e.Kind, err)
		}
	}

	// 3. Let an exchange go on from there.
	x, err := r.open()
	if err != nil {
		return snap, nil, fmt.Errorf("what the log says up to %d: %w", r.seq, err)
	}
	return snap, x, nil
}

// follows checks that an entry is as it was written. What was changed since is not
// believed: money stands on it.
func (r *recovery) follows(e *store.Entry, before []byte) error {
	why := ""
	switch {
	case e.Seq != r.seq+1:
		why = fmt.Sprintf("it is missing, the next one is %d", e.Seq)
	case !bytes.Equal(e.Sum(before), e.Hash):
		why = "its hash does not follow from its content and the entry before"
	default:
		return nil
	}
	return fmt.Errorf("the store is damaged: %w; start from a backup (libra restore), or put the file back as it was", &store.BrokenChain{Seq: r.seq + 1, Why: why})
}

// upgrade writes down the state that older forms gave in today's, so that they
// need not be read again: what follows stands on it.
func (c *Controller) upgrade(ctx context.Context) error {
	s, err := c.snapshot().encode()
	if err != nil {
		return err
	}
	if err := c.log.SaveSnapshot(ctx, s); err != nil {
		return fmt.Errorf("write the state in the form of this version: %w", err)
	}
	c.since = 0
	c.cfg.Logger.Info("the store was written by an older version and is now in the form of this one", "entry", s.Seq)
	return nil
}

func (r *recovery) snapshot(s *store.Snapshot) (err error) {
	switch s.Version {
	case SnapshotForm, "2":
		r.image, err = journal.ReadImage(s.Body)
	case "1":
		r.image, err = journal.ReadForm1(s.Body)
	default:
		err = newerForm(s.Version)
	}
	if err != nil {
		return fmt.Errorf("the snapshot at %d: %w", s.Seq, err)
	}
	r.seq = s.Seq
	return nil
}

// newerForm refuses what a later version of the program wrote.
func newerForm(form any) error {
	return fmt.Errorf("it was written by a newer version of libra (form %v, this one reads up to %d): start that version, or restore the backup made before the upgrade", form, EntryForm)
}

// entry makes true what an entry of the log says.
func (r *recovery) entry(e *store.Entry) error {
	if e.Version > EntryForm {
		return newerForm(e.Version)
	}
	var body Body
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	r.seq = e.Seq
	r.entries++
	if e.Version <= 1 {
		r.old++
		return r.executeAgain(e.At, &body)
	}
	if err := r.convert(); err != nil {
		return err
	}
	if body.Facts == nil {
		return errors.New("it says nothing of what came of it")
	}
	return r.image.Apply(body.Facts)
}

// executeAgain reads an entry of form 1, which says what was asked and not what
// came of it.
func (r *recovery) executeAgain(at int64, body *Body) (err error) {
	if r.again == nil {
		if r.again, err = exchange.Open(r.version, r.image); err != nil {
			return err
		}
	}
	if _, err := r.again.Again(at, body.Command, body.Steps); err != nil {
		return fmt.Errorf("it can no longer be carried out: %w", err)
	}
	r.again.Effects()
	return nil
}

// convert turns what entries of form 1 gave into an image.
func (r *recovery) convert() error {
	if r.again == nil {
		return nil
	}
	var err error
	r.image, err = imageOf(r.again)
	r.again = nil
	return err
}

// open is the exchange that goes on from there.
func (r *recovery) open() (*exchange.Exchange, error) {
	if r.again != nil {
		return r.again, nil
	}
	return exchange.Open(r.version, r.image)
}
