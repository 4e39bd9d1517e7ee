package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fileLock competes for the lead of a database in a file. The term is in the
// database; the file beside it has the leader's beat, and locks that the system
// drops when the process ends, however it ends. Only processes of one machine
// share such a database.
type fileLock struct {
	file *os.File
	s    *sqlite
	look *sql.DB // a connection of its own: others may be busy for as long as a lease
	seen observer
	term int64 // of its lead
	beat int64
}

func (s *sqlite) claim(context.Context, *database) (claim, error) {
	look, err := sql.Open("sqlite", sqliteName(s.path, "mode=ro"))
	if err != nil {
		return nil, err
	}
	look.SetMaxOpenConns(1)
	l := &fileLock{s: s, look: look}
	if err = l.open(); err != nil {
		return nil, errors.Join(err, look.Close())
	}
	return l, nil
}

func (l *fileLock) open() error {
	file, err := os.OpenFile(l.s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return explainFile(err)
	}
	l.file = file
	return nil
}

func (l *fileLock) try(ctx context.Context) (int64, error) {
	if !l.current() { // it was removed, and perhaps made again
		l.file.Close() // see release
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	seen := l.read()
	taken := l.taken(seen.pid)
	// Older versions have this lock alone, ours have it together, so that no such
	// version leads beside one of ours.
	err := unix.Flock(int(l.file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return 0, taken
	}
	if err != nil {
		return 0, fmt.Errorf("lock %s: %w", l.file.Name(), err)
	}
	var term int64
	if err = l.look.QueryRowContext(ctx, sqliteTerm).Scan(&term); err != nil {
		return 0, l.s.explain(err)
	}
	free, err := l.lock(term)
	if err != nil {
		return 0, err
	}
	if free {
		defer l.unlock(term)
	} else if !l.seen.still(term, seen.beat) {
		return 0, taken
	}
	mine, err := l.lock(term + 1)
	if err != nil || !mine { // somebody else is about to
		return 0, errors.Join(taken, err)
	}
	if err = l.take(ctx, term, seen); err != nil {
		l.unlock(term + 1)
		if errors.Is(err, ErrDeposed) || sqliteBusy(err) { // who stands still may do so with the database locked
			return 0, taken
		}
		return 0, err
	}
	l.term = term + 1
	return l.term, l.renewFile()
}

// taken says who has the lead.
func (l *fileLock) taken(pid int) *Taken {
	return &Taken{PID: pid, Where: l.file.Name(), orphan: pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH)}
}

// take raises the term in the database. If the file beside it knows of a later one, or
// of a later end of the log, the database was put back to what it was, by copying
// files, or has lost what was written last: that is another generation.
func (l *fileLock) take(ctx context.Context, term int64, known pulse) error {
	return l.s.change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, sqliteTake, os.Getpid(), l.file.Name(), term)
		if err != nil {
			return err
		}
		if n, bad := res.RowsAffected(); bad != nil || n == 0 {
			return errors.Join(ErrDeposed, bad)
		}
		var end head
		if err = tx.QueryRowContext(ctx, sqliteEnd).Scan(&end.seq, &end.hash); err != nil {
			return err
		}
		behind, err := known.after(ctx, tx, end)
		if err != nil {
			return err
		}
		if behind || known.term > term {
			if _, err = tx.ExecContext(ctx, sqliteSetMeta, generationMeta, newName()); err != nil {
				return err
			}
		}
		if behind {
			noteEnd(l.file, end) // else the next one would take it for behind again
		}
		_, err = tx.ExecContext(ctx, sqliteRaise, term+1)
		return err
	})
}

// led says in a *Taken that a controller leads, of this version or an older one.
func (s *sqlite) led(ctx context.Context, tx *sql.Tx, form int64) error {
	l := &fileLock{s: s}
	if err := l.open(); err != nil {
		return err
	}
	defer l.release()
	return patiently(ctx, func() error { return l.led(ctx, tx, form) })
}

func (l *fileLock) led(ctx context.Context, tx *sql.Tx, form int64) error {
	taken := l.taken(l.read().pid)
	if err := unix.Flock(int(l.file.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return taken
	}
	if form < formLeader {
		return nil
	}
	var term int64
	if err := tx.QueryRowContext(ctx, sqliteTerm).Scan(&term); err != nil {
		return err
	}
	if free, err := l.lock(term); err != nil || !free {
		return errors.Join(taken, err)
	}
	return nil
}

// pulse is what the file says of the leader, and of what it wrote.
type pulse struct {
	pid        int
	term, beat int64
	end        int64  // of the log; 0: it does not say
	hash       string // of the entry there, or the beginning of it
}

func (l *fileLock) read() pulse {
	var p pulse
	if text, err := io.ReadAll(io.NewSectionReader(l.file, 0, endPlace)); err == nil {
		fmt.Sscan(string(text), &p.pid, &p.term, &p.beat) // a file from before has no more than the process
	}
	if text, err := io.ReadAll(io.NewSectionReader(l.file, endPlace, 64)); err == nil {
		fmt.Sscan(string(text), &p.end, &p.hash)
	}
	return p
}

// after reports whether the file knows of an entry that the database does not have, or
// not so. One that has been archived since is not asked for.
func (p pulse) after(ctx context.Context, tx *sql.Tx, end head) (bool, error) {
	if p.end == 0 || p.hash == "" || end.seq < p.end {
		return p.end > end.seq, nil
	}
	hash := end.hash
	if end.seq > p.end {
		err := tx.QueryRowContext(ctx, sqliteHash, p.end).Scan(&hash)
		if errors.Is(err, sql.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return !strings.HasPrefix(hex.EncodeToString(hash), p.hash), nil
}

// endPlace is where in the file the end of the log is noted.
const endPlace = 64

// noteEnd writes beside the database how far its log has come: a kill loses none of
// that, and a power cut only what the database has anyway. On a full disk it is as it
// was.
func noteEnd(lock *os.File, h head) {
	_, _ = lock.WriteAt(fmt.Appendf(nil, "%-20d %.16x\n", h.seq, h.hash), endPlace)
}

// noteEnd does so after every append.
func (s *sqlite) noteEnd(h head) {
	if s.ends == nil {
		file, err := os.OpenFile(s.path+".lock", os.O_WRONLY, 0)
		if err != nil {
			return // nobody leads, as when tables are filled from a backup
		}
		s.ends = file
	}
	noteEnd(s.ends, h)
}

// renewFile writes in place, in one piece, and without asking the disk for room: a
// full disk must not cost the lead.
func (l *fileLock) renewFile() error {
	l.beat++
	_, err := l.file.WriteAt(fmt.Appendf(nil, "%-10d %-20d %-20d\n", os.Getpid(), l.term, l.beat), 0)
	if l.beat == 1 { // on a full disk a new file has no place for it yet: then the lock alone speaks for it
		return nil
	}
	return err
}

// renew looks into the database too: whoever removed the lock file has let
// another one in.
func (l *fileLock) renew(ctx context.Context) error {
	var term int64
	if err := l.look.QueryRowContext(ctx, sqliteTerm).Scan(&term); err != nil {
		return l.s.explain(err)
	}
	if term != l.term {
		return ErrDeposed
	}
	return l.renewFile()
}

func (l *fileLock) rest(ctx context.Context, long time.Duration) error {
	if err := pause(ctx, long); err != nil {
		return err
	}
	if !l.current() {
		return ErrDeposed // nobody who comes could see that it is locked
	}
	return nil
}

func (l *fileLock) gone() bool { return false }

// current reports whether the file is still found under its name.
func (l *fileLock) current() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file.Name())
	return err == nil && os.SameFile(mine, named)
}

// lock locks the byte of the file that stands for a term.
func (l *fileLock) lock(term int64) (bool, error) {
	err := l.byteLock(unix.F_WRLCK, term)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", l.file.Name(), err)
	}
	return true, nil
}

func (l *fileLock) unlock(term int64) {
	_ = l.byteLock(unix.F_UNLCK, term) // closing the file drops it too
}

func (l *fileLock) byteLock(how int16, term int64) error {
	return unix.FcntlFlock(l.file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: how, Whence: io.SeekStart, Start: term, Len: 1})
}

func (l *fileLock) release() {
	l.file.Close() // closing drops the locks whatever it says
	if l.look != nil {
		l.look.Close() // nothing was written
	}
}

// lostEnd says what the file beside the database knows of, and the database does not.
func (s *sqlite) lostEnd(ctx context.Context) (string, error) {
	file, err := os.Open(s.path + ".lock")
	if err != nil { // nobody has led yet, or not here
		return "", nil
	}
	defer file.Close() // it was only read
	known := (&fileLock{file: file}).read()
	tx, err := s.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer tx.Rollback() // there is nothing to commit
	var end head
	if err = tx.QueryRowContext(ctx, sqliteEnd).Scan(&end.seq, &end.hash); err != nil {
		return "", err
	}
	if behind, err := known.after(ctx, tx, end); err != nil || !behind {
		return "", err
	}
	return fmt.Sprintf("the log ends at entry %d, and once had another end, at %d: the database was put back, or has lost what was written last; %s",
		end.seq, known.end, Advice), nil
}
