package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// A leader that was killed while it started a program has left its locks to a child, for a
// moment: whoever comes next waits for that. For a leader that lives it does not.
func TestTheLocksOfAChild(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libra.db")
	s := storetest.Open(t, path)
	_, release, err := s.TryLead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
	lock, err := os.OpenFile(path+".lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, _, err = s.TryLead(t.Context()); !errors.Is(err, store.ErrTaken) {
		t.Errorf("of one that lives: %v", err)
	}
	child := exec.Command("true")
	if err = child.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err = lock.WriteAt(fmt.Appendf(nil, "%-10d", child.Process.Pid), 0); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { lock.Close() })
	if _, release, err = s.TryLead(t.Context()); err != nil {
		t.Fatal(err)
	}
	release()
}

// Whoever opens a database waits for another that has it locked for longer than SQLite itself
// would.
func TestOpenWaitsForALock(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as SQLite's own patience")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "libra.db")
	storetest.Open(t, path)
	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	writes, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = writes.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	time.AfterFunc(11*time.Second, func() {
		_, bad := writes.ExecContext(t.Context(), "ROLLBACK")
		ended <- bad
	})
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(<-ended, s.Close(), writes.Close()); err != nil {
		t.Error(err)
	}
}
