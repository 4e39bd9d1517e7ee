package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is a letter, not a database. ", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	if _, err := rawSQL(t, "sqlite", foreign).ExecContext(t.Context(), "CREATE TABLE birds (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address string
		want    error
		says    string
	}{
		{"", store.ErrAddress, "empty"},
		{"sqlite:", store.ErrAddress, "no file"},
		{"sqlite::memory:", store.ErrAddress, "no file"},
		{"mysql://localhost/libra", store.ErrAddress, "mysql"},
		{"postgres://localhost:port/libra", store.ErrAddress, "port"},
		{filepath.Join(dir, "no", "such.db"), fs.ErrNotExist, "directory"},
		{"sqlite:" + dir, store.ErrNotDatabase, "directory"},
		{"/dev/null", store.ErrNotDatabase, "special"},
		{garbage, store.ErrNotDatabase, "garbage.db"},
		{foreign, store.ErrForeign, "1 tables"},
		{"postgres://u:secret@127.0.0.1:1/libra?sslmode=disable", syscall.ECONNREFUSED, "127.0.0.1"},
	} {
		s, err := store.Open(t.Context(), c.address)
		switch {
		case err == nil:
			t.Errorf("%s was opened", c.address)
			s.Close() // the error above is enough
		case !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: got %q, want %q and a word about %q", c.address, err, c.want, c.says)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: the password is told: %v", c.address, err)
		}
	}
	if text, err := os.ReadFile(garbage); err != nil || !strings.HasPrefix(string(text), "this is a letter") {
		t.Error("the letter is gone")
	}
}

func TestOpenWithoutPermission(t *testing.T) {
	if os.Getuid() != 0 {
		storetest.Missing(t, "root", errors.New("another user is needed"))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "libra.db")
	storetest.Open(t, path)
	for _, p := range []string{path, filepath.Join(dir, "new.db")} {
		if err := as(65534, func() error {
			_, err := store.Open(t.Context(), p)
			return err
		}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// as does something as another user, on a thread that ends with it.
func as(uid uintptr, do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: no other goroutine must get this thread
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uid, uid, uid); errno != 0 {
			done <- errno
			return
		}
		done <- do()
	}()
	return <-done
}

func TestSQLiteFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%25é&x=1")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"sqlite:%", "sqlite://%", "%"} {
		path := filepath.Join(dir, "libra?mode=memory.db")
		s, err := store.Open(t.Context(), strings.Replace(form, "%", path, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.TryLead(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.SetMeta(t.Context(), "k", "v"); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != 4 { // the database, its two companions, the lock
			t.Errorf("%s: %d files", form, len(files))
		}
		for _, f := range files {
			if at, err := f.Info(); err != nil || at.Mode() != 0o600 {
				t.Errorf("%s has mode %v (%v)", f.Name(), at.Mode(), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s := storetest.Open(t, "libra?mode=memory.db")
	if v, _, err := s.Meta(t.Context(), "k"); err != nil || v != "v" {
		t.Errorf("by a relative path: %q %v", v, err)
	}
}

func TestRedact(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://u:p@h/d":             "postgres://u:xxxxx@h/d",
		"postgresql://h/d?password=p":    "postgresql://h/d?password=xxxxx",
		"postgres://u:p%zz@h/d":          "postgres://...",
		"sqlite:/a b/c.db":               "sqlite:/a b/c.db",
		"/var/lib/libra/libra.db":        "/var/lib/libra/libra.db",
		"postgres://h/d?sslmode=disable": "postgres://h/d?sslmode=disable",
	} {
		if got := store.Redact(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// TestSQLiteLockRemoved takes the lock file away: whoever leads is told, because
// another may now lead as well.
func TestSQLiteLockRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libra.db")
	one, two := storetest.Open(t, path), storetest.Open(t, path)
	lost, release, err := one.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	<-lost
	_, again, err := two.TryLead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release() // of a lock that is no more: the other one stays
	if _, _, err := one.TryLead(t.Context()); !errors.Is(err, store.ErrTaken) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("beside the new leader: %v", err)
	}
	again()
}

func TestSQLiteIsDurable(t *testing.T) {
	s := storetest.Open(t, filepath.Join(t.TempDir(), "libra.db"))
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "wal_autocheckpoint": "16384"} {
		if got, err := store.Pragma(t.Context(), s, name); err != nil || got != want {
			t.Errorf("%s: got %s, want %s (%v)", name, got, want, err)
		}
	}
}
