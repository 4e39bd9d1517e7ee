package store

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strings"
)

// A backup is a gzip stream of lines of JSON:
//
//	{"libra":"backup", ...}                          what it is: Backup
//	{"table":"log","columns":["seq",...],"rows":3}   then as many rows, each a list
//	...                                              more tables
//	{"end":true,"rows":N,"sha256":"..."}             of all bytes before this line
//
// It belongs to no database: one of SQLite restores into PostgreSQL and the
// other way round.
const (
	backupMagic = "backup"
	backupForm  = 1 // of the file
)

// Backup says what a backup holds: it is its first line.
type Backup struct {
	Libra      string           `json:"libra"` // always "backup"
	File       int              `json:"file"`  // form of the file
	Form       int64            `json:"form"`  // form of the store
	Program    string           `json:"program"`
	AtUS       int64            `json:"at_us"` // unix
	Generation string           `json:"generation,omitempty"`
	LastSeq    int64            `json:"last_seq"` // end of the log
	LastHash   string           `json:"last_hash,omitempty"`
	Rows       map[string]int64 `json:"rows"` // by table
	// Archives are the files that belong to it: entries of the log are in them, and
	// not in the backup.
	Archives []string `json:"archives,omitempty"`
}

// Total counts the rows of all tables.
func (b *Backup) Total() int64 {
	var n int64
	for _, rows := range b.Rows {
		n += rows
	}
	return n
}

type section struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
}

type trailer struct {
	End  bool   `json:"end"`
	Rows int64  `json:"rows"`
	Sum  string `json:"sha256"`
}

// Watch hears how many rows of how many are done.
type Watch func(done, total int64)

// Save writes a backup of the store at an address: one state of it, whatever is
// written meanwhile. The store is not changed, not even to the form of this
// program, so a backup can be made before an upgrade. at is the time to note in
// it, in microseconds since 1970.
func Save(ctx context.Context, address string, to io.Writer, at int64, watch Watch) (Backup, error) {
	d, err := open(ctx, address, asItIs)
	if err != nil {
		return Backup{}, err
	}
	defer d.Close() // nothing was written
	var b Backup
	err = d.view(ctx, func(tx *sql.Tx) error {
		var bad error
		b, bad = d.save(ctx, tx, to, at, watch)
		return bad
	})
	if err != nil {
		return b, fmt.Errorf("back up %s: %w", Redact(address), d.explain(err))
	}
	return b, nil
}

func (d *database) save(ctx context.Context, tx *sql.Tx, to io.Writer, at int64, watch Watch) (Backup, error) {
	b, err := d.describe(ctx, tx, at)
	if err != nil {
		return b, err
	}
	packed := gzip.NewWriter(to)
	w := &backupWriter{out: bufio.NewWriterSize(packed, 1<<16), sum: sha256.New(), total: b.Total(), watch: watch}
	if err := w.line(&b); err != nil {
		return b, err
	}
	for i := range backupTables {
		if t := &backupTables[i]; t.since <= b.Form {
			if err := d.saveTable(ctx, tx, t, &b, w); err != nil {
				return b, fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	if err := w.line(trailer{End: true, Rows: w.done, Sum: hex.EncodeToString(w.sum.Sum(nil))}); err != nil {
		return b, err
	}
	if err := w.out.Flush(); err != nil {
		return b, err
	}
	return b, packed.Close()
}

// describe is the first line.
func (d *database) describe(ctx context.Context, tx *sql.Tx, at int64) (Backup, error) {
	b := Backup{Libra: backupMagic, File: backupForm, Program: programVersion(), AtUS: at, Rows: map[string]int64{}}
	if err := tx.QueryRowContext(ctx, "SELECT max(version) FROM libra_migrations").Scan(&b.Form); err != nil {
		return b, err
	}
	var last []byte
	if err := tx.QueryRowContext(ctx, "SELECT seq, hash FROM head").Scan(&b.LastSeq, &last); err != nil {
		return b, err
	}
	b.LastHash = hex.EncodeToString(last)
	err := d.each(ctx, tx, "SELECT value FROM meta WHERE key = ?", []any{generationMeta}, func(rows *sql.Rows) error {
		return rows.Scan(&b.Generation)
	})
	if err != nil {
		return b, err
	}
	if b.Form >= formArchives {
		all, bad := d.archivedIn(ctx, tx)
		if bad != nil {
			return b, bad
		}
		for i := range all {
			b.Archives = append(b.Archives, all[i].File)
		}
	}
	for i := range backupTables {
		t := &backupTables[i]
		if t.since > b.Form {
			continue
		}
		var n int64
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+t.from()).Scan(&n); err != nil {
			return b, err
		}
		b.Rows[t.name] = n
	}
	return b, nil
}

func (t *table) from() string {
	if t.where == "" {
		return t.name
	}
	return t.name + " WHERE " + t.where
}

func (d *database) saveTable(ctx context.Context, tx *sql.Tx, t *table, b *Backup, w *backupWriter) error {
	s := section{Table: t.name, Rows: b.Rows[t.name]}
	var kinds []kind
	for _, f := range t.fields {
		if f.since <= b.Form {
			s.Columns, kinds = append(s.Columns, f.name), append(kinds, f.kind)
		}
	}
	if err := w.line(&s); err != nil {
		return err
	}
	values := newValues(kinds)
	var line []byte
	return d.each(ctx, tx, "SELECT "+strings.Join(s.Columns, ", ")+" FROM "+t.from()+" ORDER BY "+t.order, nil, func(rows *sql.Rows) error {
		if err := rows.Scan(values.into...); err != nil {
			return err
		}
		line = append(line[:0], '[')
		for i, k := range kinds {
			if i > 0 {
				line = append(line, ',')
			}
			var err error
			if line, err = appendValue(line, k, values.at(i)); err != nil {
				return err
			}
		}
		return w.row(append(line, "]\n"...))
	})
}

// values are the columns of a row while it is read.
type values struct{ into []any }

func newValues(kinds []kind) *values {
	v := &values{}
	for _, k := range kinds {
		switch k {
		case number64:
			v.into = append(v.into, new(int64))
		case words:
			v.into = append(v.into, new(string))
		default:
			v.into = append(v.into, new([]byte))
		}
	}
	return v
}

func (v *values) at(i int) any {
	switch p := v.into[i].(type) {
	case *int64:
		return *p
	case *string:
		return *p
	case *[]byte:
		return *p
	}
	return nil
}

// backupWriter writes lines and adds them up.
type backupWriter struct {
	out         *bufio.Writer
	sum         hash.Hash
	done, total int64
	watch       Watch
}

func (w *backupWriter) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.write(append(text, '\n'))
}

func (w *backupWriter) row(line []byte) error {
	w.done++
	if w.watch != nil {
		w.watch(w.done, w.total)
	}
	return w.write(line)
}

func (w *backupWriter) write(line []byte) error {
	w.sum.Write(line)
	_, err := w.out.Write(line)
	return err
}
