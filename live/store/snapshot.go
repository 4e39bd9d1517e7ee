package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
)

const (
	snapshotPart = 1 << 20 // bytes of a snapshot that are written in one step
	snapshotKept = 2       // so that a damaged one does not cost the whole log to read
)

// SaveSnapshot writes a snapshot piece by piece and declares it done at the
// end. A snapshot that was never done is swept away by the next one.
func (d *database) SaveSnapshot(ctx context.Context, s Snapshot) error {
	err := checkKeys(s.Version)
	if err == nil {
		err = acquire(ctx, d.saving)
	}
	if err != nil {
		return fmt.Errorf("save snapshot: %w", err)
	}
	defer func() { <-d.saving }()
	if err := d.saveSnapshot(ctx, s); err != nil {
		return fmt.Errorf("save snapshot: %w", err)
	}
	return nil
}

func (d *database) saveSnapshot(ctx context.Context, s Snapshot) error {
	if _, err := d.exec(ctx, "DELETE FROM snapshots WHERE done = 0"); err != nil {
		return err
	}
	if err := d.sweepParts(ctx); err != nil {
		return err
	}
	var id int64
	if _, err := d.row(ctx, "SELECT coalesce(max(id), 0) + 1 FROM snapshots", nil, []any{&id}); err != nil {
		return err
	}
	digest := sha256.Sum256(s.Body)
	if _, err := d.exec(ctx, "INSERT INTO snapshots (id, seq, at, version, digest, done) VALUES (?, ?, ?, ?, ?, 0)",
		id, s.Seq, s.At, s.Version, digest[:]); err != nil {
		return err
	}
	n := 0
	for part := range slices.Chunk(s.Body, snapshotPart) {
		if _, err := d.exec(ctx, "INSERT INTO snapshot_parts (snapshot, n, body) VALUES (?, ?, ?)", id, n, part); err != nil {
			return err
		}
		n++
	}
	err := d.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, d.q("UPDATE snapshots SET done = 1 WHERE id = ?"), id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, d.q("DELETE FROM snapshots WHERE id NOT IN"+
			" (SELECT id FROM snapshots WHERE done = 1 ORDER BY seq DESC, id DESC LIMIT ?)"), snapshotKept)
		return err
	})
	if err != nil {
		return d.explain(err)
	}
	return d.sweepParts(ctx)
}

// sweepParts drops the pieces of snapshots that are no more, one at a time:
// freeing a large piece takes a while, and appends wait meanwhile.
func (d *database) sweepParts(ctx context.Context) error {
	for {
		n, err := d.exec(ctx, "DELETE FROM snapshot_parts WHERE (snapshot, n) IN (SELECT snapshot, n FROM snapshot_parts"+
			" WHERE snapshot NOT IN (SELECT id FROM snapshots) LIMIT 1)")
		if err != nil || n == 0 {
			return err
		}
	}
}

// LatestSnapshot reads the newest snapshot whose pieces make the whole that was
// saved.
func (d *database) LatestSnapshot(ctx context.Context) (Snapshot, bool, error) {
	var latest Snapshot
	found := false
	err := d.view(ctx, func(tx *sql.Tx) error {
		var ids []int64
		var kept []Snapshot
		var digests [][]byte
		err := d.each(ctx, tx, "SELECT id, seq, at, version, digest FROM snapshots WHERE done = 1 ORDER BY seq DESC, id DESC", nil,
			func(rows *sql.Rows) error {
				var id int64
				var s Snapshot
				var digest []byte
				err := rows.Scan(&id, &s.Seq, &s.At, &s.Version, &digest)
				ids, kept, digests = append(ids, id), append(kept, s), append(digests, digest)
				return err
			})
		if err != nil {
			return err
		}
		for i, id := range ids {
			body, err := d.snapshotBody(ctx, tx, id)
			if err != nil {
				return err
			}
			if digest := sha256.Sum256(body); bytes.Equal(digest[:], digests[i]) {
				latest, found = kept[i], true
				latest.Body = none(body)
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return Snapshot{}, false, fmt.Errorf("latest snapshot: %w", err)
	}
	return latest, found, nil
}

func (d *database) snapshotBody(ctx context.Context, on querier, id int64) ([]byte, error) {
	var body []byte
	err := d.each(ctx, on, "SELECT body FROM snapshot_parts WHERE snapshot = ? ORDER BY n", []any{id},
		func(rows *sql.Rows) error {
			var part sql.RawBytes
			err := rows.Scan(&part)
			body = append(body, part...)
			return err
		})
	return body, err
}
