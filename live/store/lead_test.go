package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// TestALeaderThatStandsStill stops a leader, which keeps its process, its session
// and its locks. Another one leads within the time of a lease, and the old one,
// awake again, can write nothing, though nothing was written since.
func TestALeaderThatStandsStill(t *testing.T) {
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, ctx := b.New(t), t.Context()
			old := storetest.StartChild(t, storetest.Servant, address)
			if line, _ := old.Line(); line != "leads" {
				t.Fatalf("the child says %q", line)
			}
			for _, do := range []string{"append", "set", "note", "lead"} {
				if said := old.Tell(t, do); said != "done" {
					t.Fatalf("%s: %s", do, said)
				}
			}
			heir := storetest.Open(t, address)
			if _, _, err := heir.TryLead(ctx); !errors.Is(err, store.ErrTaken) {
				t.Fatalf("beside a leader: %v", err)
			}
			old.Signal(t, syscall.SIGSTOP)
			began := time.Now()
			waiting, cancel := context.WithTimeout(ctx, 2*time.Minute)
			defer cancel()
			lost, _, err := heir.Lead(waiting)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("led %s after the leader before stood still", time.Since(began).Round(time.Millisecond))
			old.Signal(t, syscall.SIGCONT)
			for _, do := range []string{"lead", "append", "set", "note"} {
				if said := old.Tell(t, do); said != "deposed" {
					t.Errorf("an old leader, told to %s: %s", do, said)
				}
			}
			if err := heir.Append(ctx, storetest.Numbered(2, 3)); err != nil {
				t.Errorf("the new one: %v", err)
			}
			if term, err := heir.Leads(); err != nil || term != 2 {
				t.Errorf("term %d: %v", term, err)
			}
			select {
			case <-lost:
				t.Error("lost without a reason")
			default:
			}
			if n := storetest.CheckNumbered(t, ctx, heir); n != 4 {
				t.Errorf("%d entries", n)
			}
		})
	}
}

// TestALeaderKeepsItsLead has nobody take over from a leader that is well, for
// longer than a lease.
func TestALeaderKeepsItsLead(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes longer than a lease")
	}
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := b.New(t)
			one, two := storetest.Open(t, address), storetest.Open(t, address)
			lost, _, err := one.Lead(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			patient, cancel := context.WithTimeout(t.Context(), 9*time.Second)
			defer cancel()
			if _, _, err := two.Lead(patient); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("beside a leader that is well: %v", err)
			}
			select {
			case <-lost:
				t.Error("lost without a reason")
			default:
			}
			if _, err := one.Leads(); err != nil {
				t.Error(err)
			}
			if _, err := two.Leads(); !errors.Is(err, store.ErrDeposed) {
				t.Errorf("who never led: %v", err)
			}
		})
	}
}

// TestAnAppendThatNobodyEnds has a transaction of the leader before open for ever:
// it was stopped, or its machine was, when it had sent half of an append.
func TestAnAppendThatNobodyEnds(t *testing.T) {
	address, ctx := storetest.Postgres(t), t.Context()
	s := storetest.Open(t, address)
	half, err := rawSQL(t, "pgx", address).BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer half.Rollback() // it was ended for it
	if _, err := half.ExecContext(ctx, "UPDATE head SET fence = fence + 1"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Lead(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(ctx, storetest.Numbered(1, 2)); err != nil {
		t.Error(err)
	}
}

// TestNoUpgradeUnderALeader leaves the tables alone as long as somebody leads.
func TestNoUpgradeUnderALeader(t *testing.T) {
	next := laterMigration(t)
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			address, ctx := b.New(t), t.Context()
			one, two := storetest.Open(t, address), storetest.Open(t, address)
			_, release, err := one.Lead(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err = store.MigrateWith(ctx, two, next); !errors.Is(err, store.ErrTaken) {
				t.Errorf("under a leader: %v", err)
			}
			if err = one.Append(ctx, storetest.Numbered(1, 1)); err != nil {
				t.Errorf("the leader afterwards: %v", err)
			}
			release()
			if err = store.MigrateWith(ctx, two, next); err != nil {
				t.Errorf("with nobody there: %v", err)
			}
		})
	}
}

// TestAwayIsSaid has a server that is not there.
func TestAwayIsSaid(t *testing.T) {
	cable := newCable(t, storetest.Postgres(t))
	s := storetest.Open(t, cable.address)
	lost, _, err := s.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cable.cut()
	<-lost
	for name, do := range map[string]func() error{
		"a read":    func() error { _, _, bad := s.Last(t.Context()); return bad },
		"a change":  func() error { return s.SetMeta(t.Context(), "k", "v") },
		"an append": func() error { return s.Append(t.Context(), storetest.Numbered(1, 1)) },
		"the lead":  func() error { _, _, bad := s.TryLead(t.Context()); return bad },
		"opening":   func() error { _, bad := store.Open(t.Context(), cable.address); return bad },
	} {
		if err := do(); !errors.Is(err, store.ErrAway) {
			t.Errorf("%s without a server: %v", name, err)
		}
	}
	if _, err := s.Leads(); !errors.Is(err, store.ErrDeposed) {
		t.Errorf("a leader without a server: %v", err)
	}
}

// TestADatabaseThatWasPutBack copies a database away and back, with the market
// having gone on meanwhile: it is another generation.
func TestADatabaseThatWasPutBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libra.db")
	lead := func() string {
		t.Helper()
		s, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close() // nothing is written after
		if _, _, err = s.Lead(t.Context()); err != nil {
			t.Fatal(err)
		}
		name, err := s.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	first := lead()
	if again := lead(); again != first {
		t.Errorf("%s became %s without a reason", first, again)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if again := lead(); again != first {
		t.Errorf("%s became %s without a reason", first, again)
	}
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	next := lead()
	if next == first {
		t.Error("nobody noticed")
	}
	if again := lead(); again != next {
		t.Errorf("%s became %s without a reason", next, again)
	}
}

// A database that was put back to what it was an hour ago, or that has lost what was
// written last, is another generation also if nobody has led in between.
func TestADatabaseThatHasLostItsEnd(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, path string, old map[string][]byte){
		"put back": func(t *testing.T, path string, old map[string][]byte) {
			for _, part := range []string{"", "-wal"} {
				if err := os.WriteFile(path+part, old[part], 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
		"its last pages are gone": func(t *testing.T, path string, _ map[string][]byte) {
			if err := os.Remove(path + "-wal"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "libra.db")
			write := func(s store.Store, from, to int64) {
				t.Helper()
				for seq := from; seq <= to; seq++ {
					if err := s.Append(t.Context(), store.Batch{Entries: []store.Entry{{Seq: seq, At: seq, Kind: "k", Body: []byte("b")}}}); err != nil {
						t.Fatal(err)
					}
				}
			}
			lead := func(path string) (store.Store, string) {
				t.Helper()
				s, err := store.Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err = s.Lead(t.Context()); err != nil {
					t.Fatal(err)
				}
				name, err := s.Generation(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return s, name
			}
			s, _ := lead(path)
			write(s, 1, 3)
			s.Close() // so that there is something outside the log that can be lost
			s, first := lead(path)
			old := map[string][]byte{}
			for _, part := range []string{"", "-wal"} {
				old[part], _ = os.ReadFile(path + part) // there may be none yet
			}
			write(s, 4, 9)
			// A kill: what is on disk then goes on elsewhere.
			killed := filepath.Join(t.TempDir(), "libra.db")
			for _, part := range []string{"", "-wal", ".lock"} {
				text, err := os.ReadFile(path + part)
				if err == nil {
					err = os.WriteFile(killed+part, text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s.Close() // what it writes now is of no concern
			whole := filepath.Join(t.TempDir(), "libra.db")
			for _, part := range []string{"", "-wal", ".lock"} {
				text, err := os.ReadFile(killed + part)
				if err == nil {
					err = os.WriteFile(whole+part, text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s, again := lead(whole)
			if again != first {
				t.Errorf("nothing is lost, and %s became %s", first, again)
			}
			s.Close() // nothing was written
			lose(t, killed, old)
			looked, err := store.OpenPast(t.Context(), killed)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			if err = looked.Inspect(t.Context(), func(line string) { found = append(found, line) }); err != nil || len(found) != 1 || !strings.Contains(found[0], "at 9:") {
				t.Errorf("who looks finds %q (%v)", found, err)
			}
			looked.Close() // it was only read
			s, next := lead(killed)
			if next == first {
				t.Error("nobody noticed")
			}
			write(s, 4, 4)
			s.Close() // all was written at once
			if s, again = lead(killed); again != next {
				t.Errorf("%s became %s without a reason", next, again)
			}
			s.Close() // nothing was written
		})
	}
}

// A store that is gone does not become a new market.
func TestADatabaseThatIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libra.db")
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = s.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close() // nothing was written
	if err = os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err = store.Open(t.Context(), path); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), ".lock") {
		t.Errorf("it was made anew: %v", err)
	}
	if err = os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	if s, err = store.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s.Close() // nothing was written
}
