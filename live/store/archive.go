package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Archive is a part of the log that is in a file.
type Archive struct {
	First, Last     int64  // entries
	FirstAt, LastAt int64  // their times
	Hash            []byte // of the last entry
	File            string // its name, without the directory
	Size            int64
	Digest          []byte // SHA-256 of the file
	Index           int64  // where in the file it is said where what is
}

// Shed is what leaves the store in one step once it is in an archive.
type Shed struct {
	UpTo  int64 // entries up to this one
	Specs []Moved
	Jobs  []int64 // whose rows are packed: nobody will change them any more
	Txs   []int64 // that are packed
}

// Moved is a spec that is in an archive, byte by byte, and what stays of it. One that
// is another, or of a job that has not ended, is left as it is.
type Moved struct {
	Job     int64
	Was, Is []byte
}

// ErrArchived is a question for entries that are in archives, and not in the store.
var ErrArchived = errors.New("these entries of the log are in archive files")

// Archived lists the parts of the log that are in files.
func (d *database) Archived(ctx context.Context) ([]Archive, error) {
	if d.form < formArchives {
		return nil, nil
	}
	all, err := d.archivedIn(ctx, d.reads)
	if err != nil {
		return nil, fmt.Errorf("archives: %w", err)
	}
	return all, nil
}

func (d *database) archivedIn(ctx context.Context, on querier) ([]Archive, error) {
	var all []Archive
	err := d.each(ctx, on, "SELECT first, last, first_at, last_at, hash, file, size, digest, index_at FROM archives ORDER BY first", nil,
		func(rows *sql.Rows) error {
			var a Archive
			err := rows.Scan(&a.First, &a.Last, &a.FirstAt, &a.LastAt, &a.Hash, &a.File, &a.Size, &a.Digest, &a.Index)
			all = append(all, a)
			return err
		})
	if err != nil {
		return nil, err
	}
	return all, unbroken(all)
}

// unbroken says where archives do not follow one another.
func unbroken(all []Archive) error {
	next := int64(1)
	for i := range all {
		if all[i].First != next || all[i].Last < next {
			return &BrokenChain{Seq: next, Why: fmt.Sprintf("the next archive, %s, has entries %d to %d", all[i].File, all[i].First, all[i].Last)}
		}
		next = all[i].Last + 1
	}
	return nil
}

// checkpoint is where the log in the store goes on: after the last archive.
func checkpoint(all []Archive) (last int64, hash []byte) {
	if n := len(all); n > 0 {
		return all[n-1].Last, all[n-1].Hash
	}
	return 0, nil
}

// Unread is the last entry that is not in the store.
func (d *database) Unread(ctx context.Context) (int64, error) {
	all, err := d.Archived(ctx)
	last, _ := checkpoint(all)
	return last, err
}

// Needed is the first entry that a start may read: that of the older snapshot, on
// which those after it stand. 1: there is no snapshot.
func (d *database) Needed(ctx context.Context) (int64, error) {
	var first int64
	if _, err := d.row(ctx, neededEntry, nil, []any{&first}); err != nil {
		return 0, fmt.Errorf("first entry needed: %w", err)
	}
	return first, nil
}

const neededEntry = "SELECT coalesce(min(seq), 1) FROM snapshots WHERE done = 1"

// Oldest is the first entry that is in the store.
func (d *database) Oldest(ctx context.Context) (int64, error) {
	var first int64
	if _, err := d.row(ctx, "SELECT coalesce(min(seq), 0) FROM log", nil, []any{&first}); err != nil {
		return 0, fmt.Errorf("oldest entry: %w", err)
	}
	return first, nil
}

// AddArchive records that a part of the log is in a file.
func (d *database) AddArchive(ctx context.Context, a Archive) error {
	err := checkKeys(a.File)
	if err == nil {
		err = d.change(ctx, func(tx *sql.Tx) error { return d.addArchive(ctx, tx, &a) })
	}
	if err != nil {
		return fmt.Errorf("add archive %s: %w", a.File, d.explain(err))
	}
	return nil
}

func (d *database) addArchive(ctx context.Context, tx *sql.Tx, a *Archive) error {
	var last, needed int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(last), 0) FROM archives").Scan(&last); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, neededEntry).Scan(&needed); err != nil {
		return err
	}
	var hash []byte
	err := tx.QueryRowContext(ctx, d.q("SELECT hash FROM log WHERE seq = ?"), a.Last).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if err != nil {
		return err
	}
	if err = a.follows(last, needed, hash); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, d.q("INSERT INTO archives (first, last, first_at, last_at, hash, file, size, digest, index_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
		a.First, a.Last, a.FirstAt, a.LastAt, some(a.Hash), a.File, a.Size, some(a.Digest), a.Index)
	return err
}

// follows refuses an archive that is not the next one, or that has other entries
// than the store, or entries that a start may read.
func (a *Archive) follows(last, needed int64, hash []byte) error {
	switch {
	case a.First != last+1:
		return fmt.Errorf("%w: entries up to %d are archived, and %d does not follow", ErrConflict, last, a.First)
	case a.Last < a.First || a.Last >= needed:
		return fmt.Errorf("%w: it has entries %d to %d, and a start may read %d", ErrInvalid, a.First, a.Last, needed)
	case string(hash) != string(a.Hash):
		return fmt.Errorf("%w: entry %d is another one in the store", ErrInvalid, a.Last)
	}
	return nil
}

// Shed removes entries that are in an archive, and what goes with them. What is to be
// packed is read and packed before anybody has to wait, and kept as it is if somebody
// has changed it meanwhile.
func (d *database) Shed(ctx context.Context, s Shed) error {
	jobs, err := d.packJobs(ctx, s.Jobs)
	if err != nil {
		return fmt.Errorf("shed: %w", err)
	}
	txs, err := d.packTxs(ctx, s.Txs)
	if err != nil {
		return fmt.Errorf("shed: %w", err)
	}
	specs := make([]repacked, len(s.Specs))
	for i, m := range s.Specs {
		specs[i] = repacked{m.Job, []any{m.Is, m.Job, m.Was}}
	}
	if err = d.change(ctx, func(tx *sql.Tx) error { return d.shed(ctx, tx, s.UpTo, specs, jobs, txs) }); err != nil {
		return fmt.Errorf("shed: %w", d.explain(err))
	}
	return nil
}

func (d *database) shed(ctx context.Context, tx *sql.Tx, upTo int64, specs, jobs, txs []repacked) error {
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(last), 0) FROM archives").Scan(&last); err != nil {
		return err
	}
	if upTo > last {
		return fmt.Errorf("%w: entry %d is in no archive", ErrInvalid, upTo)
	}
	if _, err := tx.ExecContext(ctx, d.q("DELETE FROM log WHERE seq <= ?"), upTo); err != nil {
		return err
	}
	for _, some := range []struct {
		table, key string
		statement  string
		rows       []repacked
	}{
		{"job_specs", "id", "UPDATE job_specs SET spec = ? WHERE id = ? AND spec = ? AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = job_specs.id AND j.ended <> 0)", specs},
		{"jobs", "id", "UPDATE jobs SET body = ? WHERE id = ? AND body = ?", jobs},
		{"txs", "seq", "UPDATE txs SET body = ?, postings = ? WHERE seq = ? AND body = ?", txs},
	} {
		if err := d.replace(ctx, tx, some.statement, some.rows); err != nil {
			return err
		}
		if err := d.tighten(ctx, tx, some.table, some.key, some.rows); err != nil {
			return err
		}
	}
	return nil
}

// repacked is a row whose columns are replaced.
type repacked struct {
	key  int64
	args []any
}

func (d *database) replace(ctx context.Context, tx *sql.Tx, statement string, rows []repacked) error {
	if len(rows) == 0 {
		return nil
	}
	prepared, err := tx.PrepareContext(ctx, d.q(statement))
	if err != nil {
		return err
	}
	defer prepared.Close()
	for i := range rows {
		if _, err := prepared.ExecContext(ctx, rows[i].args...); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) packJobs(ctx context.Context, ids []int64) ([]repacked, error) {
	var rows []repacked
	if len(ids) == 0 {
		return nil, nil
	}
	err := d.each(ctx, d.reads, "SELECT id, body FROM jobs WHERE "+fmt.Sprintf(d.among, "id"), []any{d.list(ids)}, func(r *sql.Rows) error {
		var id int64
		var body []byte
		if err := r.Scan(&id, &body); err != nil {
			return err
		}
		if small, worth := pack(body); worth {
			rows = append(rows, repacked{id, []any{small, id, body}})
		}
		return nil
	})
	return rows, err
}

func (d *database) packTxs(ctx context.Context, seqs []int64) ([]repacked, error) {
	var rows []repacked
	if len(seqs) == 0 {
		return nil, nil
	}
	err := d.each(ctx, d.reads, "SELECT seq, body, postings FROM txs WHERE "+fmt.Sprintf(d.among, "seq"), []any{d.list(seqs)}, func(r *sql.Rows) error {
		var seq int64
		var body, postings []byte
		if err := r.Scan(&seq, &body, &postings); err != nil {
			return err
		}
		if small, worth := packPair(body, postings); worth {
			rows = append(rows, repacked{seq, []any{small, []byte{}, seq, body}})
		}
		return nil
	})
	return rows, err
}
