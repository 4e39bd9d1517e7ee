package store

import (
	"context"
	"fmt"
)

// Shrink gives back to the file system what a store does not need any more. Nobody
// else can write meanwhile. PostgreSQL has its own ways.
func Shrink(ctx context.Context, s Store) error {
	d, ok := s.(*database)
	if !ok {
		return nil
	}
	file, ok := d.engine.(*sqlite)
	if !ok {
		return fmt.Errorf("shrink: %w: PostgreSQL uses what is free by itself; to give it back, let its administrator say VACUUM FULL", ErrInvalid)
	}
	err := file.writing(ctx, func(w *sqliteWriter) error {
		for _, statement := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
			if _, err := w.conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("shrink: %w", d.explain(err))
	}
	return nil
}
