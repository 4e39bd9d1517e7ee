package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// How much goes into one statement at most: rows, and by more than one row,
// bytes.
const (
	loadRows  = 100
	loadBytes = 1 << 20
)

// loader writes the tables of a backup.
type loader struct {
	d     *database
	tx    *sql.Tx
	from  *BackupReader
	watch Watch
	total int64
}

// tables writes all there is in the file.
func (l *loader) tables(ctx context.Context) error {
	seen := map[string]bool{}
	for {
		s, more, err := l.from.section()
		if err != nil || !more {
			return err
		}
		at := slices.IndexFunc(backupTables, func(t table) bool { return t.name == s.Table })
		if at < 0 || seen[s.Table] || s.Rows != l.from.About.Rows[s.Table] {
			return fmt.Errorf("%w: table %q is not one it should have there", ErrBadBackup, s.Table)
		}
		seen[s.Table] = true
		if err := l.table(ctx, &backupTables[at], &s); err != nil {
			return fmt.Errorf("%s: %w", s.Table, err)
		}
	}
}

// table writes the rows of one. Columns that the file does not have, because it
// is older than they are, get what rows from before have.
func (l *loader) table(ctx context.Context, t *table, s *section) error {
	place := make([]int, len(t.fields)) // of each column in the rows of the file
	for i, f := range t.fields {
		place[i] = slices.Index(s.Columns, f.name)
		if place[i] < 0 && f.instead == nil {
			return fmt.Errorf("%w: it has no column %s", ErrBadBackup, f.name)
		}
	}
	rows := l.into(t.name, names(t.fields)...)
	touched := l.into("tx_accounts", "account", "tx")
	for range s.Rows {
		read, err := l.from.row(len(s.Columns))
		if err != nil {
			return err
		}
		row := make([]any, len(t.fields))
		for i, f := range t.fields {
			if place[i] < 0 {
				row[i] = f.instead
			} else if row[i], err = parseValue(f.kind, read[place[i]]); err != nil {
				return fmt.Errorf("%w: column %s of row %d: %w", ErrBadBackup, f.name, l.from.rows, err)
			}
		}
		if err := rows.add(ctx, row...); err != nil {
			return err
		}
		if t.name == "txs" {
			if err := touchAll(ctx, touched, row); err != nil {
				return err
			}
		}
		if l.watch != nil {
			l.watch(l.from.rows, l.total)
		}
	}
	if err := rows.flush(ctx); err != nil {
		return err
	}
	return touched.flush(ctx)
}

func names(fields []field) []string {
	all := make([]string, len(fields))
	for i := range fields {
		all[i] = fields[i].name
	}
	return all
}

// touchAll says which accounts a transaction touches. The first and the last two columns
// of its row are its number, its body and its postings.
func touchAll(ctx context.Context, to *inserts, row []any) error {
	seq, text := row[0].(int64), row[len(row)-1].([]byte)
	if len(text) == 0 { // they are packed with the body
		var err error
		if _, text, err = unpackPair(row[len(row)-2].([]byte)); err != nil {
			return fmt.Errorf("%w: transaction %d: %w", ErrBadBackup, seq, err)
		}
	}
	var postings []Posting
	if err := json.Unmarshal(text, &postings); err != nil {
		return fmt.Errorf("%w: postings of %d: %w", ErrBadBackup, seq, err)
	}
	accounts := make([]string, len(postings))
	for i := range postings {
		accounts[i] = postings[i].Account
	}
	slices.Sort(accounts)
	for _, account := range slices.Compact(accounts) {
		if err := to.add(ctx, account, seq); err != nil {
			return err
		}
	}
	return nil
}

// inserts gathers rows for one table: one statement for many is several times
// faster where each is a way to a server and back.
type inserts struct {
	l     *loader
	table string
	names []string
	args  []any
	bytes int
}

func (l *loader) into(table string, columns ...string) *inserts {
	return &inserts{l: l, table: table, names: columns}
}

func (n *inserts) add(ctx context.Context, row ...any) error {
	n.args = append(n.args, row...)
	for _, v := range row {
		if b, ok := v.([]byte); ok {
			n.bytes += len(b)
		}
	}
	if len(n.args) >= loadRows*len(n.names) || n.bytes >= loadBytes {
		return n.flush(ctx)
	}
	return nil
}

func (n *inserts) flush(ctx context.Context) error {
	if len(n.args) == 0 {
		return nil
	}
	one := "(?" + strings.Repeat(", ?", len(n.names)-1) + ")"
	_, err := n.l.tx.ExecContext(ctx, n.l.d.q("INSERT INTO "+n.table+" ("+strings.Join(n.names, ", ")+") VALUES "+
		one+strings.Repeat(", "+one, len(n.args)/len(n.names)-1)), n.args...)
	n.args, n.bytes = n.args[:0], 0
	return err
}
