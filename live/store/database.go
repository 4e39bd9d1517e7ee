package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// database is a store over SQL. What the two databases do each in its own way
// is behind engine; what they only spell differently is in the dialect.
type database struct {
	dialect
	engine engine
	reads  *sql.DB
	form   int64 // of the tables

	turn  chan struct{} // one append at a time
	known *head         // nil: must be asked for; guarded by turn

	// term is that of the lead which this store took last: all that it writes is
	// written under it, or not. 0: it never led, and is asked for nothing.
	term atomic.Int64

	saving chan struct{} // one snapshot at a time

	mu     sync.Mutex
	leases map[*lease]bool
	latest *lease // that it took last
	closed bool
}

// engine is a database as the rest of the package needs it.
type engine interface {
	// fence moves the fence by one, so that no append which is still on its
	// way can arrive after this, and says where the log ends. If the lead is of
	// another term, that is an ErrDeposed; 0: whoever leads.
	fence(ctx context.Context, term int64) (head, error)
	// write makes the work durable if the head is still at the given fence and
	// term, else it is errStale. If it cannot be said whether the work was written,
	// that is an ErrUncertain.
	write(ctx context.Context, w *work, from head) error
	// change runs a small transaction.
	change(ctx context.Context, do func(*sql.Tx) error) error
	// led says in a *Taken that a controller leads a store of a form.
	led(ctx context.Context, tx *sql.Tx, form int64) error
	// claim starts to compete for the lead.
	claim(ctx context.Context, d *database) (claim, error)
	// explain gives an error of the database the sentinel it deserves.
	explain(err error) error
	close() error
}

// dialect is what the two databases spell differently.
type dialect struct {
	words     *strings.Replacer // of the migrations
	numbered  bool              // arguments are $1, $2 and not ?
	among     string            // %s is in a list given as one argument
	list      func([]int64) any // such an argument
	contains  string            // %s contains a text
	integrity string            // says what is wrong with the file, in lines, or ok; "": nobody can
	reading   sql.TxOptions     // several reads that see one state
	lock      string            // keeps another process from migrating too
	foreign   string            // counts tables in a database that is not ours
	present   string            // counts tables that record our migrations
	shared    string            // after a SELECT: the row stays as it is until the transaction ends

	tightening []string // statements that make room where rows have become smaller; nil: there is
}

// head is where the log ends.
type head struct {
	seq   int64
	hash  []byte // nil before the first entry
	fence int64
	term  int64
}

func newDatabase(d dialect, e engine, reads *sql.DB) *database {
	return &database{
		dialect: d, engine: e, reads: reads,
		turn: make(chan struct{}, 1), saving: make(chan struct{}, 1),
		leases: make(map[*lease]bool),
	}
}

// q spells a statement, written with question marks, for this database.
func (d *dialect) q(statement string) string {
	if !d.numbered {
		return statement
	}
	var out strings.Builder
	out.Grow(len(statement) + 16)
	n := 0
	for part := range strings.SplitSeq(statement, "?") {
		if n > 0 {
			out.WriteString("$" + strconv.Itoa(n))
		}
		out.WriteString(part)
		n++
	}
	return out.String()
}

// acquire waits for the one place in a channel.
func acquire(ctx context.Context, place chan struct{}) error {
	if err := ctx.Err(); err != nil { // also if the place is free
		return err
	}
	select {
	case place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// explain gives an error of the database the sentinel it deserves.
func (d *database) explain(err error) error {
	if err == nil || explained(err) {
		return err
	}
	if d.isClosed() {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return d.engine.explain(err)
}

func (d *database) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// row reads at most one row.
func (d *database) row(ctx context.Context, statement string, args, into []any) (bool, error) {
	err := d.reads.QueryRowContext(ctx, d.q(statement), args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, d.explain(err)
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each reads rows one after the other.
func (d *database) each(ctx context.Context, on querier, statement string, args []any, see func(*sql.Rows) error) error {
	rows, err := on.QueryContext(ctx, d.q(statement), args...)
	if err != nil {
		return d.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := see(rows); err != nil {
			return err
		}
	}
	return d.explain(rows.Err())
}

// view runs several reads that see one state of the database.
func (d *database) view(ctx context.Context, look func(*sql.Tx) error) error {
	tx, err := d.reads.BeginTx(ctx, &d.reading)
	if err != nil {
		return d.explain(err)
	}
	defer tx.Rollback() // nothing was written
	return look(tx)
}

// change runs a small transaction, under the term of this store's lead. That is
// asked last: appends wait for whoever has asked.
func (d *database) change(ctx context.Context, do func(*sql.Tx) error) error {
	return d.engine.change(ctx, func(tx *sql.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		term := d.term.Load()
		if term == 0 {
			return nil
		}
		var one int64
		err := tx.QueryRowContext(ctx, d.q("SELECT one FROM head WHERE term = ?")+d.shared, term).Scan(&one)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrDeposed
		}
		return err
	})
}

// exec is a change of one statement; it says how many rows it touched.
func (d *database) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	var n int64
	err := d.change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, d.q(statement), args...)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, d.explain(err)
}

// head reads where the log ends without moving the fence.
func (d *database) head(ctx context.Context) (head, error) {
	var h head
	_, err := d.row(ctx, "SELECT seq, hash, fence FROM head", nil, []any{&h.seq, &h.hash, &h.fence})
	return h, err
}

// Close gives up the lead and closes the database.
func (d *database) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	leases := d.leases
	d.leases = nil
	d.mu.Unlock()
	for l := range leases {
		l.end()
	}
	if err := d.engine.close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// maxKey is the longest text, in bytes, that names or groups something. Three
// of them fit into one line of an index of PostgreSQL.
const maxKey = 800

// checkKeys says what is wrong with texts that are looked up.
func checkKeys(texts ...string) error {
	for _, s := range texts {
		if len(s) > maxKey {
			return fmt.Errorf("%w: %.20q... is %d bytes long (at most %d)", ErrInvalid, s, len(s), maxKey)
		}
	}
	return checkTexts(texts...)
}

// checkTexts says what is wrong with texts: PostgreSQL takes only UTF-8 without
// zero bytes, and so SQLite here takes nothing else either.
func checkTexts(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return fmt.Errorf("%w: %.40q is not text in UTF-8 without zero bytes", ErrInvalid, s)
		}
	}
	return nil
}

// some is never nil, because the columns are NOT NULL.
func some(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// none is nil where there is nothing, whichever way the database says so.
func none(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}
