package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strconv"
)

// A part of the log that is read at a time: neither more entries nor, by more
// than one entry, more bytes.
const (
	tailEntries = 512
	tailBytes   = 1 << 20
)

// errEnough ends the reading of rows early.
var errEnough = errors.New("enough")

// Tail reads the log part by part. No part is being read while its entries are
// yielded: whoever takes long over an entry keeps no connection and, in SQLite,
// does not keep the write-ahead log from being cut.
func (d *database) Tail(ctx context.Context, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for most := tailEntries; ; {
			part, whole, err := d.part(ctx, after, most)
			if err != nil {
				yield(Entry{}, fmt.Errorf("read log after %d: %w", after, err))
				return
			}
			if len(part) == 0 {
				return
			}
			if err := d.gap(ctx, after, part[0].Seq); err != nil {
				yield(Entry{}, fmt.Errorf("read log after %d: %w", after, err))
				return
			}
			for i := range part {
				if !yield(part[i], nil) {
					return
				}
			}
			after = part[len(part)-1].Seq
			if whole {
				most = min(2*most, tailEntries)
			} else { // PostgreSQL sends what was asked for, read or not
				most = len(part)
			}
		}
	}
}

// gap says that entries between two are in an archive, if they are. Others that are
// missing are for those to see who know where the log should begin.
func (d *database) gap(ctx context.Context, after, next int64) error {
	if next == after+1 {
		return nil
	}
	last, err := d.Unread(ctx)
	if err == nil && after < last {
		err = fmt.Errorf("%w (up to entry %d)", ErrArchived, last)
	}
	return err
}

// entryColumns are those of an entry, in a store that is read as it is too.
func (d *database) entryColumns() string {
	if d.form < formVersions {
		return "seq, at, kind, 1, body, hash"
	}
	return "seq, at, kind, version, body, hash"
}

// part reads some entries, and says whether as many as were asked for.
func (d *database) part(ctx context.Context, after int64, most int) ([]Entry, bool, error) {
	var part []Entry
	size := 0
	err := d.each(ctx, d.reads, "SELECT "+d.entryColumns()+" FROM log WHERE seq > ? ORDER BY seq LIMIT "+strconv.Itoa(most),
		[]any{after},
		func(rows *sql.Rows) error {
			var e Entry
			if err := rows.Scan(&e.Seq, &e.At, &e.Kind, &e.Version, &e.Body, &e.Hash); err != nil {
				return err
			}
			e.Body = none(e.Body)
			part = append(part, e)
			if size += len(e.Body); size >= tailBytes {
				return errEnough
			}
			return nil
		})
	if errors.Is(err, errEnough) {
		return part, false, nil
	}
	return part, true, err
}

// Last is the last entry of the log.
func (d *database) Last(ctx context.Context) (Entry, bool, error) {
	var e Entry
	found, err := d.row(ctx, "SELECT "+d.entryColumns()+" FROM log ORDER BY seq DESC LIMIT 1", nil,
		[]any{&e.Seq, &e.At, &e.Kind, &e.Version, &e.Body, &e.Hash})
	if err != nil {
		return Entry{}, false, fmt.Errorf("last entry: %w", err)
	}
	e.Body = none(e.Body)
	return e, found, nil
}
