package store

import (
	"context"
	"database/sql"
	"time"
)

// copyPause is the time between two copies.
const copyPause = time.Second

// copyBack copies the write-ahead log into the database while others write and
// read, on a connection of its own, so that no append has to wait for it. When
// it fails nothing is lost: the log just stays longer, and the writer, who then
// must copy it, says what is wrong.
func (s *sqlite) copyBack(ctx context.Context) {
	defer close(s.copied)
	db, err := sql.Open("sqlite", sqliteName(s.path, "_pragma=wal_autocheckpoint(0)"))
	if err != nil {
		return
	}
	defer db.Close() // it only copied
	db.SetMaxOpenConns(1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.grown:
		}
		if pause(ctx, copyPause) != nil {
			return
		}
		db.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)") // see above
	}
}
