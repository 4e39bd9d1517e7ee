package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
)

var (
	// ErrNotEmpty is a restore into a store that holds something.
	ErrNotEmpty = errors.New("the store is not empty")
	// ErrBadBackup is a file that is no backup, or not the whole of one.
	ErrBadBackup = errors.New("not a whole backup")
)

// Books says what is wrong with the transactions of a ledger, if anything is.
type Books func(iter.Seq2[Tx, error]) error

// Load restores a backup into the store at an address, which must be empty and
// led by nobody. All of it is one transaction:
//
//  1. See that the store is empty.
//  2. Write what the file holds; the end of the file says whether it was all.
//  3. Make anew what follows from it.
//  4. Verify the log, and the books with what the caller gives.
//  5. Begin a new generation.
//
// Whatever goes wrong, whenever, leaves the store empty.
func Load(ctx context.Context, address string, from *BackupReader, books Books, watch Watch) error {
	d, err := open(ctx, address, toFill)
	if err != nil {
		return err
	}
	err = d.load(ctx, from, books, watch)
	if bad := d.Close(); err == nil {
		err = bad
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", Redact(address), err)
	}
	return nil
}

func (d *database) load(ctx context.Context, from *BackupReader, books Books, watch Watch) error {
	_, release, err := d.TryLead(ctx)
	if err != nil {
		return err
	}
	defer release()
	return d.explain(d.change(ctx, func(tx *sql.Tx) error {
		if err := d.mustBeEmpty(ctx, tx); err != nil {
			return err
		}
		term := d.term.Load()
		for _, table := range []string{"head", "meta"} { // what a new store has in them
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		in := &loader{d: d, tx: tx, from: from, watch: watch, total: from.About.Total()}
		if err := in.tables(ctx); err != nil {
			return err
		}
		if err := d.derive(ctx, tx); err != nil {
			return err
		}
		if err := d.verifyLoaded(ctx, tx, &from.About); err != nil {
			return err
		}
		if err := books(d.txsIn(ctx, tx)); err != nil {
			return fmt.Errorf("the books of the backup: %w", err)
		}
		if err := d.newGeneration(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, d.q("DELETE FROM meta WHERE key IN (?, ?)"), historyMeta, tablesMeta); err != nil { // of another server
			return err
		}
		if _, err := tx.ExecContext(ctx, d.q("UPDATE head SET term = ?"), term); err != nil {
			return err
		}
		return d.setMetaIn(ctx, tx, programMeta, programVersion())
	}))
}

// mustBeEmpty looks into every table, and into meta for what is not the store's
// own.
func (d *database) mustBeEmpty(ctx context.Context, tx *sql.Tx) error {
	var seq int64
	if err := tx.QueryRowContext(ctx, "SELECT seq FROM head").Scan(&seq); err != nil {
		return err
	}
	for i := range backupTables {
		t := &backupTables[i]
		from, args := t.name, []any(nil)
		switch t.name {
		case "head":
			continue
		case "meta":
			from, args = "meta WHERE key NOT IN (?, ?, ?, ?)", []any{generationMeta, programMeta, historyMeta, tablesMeta}
		}
		var n int64
		if err := tx.QueryRowContext(ctx, d.q("SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT 1) AS first"), args...).Scan(&n); err != nil {
			return err
		}
		seq += n
	}
	if seq > 0 {
		return fmt.Errorf("%w: restore into a new one (another file, or another database), then start libra serve on it", ErrNotEmpty)
	}
	return nil
}

// derive makes what follows from the jobs; see loader.touch for the rest.
func (d *database) derive(ctx context.Context, tx *sql.Tx) error {
	for _, statement := range []string{
		"INSERT INTO job_counts (owner, account, state, n) SELECT owner, account, state, count(*) FROM jobs GROUP BY owner, account, state",
		"INSERT INTO job_totals (state, n) SELECT state, count(*) FROM jobs GROUP BY state",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// verifyLoaded checks the chain of the log as it is in the tables now, and that
// it ends where the backup says.
func (d *database) verifyLoaded(ctx context.Context, tx *sql.Tx, about *Backup) error {
	var end head
	if err := tx.QueryRowContext(ctx, "SELECT seq, hash, fence FROM head").Scan(&end.seq, &end.hash, &end.fence); err != nil {
		return fmt.Errorf("%w: it does not say where the log ends: %w", ErrBadBackup, err)
	}
	if end.seq != about.LastSeq {
		return fmt.Errorf("%w: the log ends at %d and should at %d", ErrBadBackup, end.seq, about.LastSeq)
	}
	all, err := d.archivedIn(ctx, tx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadBackup, err)
	}
	last, hash := checkpoint(all)
	check := newVerifier(end, last, hash)
	err = d.each(ctx, tx, "SELECT seq, at, kind, version, body, hash FROM log WHERE seq > ? ORDER BY seq", []any{last}, func(rows *sql.Rows) error {
		var e Entry
		if bad := rows.Scan(&e.Seq, &e.At, &e.Kind, &e.Version, &e.Body, &e.Hash); bad != nil {
			return bad
		}
		return check.see(&e)
	})
	if err != nil {
		return err
	}
	return check.finish()
}

// txsIn reads all transactions within another.
func (d *database) txsIn(ctx context.Context, tx *sql.Tx) iter.Seq2[Tx, error] {
	return func(yield func(Tx, error) bool) {
		err := d.each(ctx, tx, "SELECT "+txColumns+" FROM txs ORDER BY seq", nil, func(rows *sql.Rows) error {
			t, err := scanTx(rows)
			if err != nil {
				return err
			}
			if !yield(t, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Tx{}, err)
		}
	}
}
