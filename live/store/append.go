package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// staleTries is how often an append starts anew because somebody else
	// wrote in between. Each time it is checked again whether it still
	// follows, so this only bounds how long two writers get in each other's way.
	staleTries = 5
	// resolveWait is how long a lost append looks for a new connection on
	// which to ask what became of it.
	resolveWait = 10 * time.Second
)

// Append makes a batch durable.
//
//  1. Check it and make it ready, before anyone else has to wait.
//  2. Know where the log ends; it is remembered from the append before.
//  3. Compute the hashes from there.
//  4. Write, on condition that the fence has not moved and nobody else leads.
//  5. If the answer was lost, ask what became of it.
func (d *database) Append(ctx context.Context, b Batch) error {
	w, err := newWork(b)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	if w.empty() {
		return nil
	}
	if err := acquire(ctx, d.turn); err != nil {
		return fmt.Errorf("append: %w", err)
	}
	defer func() { <-d.turn }()
	if err := d.append(ctx, w); err != nil {
		return fmt.Errorf("append: %w", d.explain(err))
	}
	return nil
}

func (d *database) append(ctx context.Context, w *work) error {
	term := d.term.Load()
	for range staleTries {
		remembered := d.known != nil
		if !remembered {
			h, err := d.engine.fence(ctx, term)
			if err != nil {
				return err
			}
			d.known = &h
		}
		from := *d.known
		from.term = term
		if err := w.follow(from); err != nil {
			if remembered && errors.Is(err, ErrConflict) { // perhaps only what is remembered is old
				d.known = nil
				continue
			}
			return err
		}
		err := d.engine.write(ctx, w, from)
		switch {
		case err == nil:
			d.known = &w.next
			return nil
		case errors.Is(err, errStale):
			d.known = nil
		case errors.Is(err, ErrUncertain):
			d.known = nil
			return d.resolveLost(ctx, w, from, err)
		default:
			return err
		}
	}
	return fmt.Errorf("%w: the log kept growing", ErrConflict)
}

// resolveLost finds out what became of an append whose answer was lost. The fence
// sees to it that it cannot arrive later, and so does the term of another leader.
func (d *database) resolveLost(ctx context.Context, w *work, from head, lost error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resolveWait)
	defer cancel()
	now, err := d.engine.fence(ctx, from.term)
	deposed := errors.Is(err, ErrDeposed)
	switch {
	case deposed:
	case err != nil:
		return lost
	default:
		d.known = &now
		if now.fence == from.fence+1 { // only this question has moved it
			return fmt.Errorf("nothing was written: %w", errors.Unwrap(lost))
		}
	}
	if len(w.entries) == 0 { // nothing to know it by
		return lost
	}
	var hash []byte
	if _, bad := d.row(ctx, "SELECT hash FROM log WHERE seq = ?", []any{w.next.seq}, []any{&hash}); bad != nil {
		return lost
	}
	switch {
	case bytes.Equal(hash, w.next.hash):
		return nil
	case deposed:
		return err
	default:
		return fmt.Errorf("nothing was written: %w", errors.Unwrap(lost))
	}
}
