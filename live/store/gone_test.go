package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// Where a market ran, a file that is gone or empty is not made anew by whoever opens it,
// and is by who restores a backup.
func TestAFileThatIsGone(t *testing.T) {
	for name, lose := range map[string]func(string) error{
		"gone":  os.Remove,
		"empty": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "libra.db")
			s := storetest.Open(t, path)
			_, release, err := s.Lead(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fill(t, s)
			release()
			backup := save(t, path)
			if err := errors.Join(s.Close(), lose(path)); err != nil {
				t.Fatal(err)
			}
			if again, err := store.Open(t.Context(), path); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("it opens: %v", err)
				_ = again.Close()
			}
			if err := load(t.Context(), path, backup, anyBooks); err != nil {
				t.Fatal(err)
			}
			if last, found, err := storetest.Open(t, path).Last(t.Context()); err != nil || !found || last.Seq != 251 {
				t.Errorf("restored: up to %d, %v", last.Seq, err)
			}
		})
	}
}

// What is beside a file that is gone says whether there was one; a pipe is none that is empty.
func TestWhatIsBesideAFileThatIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libra.db")
	if err := os.WriteFile(path+"-wal", []byte("what was written last"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Open(t.Context(), path); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("beside what was written last it opens: %v", err)
		_ = s.Close()
	}
	if err := os.Truncate(path+"-wal", 0); err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, path) // nothing was written
	_, release, err := s.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err = errors.Join(s.Close(), os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Open(t.Context(), path); !errors.Is(err, store.ErrNotDatabase) {
		t.Errorf("a pipe: %v", err)
		_ = s.Close()
	}
}
