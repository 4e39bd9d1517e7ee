package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// explain gives an error of SQLite the sentinel it deserves.
func (s *sqlite) explain(err error) error {
	var e *driver.Error
	if err == nil || explained(err) || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w; if a market ran on it, it is damaged: %s", ErrNotDatabase, err, Advice)
	case lib.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w: pages of %s are missing or changed; %s", ErrDamaged, err, s.path, Advice)
	case lib.SQLITE_CONSTRAINT:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		// SQLite does not say why the system refused. It says so again when
		// one tries.
		if why := tryWrite(filepath.Dir(s.path)); why != nil {
			return fmt.Errorf("%w (%w)", explainFile(why), err)
		}
	}
	return err
}

// sqliteBusy reports whether another process has the database locked, or has begun to open it
// and not ended.
func sqliteBusy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && busyCode(e.Code())
}

// busyCode is that of what says so: the least byte, whatever SQLite adds about why.
func busyCode(code int) bool {
	return code&0xff == lib.SQLITE_BUSY || code&0xff == lib.SQLITE_PROTOCOL
}

// lostCommit reports whether a failed commit may come true after all: its
// pages are in the file, only whether the disk has them is not known.
func lostCommit(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && (e.Code() == lib.SQLITE_IOERR_FSYNC || e.Code() == lib.SQLITE_IOERR_DIR_FSYNC)
}

// sound reports whether an error leaves the connection usable: SQLite has
// refused and said so.
func (s *sqlite) sound(err error) bool {
	var e *driver.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case lib.SQLITE_FULL, lib.SQLITE_CONSTRAINT, lib.SQLITE_BUSY, lib.SQLITE_INTERRUPT:
			return true
		}
		return false
	}
	return explained(err)
}

// tryWrite writes a small file into a directory and removes it.
func tryWrite(dir string) error {
	file, err := os.CreateTemp(dir, ".libra-")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, 64<<10))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}
