package store

import (
	"context"
	"database/sql"
	"fmt"
)

// Note is a note of a kind under a key.
func (d *database) Note(ctx context.Context, kind, key string) (Note, bool, error) {
	n := Note{Kind: kind, Key: key}
	if err := checkTexts(kind, key); err != nil {
		return Note{}, false, fmt.Errorf("note: %w", err)
	}
	found, err := d.row(ctx, "SELECT body FROM notes WHERE kind = ? AND key = ?", []any{kind, key}, []any{&n.Body})
	if err != nil || !found {
		return Note{}, false, wrapNote(kind, err)
	}
	n.Body = none(n.Body)
	return n, true, nil
}

// Notes are those of a kind.
func (d *database) Notes(ctx context.Context, kind string) ([]Note, error) {
	if err := checkTexts(kind); err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	var notes []Note
	err := d.each(ctx, d.reads, "SELECT key, body FROM notes WHERE kind = ? ORDER BY key", []any{kind}, func(rows *sql.Rows) error {
		n := Note{Kind: kind}
		err := rows.Scan(&n.Key, &n.Body)
		n.Body = none(n.Body)
		notes = append(notes, n)
		return err
	})
	return notes, wrapNote(kind, err)
}

// PutNotes keeps notes, all of them or none.
func (d *database) PutNotes(ctx context.Context, notes []Note) error {
	for i := range notes {
		if err := checkKeys(notes[i].Kind, notes[i].Key); err != nil {
			return fmt.Errorf("put notes: %w", err)
		}
	}
	return d.eachNote(ctx, len(notes),
		"INSERT INTO notes (kind, key, body) VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
		func(i int) []any { return []any{notes[i].Kind, notes[i].Key, some(notes[i].Body)} })
}

// DropNotes forgets notes of a kind, all of them or none.
func (d *database) DropNotes(ctx context.Context, kind string, keys []string) error {
	if err := checkTexts(append([]string{kind}, keys...)...); err != nil {
		return fmt.Errorf("drop notes: %w", err)
	}
	return d.eachNote(ctx, len(keys), "DELETE FROM notes WHERE kind = ? AND key = ?", func(i int) []any { return []any{kind, keys[i]} })
}

// eachNote says one statement for each of several notes, in one transaction.
func (d *database) eachNote(ctx context.Context, n int, statement string, args func(int) []any) error {
	if n == 0 {
		return nil
	}
	err := d.change(ctx, func(tx *sql.Tx) error {
		prepared, err := tx.PrepareContext(ctx, d.q(statement))
		if err != nil {
			return err
		}
		defer prepared.Close()
		for i := range n {
			if _, err := prepared.ExecContext(ctx, args(i)...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write notes: %w", d.explain(err))
	}
	return nil
}

func wrapNote(kind string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("notes of %s: %w", kind, err)
}
