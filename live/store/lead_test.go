package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
