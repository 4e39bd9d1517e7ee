package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	sqliteReaders = 4
	// walPages is how long the write-ahead log gets, in pages of 4 KiB, before
	// the writer itself copies it into the database. Mostly that has been done
	// behind its back by then; see copyBack.
	walPages = 16384
	// walKept is how much of its file stays when it starts over, in bytes.
	walKept = walPages * 4096
)

// sqlite is a database in a file. One connection writes and others read, which
// in this mode of SQLite never wait for it.
type sqlite struct {
	path   string
	writes *sql.DB
	reads  *sql.DB
	turn   chan struct{} // the one writer
	writer *sqliteWriter // nil: to be opened; guarded by turn
	ends   *os.File      // where the end of the log is noted; nil: to be opened; guarded by turn

	grown  chan struct{} // something was written since the last copy
	stop   context.CancelFunc
	copied chan struct{} // closed when nobody copies any more
}

func openSQLite(ctx context.Context, path string, how manner) (*database, error) {
	if path == "" || path == ":memory:" {
		return nil, fmt.Errorf("%w: it names no file", ErrAddress)
	}
	path, err := filepath.Abs(path)
	if err == nil && how == asItIs {
		_, err = os.Stat(path)
	}
	if err == nil {
		err = prepareFile(path, how)
	}
	if err != nil {
		return nil, err
	}
	writes := []string{
		"_txlock=immediate", "_pragma=journal_mode(WAL)",
		"_pragma=cache_size(-32768)", fmt.Sprintf("_pragma=wal_autocheckpoint(%d)", walPages),
		fmt.Sprintf("_pragma=journal_size_limit(%d)", walKept),
	}
	if how == asItIs { // whoever may write turns the file into one of this mode, and copies the log of a killed market into it
		writes = []string{"mode=ro"}
	}
	copying, stop := context.WithCancel(context.Background())
	s := &sqlite{
		path: path, turn: make(chan struct{}, 1),
		grown: make(chan struct{}, 1), stop: stop, copied: make(chan struct{}),
	}
	s.writes, err = sql.Open("sqlite", sqliteName(path, writes...))
	if err != nil {
		stop()
		return nil, err
	}
	s.writes.SetMaxOpenConns(1)
	s.reads, err = sql.Open("sqlite", sqliteName(path, "mode=ro", "_pragma=cache_size(-8192)"))
	if err != nil {
		stop()
		return nil, errors.Join(err, s.writes.Close())
	}
	go s.copyBack(copying)
	s.reads.SetMaxOpenConns(sqliteReaders)
	s.reads.SetMaxIdleConns(sqliteReaders)
	d := newDatabase(sqliteDialect(), s, s.reads)
	if err := s.start(ctx, d, how); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// start checks that the file is a database that can be used as one.
func (s *sqlite) start(ctx context.Context, d *database, how manner) error {
	var mode string
	if err := whileBusy(ctx, func() error {
		return s.writes.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode)
	}); err != nil {
		return s.explain(err)
	}
	if mode != "wal" && how != asItIs {
		return fmt.Errorf("%w: its file system has no write-ahead log (journal mode %s)", ErrReadOnly, mode)
	}
	return whileBusy(ctx, func() error { return d.settleForm(ctx, how) })
}

// whileBusy does something again as long as others are in its way. SQLite does not wait for
// them where one of two has to give way, as when both turn a new file into one with a write-ahead
// log, and not for ever where one stands still in the middle of something.
func whileBusy(ctx context.Context, do func() error) error {
	for begun, wait := sinceBoot(), time.Millisecond; ; wait = min(2*wait, sqlitePause) {
		err := do()
		if !sqliteBusy(err) || sinceBoot()-begun > sqlitePatience {
			return err
		}
		if err = pause(ctx, wait); err != nil {
			return err
		}
	}
}

// sqlitePatience bounds how long one waits for others who open the same file, and sqlitePause
// how long until one asks again.
const (
	sqlitePatience = 30 * time.Second
	sqlitePause    = 200 * time.Millisecond
)

// sqliteName is the name of a database as the driver takes it.
func sqliteName(path string, options ...string) string {
	for _, p := range sqlitePragmas {
		options = append(options, "_pragma="+p)
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: strings.Join(options, "&")}).String()
}

// prepareFile makes an empty file for a new database, for its owner alone, and
// says in plain words what SQLite would say in none. It never opens a file that
// exists: closing it again would drop the locks this process has on it.
func prepareFile(path string, how manner) error {
	dir := filepath.Dir(path)
	at, err := os.Stat(path)
	if why := missing(path, at, err, how); why != nil {
		// What is beside it may be of somebody who has made it since.
		if at, err = os.Stat(path); missing(path, at, err, how) != nil {
			return why
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeFile(path, dir)
	case err != nil:
		return err
	case !at.Mode().IsRegular():
		return fmt.Errorf("%w: it is a %s", ErrNotDatabase, modeWord(at.Mode()))
	}
	if err := unix.Access(path, unix.R_OK|unix.W_OK); err != nil {
		return explainFile(&fs.PathError{Op: "write", Path: path, Err: err})
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return explainFile(&fs.PathError{Op: "write into", Path: dir, Err: err})
	}
	return nil
}

// missing says that there was a database in a file that is gone, or empty.
func missing(path string, at os.FileInfo, err error, how manner) error {
	gone := errors.Is(err, fs.ErrNotExist)
	if left, bad := os.Stat(path + "-wal"); gone && bad == nil && left.Size() > 0 {
		return fmt.Errorf("%w: its file is gone, and what was written last (%s-wal) is there; %s", ErrDamaged, path, Advice)
	}
	if how != upToDate || !wasLed(path) {
		return nil
	}
	switch {
	case gone:
		return fmt.Errorf("%w: a market ran on it, and its file is gone; %s. For a new market: remove %s.lock", ErrDamaged, Advice, path)
	case err == nil && at.Mode().IsRegular() && at.Size() == 0:
		return fmt.Errorf("%w: a market ran on it, and its file is empty; %s. For a new market: remove %s.lock", ErrDamaged, Advice, path)
	}
	return nil
}

func makeFile(path, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("its directory: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) { // somebody else was faster
		return nil
	}
	if err != nil {
		return explainFile(err)
	}
	return file.Close()
}

// wasLed reports whether a market has run on a file: the lock of one stays.
func wasLed(path string) bool {
	lock, err := os.Stat(path + ".lock")
	if err != nil || lock.Size() == 0 {
		return false
	}
	log, err := os.Stat(path + "-wal")
	return err != nil || log.Size() == 0 // else all there is may be in there still
}

func modeWord(m fs.FileMode) string {
	if m.IsDir() {
		return "directory"
	}
	return "special file"
}

// explainFile gives an error of the file system the sentinel it deserves.
func explainFile(err error) error {
	switch {
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// change runs a small transaction on the connection that writes.
func (s *sqlite) change(ctx context.Context, do func(*sql.Tx) error) error {
	return s.writing(ctx, func(w *sqliteWriter) error { return w.change(ctx, do) })
}

// writing lends the connection that writes. After an error that SQLite did not
// foresee it is opened anew next time.
func (s *sqlite) writing(ctx context.Context, do func(*sqliteWriter) error) error {
	if err := acquire(ctx, s.turn); err != nil {
		return err
	}
	defer func() { <-s.turn }()
	if s.writer == nil {
		w, err := newSQLiteWriter(ctx, s.writes)
		if err != nil {
			return err
		}
		s.writer = w
	}
	err := do(s.writer)
	if err != nil && !s.sound(err) {
		s.writer.close()
		s.writer = nil
	}
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return err
}

func (s *sqlite) close() error {
	s.stop()
	<-s.copied
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.writer != nil {
		s.writer.close()
		s.writer = nil
	}
	if s.ends != nil {
		s.ends.Close() // all was written at once
		s.ends = nil
	}
	// The readers go first: the last connection copies the write-ahead log
	// into the database, and readers may not write.
	return errors.Join(s.reads.Close(), s.writes.Close())
}
