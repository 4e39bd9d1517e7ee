package store_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// TestPostgresInTrouble does to a server what would disturb other tests.
func TestPostgresInTrouble(t *testing.T) {
	server := storetest.NewServer(t)
	t.Run("full", func(t *testing.T) { testPostgresFull(t, server) })
	t.Run("read-only", func(t *testing.T) { testPostgresReadOnly(t, server) })
	t.Run("crash", func(t *testing.T) { testPostgresCrash(t, server) })
}

// testPostgresCrash ends the server while it is written to, as a power cut
// would. The store finds it again by itself.
func testPostgresCrash(t *testing.T, server *storetest.Server) {
	s := storetest.Open(t, server.Database(t))
	var n numbers
	for range 2 {
		start := n.seq
		crashed := make(chan error, 1)
		var err error
		for err == nil {
			if err = n.append(t, s, 1000); err == nil && n.seq == start+20 {
				go func() { crashed <- server.Crash() }()
			}
		}
		if err := <-crashed; err != nil {
			t.Fatal(err)
		}
		lost := errors.Is(err, store.ErrUncertain)
		if err := n.append(t, s, 10); err == nil || errors.Is(err, store.ErrConflict) {
			t.Errorf("append without a server: %v", err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		if last, _, err := s.Last(t.Context()); err != nil {
			t.Fatal(err)
		} else if lost && last.Seq == n.seq+1 {
			n.seq++ // it was written, only nobody could say so
		}
		n.check(t, s)
		if err := n.append(t, s, 10); err != nil {
			t.Errorf("append with the server back: %v", err)
		}
	}
	n.check(t, s)
}

func testPostgresFull(t *testing.T, server *storetest.Server) {
	dir := tmpfs(t, "24m")
	if said, err := exec.CommandContext(t.Context(), "chown", "postgres", dir).CombinedOutput(); err != nil {
		storetest.Missing(t, "root", errors.New(string(said)))
	}
	server.Exec(t, "CREATE TABLESPACE small LOCATION '"+dir+"'")
	t.Cleanup(func() { server.Exec(t, "DROP TABLESPACE small") })
	s := storetest.Open(t, server.Database(t, "TABLESPACE small"))
	filler := dir + "/filler"
	var n numbers
	for round := range 2 {
		if err := os.WriteFile(filler, make([]byte, (8-4*round)<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		for err == nil && n.seq < 3000 {
			err = n.append(t, s, 200_000)
		}
		if !errors.Is(err, store.ErrFull) {
			t.Fatalf("entry %d: %v", n.seq, err)
		}
		n.check(t, s)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if err := n.append(t, s, 20_000); err != nil {
			t.Errorf("with space again: %v", err)
		}
		n.check(t, s)
	}
}

func testPostgresReadOnly(t *testing.T, server *storetest.Server) {
	s := storetest.Open(t, server.Database(t))
	var n numbers
	if err := n.append(t, s, 10); err != nil {
		t.Fatal(err)
	}
	turn := func(to string) {
		t.Helper()
		server.Exec(t, "ALTER SYSTEM SET default_transaction_read_only = "+to)
		server.Exec(t, "SELECT pg_reload_conf()")
	}
	turn("on")
	for !errors.Is(s.SetMeta(t.Context(), "k", "v"), store.ErrReadOnly) { // sessions hear of it in their own time
		if t.Context().Err() != nil {
			t.Fatal("still writable")
		}
	}
	if err := n.append(t, s, 10); err == nil {
		t.Log("one session had not heard of it")
	} else if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("append: %v", err)
	}
	n.check(t, s)
	turn("off")
	for errors.Is(s.SetMeta(t.Context(), "k", "v"), store.ErrReadOnly) {
		if t.Context().Err() != nil {
			t.Fatal("still read-only")
		}
	}
	for err := n.append(t, s, 10); err != nil; err = n.append(t, s, 10) {
		if !errors.Is(err, store.ErrReadOnly) {
			t.Fatalf("append: %v", err)
		}
	}
	n.check(t, s)
}

func TestPostgresIsDurableWhateverTheServerSays(t *testing.T) {
	address := storetest.Postgres(t)
	name := address[strings.LastIndex(address, "/")+1:]
	admin := rawSQL(t, "pgx", address)
	for set, want := range map[string]string{"off": "on", "local": "local", "on": "on"} {
		if _, err := admin.ExecContext(t.Context(), "ALTER DATABASE "+name+" SET synchronous_commit = "+set); err != nil {
			t.Fatal(err)
		}
		got, err := store.Setting(t.Context(), storetest.Open(t, address), "synchronous_commit")
		if err != nil || got != want {
			t.Errorf("set to %s: got %s, want %s (%v)", set, got, want, err)
		}
	}
}

func TestPostgresHoldingSomethingElse(t *testing.T) {
	address := storetest.Postgres(t)
	raw := rawSQL(t, "pgx", address)
	if _, err := raw.ExecContext(t.Context(), "CREATE TABLE birds (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	storetest.Open(t, address) // other tables do not disturb
	other := storetest.Postgres(t)
	if _, err := rawSQL(t, "pgx", other).ExecContext(t.Context(), "CREATE TABLE jobs (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), other); !errors.Is(err, store.ErrForeign) {
		t.Errorf("a table of that name: %v", err)
	}
}

// TestPostgresThatWasFilledFromADump makes tables anew as a dump does that is put back: it
// is another generation, once, whatever the server's history says.
func TestPostgresThatWasFilledFromADump(t *testing.T) {
	address := storetest.Postgres(t)
	lead := func() string {
		t.Helper()
		s := storetest.Open(t, address)
		_, release, err := s.Lead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		release()
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
	_, err := rawSQL(t, "pgx", address).ExecContext(t.Context(),
		"CREATE TABLE copied (LIKE meta INCLUDING ALL); INSERT INTO copied SELECT * FROM meta; DROP TABLE meta; ALTER TABLE copied RENAME TO meta")
	if err != nil {
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

// TestPostgresLeadEndsWithItsSession ends the leader's session from outside.
func TestPostgresLeadEndsWithItsSession(t *testing.T) {
	address := storetest.Postgres(t)
	one, two, raw := storetest.Open(t, address), storetest.Open(t, address), rawSQL(t, "pgx", address)
	lost, _, err := one.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var taken *store.Taken
	if _, _, err := two.TryLead(t.Context()); !errors.As(err, &taken) {
		t.Fatal(err)
	}
	if _, err := raw.ExecContext(t.Context(), "SELECT pg_terminate_backend($1)", taken.PID); err != nil {
		t.Fatal(err)
	}
	<-lost
	if _, _, err := two.Lead(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPostgresLeadEndsInSilence leaves the cable in place and carries nothing.
func TestPostgresLeadEndsInSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as a leader waits for an answer")
	}
	cable := newCable(t, storetest.Postgres(t))
	lost, release, err := storetest.Open(t, cable.address).Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	cable.silent.Store(true)
	<-lost
}

// TestPostgresLosesAnAnswer cuts the cable at the worst times.
func TestPostgresLosesAnAnswer(t *testing.T) {
	direct := storetest.Postgres(t)
	cable := newCable(t, direct)
	s := storetest.Open(t, cable.address)
	var n numbers
	if err := n.append(t, s, 10); err != nil {
		t.Fatal(err)
	}
	const large = 400_000
	for range 3 {
		// It was written, and the answer is lost: the store finds out.
		cable.loseAnswer.Store(true)
		if err := n.append(t, s, large); err != nil {
			t.Fatalf("an answer was lost: %v", err)
		}
		if cable.loseAnswer.Load() {
			t.Fatal("no answer was lost")
		}
		n.check(t, s)
		// It was never received: the store finds out, too.
		cable.loseRequest.Store(true)
		if err := n.append(t, s, large); err == nil || errors.Is(err, store.ErrUncertain) || errors.Is(err, store.ErrConflict) {
			t.Fatalf("a request was lost: %v", err)
		}
		n.check(t, s)
		if err := n.append(t, s, large); err != nil {
			t.Fatal(err)
		}
	}
	// Nobody can be asked: that is said, and the rest is up to the caller.
	cable.loseAnswer.Store(true)
	cable.dead.Store(true)
	if err := n.append(t, s, large); !errors.Is(err, store.ErrUncertain) {
		t.Fatalf("the answer was lost for good: %v", err)
	}
	cable.dead.Store(false)
	if err := n.append(t, s, large); !errors.Is(err, store.ErrConflict) {
		t.Errorf("once more: %v", err) // it had been written
	}
	last, _, err := s.Last(t.Context())
	if err != nil || last.Seq != n.seq+1 {
		t.Errorf("the log ends at %d: %v", last.Seq, err)
	}
	n.seq = last.Seq
	n.check(t, s)
}
