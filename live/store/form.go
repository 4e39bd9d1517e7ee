package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
)

// The form of a store is the number of its last migration. One number stands for
// all of it: whoever changes what an entry or a snapshot contains adds a
// migration too, if only one that says why, so that the program of yesterday
// refuses the store before it has touched it.

// formVersions is the form in which entries have versions.
const formVersions = 3

// formLeader is the form in which the lead is a lease.
const formLeader = 4

// formArchives is the form in which parts of the log are in files.
const formArchives = 5

// Past is what is read of a store before it is brought to another form.
type Past interface {
	Log
	LatestSnapshot(ctx context.Context) (Snapshot, bool, error)
}

// PastCloser is the past of a store that is open for that alone.
type PastCloser interface {
	Past
	Jobs
	Txs
	// Inspect looks for damage in what the database keeps for itself.
	Inspect(ctx context.Context, say func(string)) error
	io.Closer
}

// BeforeUpgrade lets somebody look at a store of an older form as it is. Whoever
// finds that this program cannot read it says so before [Open] changes it, while
// the program that wrote it still can. A store that is not there, or has the form of
// this program, is not looked at.
func BeforeUpgrade(ctx context.Context, address string, look func(context.Context, Past) error) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	d, err := open(ctx, address, asItIs)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrForeign) {
		return nil // Open will make it, or say what is wrong
	}
	if err != nil {
		return err
	}
	if d.form < int64(len(steps)) {
		err = look(ctx, d)
	}
	if bad := d.Close(); err == nil {
		err = bad
	}
	if err != nil {
		return fmt.Errorf("the store %s was not changed: %w", Redact(address), err)
	}
	return nil
}

// Newer says that a store or a backup has a form that this program does not
// know. It is an [ErrNewer].
type Newer struct {
	What    string // "store" or "backup"
	Program string // the version that wrote it; empty: unknown
	Form    int64
	Knows   int64 // what this program reads
}

// Error says what to do.
func (n *Newer) Error() string {
	by := "a newer libra"
	if n.Program != "" {
		by = "libra " + n.Program
	}
	return fmt.Sprintf("this %s was written by %s (form %d); this program reads up to form %d: upgrade libra, or restore the backup made before the upgrade",
		n.What, by, n.Form, n.Knows)
}

// Unwrap is [ErrNewer].
func (n *Newer) Unwrap() error { return ErrNewer }

// Settings of the store's own.
const (
	generationMeta = "store.generation"
	programMeta    = "store.program" // that brought it to its form
	historyMeta    = "store.history" // of the server that it is on, as far as that tells
	tablesMeta     = "store.tables"  // what the server calls its tables: those of a dump are others
)

// Generation tells a store from all others, and from itself before it was
// restored from a backup: what the world outside was told since then is not in
// it. It is random and says nothing else.
func (d *database) Generation(ctx context.Context) (string, error) {
	id, found, err := d.Meta(ctx, generationMeta)
	if err == nil && !found {
		err = fmt.Errorf("generation: %w", ErrUnknown)
	}
	return id, err
}

// newGeneration begins another one.
func (d *database) newGeneration(ctx context.Context, tx *sql.Tx) error {
	return d.setMetaIn(ctx, tx, generationMeta, newName())
}

// newName is the name of a generation.
func newName() string { return rand.Text() }

// signIn says on a new store which it is, and on one whose form was changed by
// whom.
func (d *database) signIn(ctx context.Context, tx *sql.Tx, changed bool) error {
	var n int64
	if err := tx.QueryRowContext(ctx, d.q("SELECT count(*) FROM meta WHERE key = ?"), generationMeta).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		if err := d.newGeneration(ctx, tx); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return d.setMetaIn(ctx, tx, programMeta, programVersion())
}

func (d *database) setMetaIn(ctx context.Context, tx *sql.Tx, key, value string) error {
	_, err := tx.ExecContext(ctx, d.q("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"), key, value)
	return err
}

// newer is the refusal of a store with a form beyond those known.
func (d *database) newer(ctx context.Context, tx *sql.Tx, form, knows int64) error {
	n := &Newer{What: "store", Form: form, Knows: knows}
	err := tx.QueryRowContext(ctx, d.q("SELECT value FROM meta WHERE key = ?"), programMeta).Scan(&n.Program)
	if err != nil {
		n.Program = "" // it may have gone elsewhere by then: the rest is reason enough
	}
	return n
}

// programVersion is what the build says of itself.
func programVersion() string {
	about, ok := debug.ReadBuildInfo()
	if !ok || about.Main.Version == "" {
		return "(devel)"
	}
	return about.Main.Version
}
