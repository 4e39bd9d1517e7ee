package system_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/store/storetest"
)

// standby starts a second controller on the store of the first, and has everybody
// know both.
func (b *bazaar) standby() *daemon {
	b.t.Helper()
	home := b.at("standby")
	if err := os.Mkdir(home, 0o755); err != nil {
		b.t.Fatal(err)
	}
	other := "127.0.0.1:" + itoa(freePort(b.t))
	argv := slices.Clone(b.args)
	argv[len(argv)-1] = other
	d := launch(b.t, home, argv...)
	until(b.t, "the standby", func() bool { return stands(b.t, "http://"+other).Status == "standby" })
	b.url += ",http://" + other
	b.owner = b.with(strings.TrimSpace(text(b.t, b.at("owner.token"))))
	return d
}

func itoa(n int) string {
	text, _ := json.Marshal(n) // numbers can be written
	return string(text)
}

// stands asks one controller how it stands; one that does not answer is not alive.
func stands(t testing.TB, url string) (h v1.Standing) {
	t.Helper()
	status, body := get(t, url+"/livez", "")
	if status == http.StatusOK {
		if err := json.Unmarshal(body, &h); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// get asks as a program would that knows nothing of markets; 0: no answer.
func get(t testing.TB, url, token string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	c := http.Client{Timeout: 30 * time.Second}
	res, err := c.Do(r)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	body := make([]byte, 1<<20)
	n, _ := res.Body.Read(body) // a short answer comes at once
	return res.StatusCode, body[:n]
}

// stores are the databases that a market can have, and how a controller is told.
var stores = map[string]func(*testing.T) []string{
	"sqlite":   func(*testing.T) []string { return nil },
	"postgres": func(t *testing.T) []string { return []string{"--store", storetest.NewServer(t).Address()} },
}

// TestALeaderStandsStill stops the leader of two controllers: the other one
// serves, clients and the agent find it, jobs go on, and the old one, awake again,
// serves nobody.
func TestALeaderStandsStill(t *testing.T) {
	requireCgroup(t)
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBazaar(t, terms{lease: time.Minute, serve: store(t)})
			first := b.url
			b.standby()
			b.hire("a")
			root := b.user("root", 1000)
			long := submit(t, root, b.shell(untilTold+"; echo long >> done", time.Minute))
			until(t, "the job", func() bool { return b.job(long.ID).State == v1.Running })

			began := time.Now()
			send(t, b.serve, syscall.SIGSTOP)
			until(t, "the leader to stand still", func() bool { return standsStill(t, b.serve) })
			second := submit(t, root, b.shell("echo second >> done", time.Second))
			t.Logf("from SIGSTOP of the leader to an acknowledged submission: %s", time.Since(began).Round(time.Millisecond))
			send(t, b.serve, syscall.SIGCONT)

			if h := stands(t, first); h.Leading {
				t.Errorf("awake again it says %+v", h)
			}
			for _, path := range []string{"/v1/jobs", "/healthz", "/v1/prices"} {
				if status, body := get(t, first+path, strings.TrimSpace(text(t, b.at("owner.token")))); status != http.StatusServiceUnavailable {
					t.Errorf("awake again it answers %s with %d: %s", path, status, body)
				}
			}
			b.completed(second.ID)
			tell(t, b.dir)
			b.completed(long.ID)
			if got := text(t, b.at("done")); got != "second\nlong\n" {
				t.Errorf("the jobs wrote %q", got)
			}
			until(t, "the old leader as a standby", func() bool { return stands(t, first).Status == "standby" })
			b.verify()
		})
	}
}

// standsStill reports whether a process was stopped: it goes on for a moment after
// the signal was sent.
func standsStill(t testing.TB, d *daemon) bool {
	t.Helper()
	_, state, _ := strings.Cut(text(t, "/proc/"+itoa(d.cmd.Process.Pid)+"/stat"), ") ")
	return strings.HasPrefix(state, "T")
}

func send(t testing.TB, d *daemon, s syscall.Signal) {
	t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// TestTheDatabaseIsAway ends PostgreSQL under a market, and starts a market without
// one: it waits, says why, and goes on.
func TestTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t)
	b := newBazaar(t, terms{serve: []string{"--store", server.Address()}})
	token := strings.TrimSpace(text(t, b.at("owner.token")))
	b.user("alice", 10)
	for range 2 {
		if err := server.Crash(); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/v1/jobs", "/v1/accounts", "/v1/prices", "/v1/nodes", "/v1/tokens", "/healthz", "/v1/history", "/v1/log"} {
			status, body := get(t, b.url+path, token)
			if status != http.StatusServiceUnavailable && status != http.StatusOK { // what is in memory, until it is noticed
				t.Errorf("%s without a database: %d %s", path, status, body)
			}
		}
		until(t, "a reason", func() bool { return strings.Contains(stands(t, b.url).Reason, "the database does not answer") })
		for _, path := range []string{"/v1/jobs", "/v1/prices", "/readyz", "/healthz"} {
			status, body := get(t, b.url+path, token)
			if status != http.StatusServiceUnavailable || !strings.Contains(string(body), "the database does not answer") {
				t.Errorf("%s without a database: %d %s", path, status, body)
			}
		}
		if !b.serve.running() {
			t.Fatalf("it has ended:\n%s", b.serve.said(4000))
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "the market", func() bool { return stands(t, b.url).Status == "ok" })
		if _, err := b.owner.Account(t.Context(), "people/alice"); err != nil {
			t.Error(err)
		}
		// The second time it is started without a database.
		if err := server.Crash(); err != nil {
			t.Fatal(err)
		}
		b.serve.kill()
		b.serve = launch(t, b.dir, b.args...)
		until(t, "a reason", func() bool { return strings.Contains(stands(t, b.url).Reason, "the database does not answer") })
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "the market", func() bool { return stands(t, b.url).Status == "ok" })
	}
	b.verify()
}

// TestTheDatabaseFailsOver promotes a replica of PostgreSQL. With synchronous
// commit nothing is lost that was acknowledged. With asynchronous commit something
// is, and no new job gets the number of one that was.
func TestTheDatabaseFailsOver(t *testing.T) {
	requireCgroup(t)
	for name, synchronous := range map[string]bool{"synchronous": true, "asynchronous": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := storetest.NewServer(t)
			replica := server.Replica(t, "copy")
			if synchronous {
				server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = 'copy'")
				server.Exec(t, "SELECT pg_reload_conf()")
				server.Wait(t, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
			}
			b := newBazaar(t, terms{lease: time.Minute, serve: []string{"--store", storetest.Several(server.Address(), replica)}})
			b.hire("a")
			root := b.user("root", 1000)
			var last v1.Job
			for range 20 {
				last = submit(t, root, b.shell("true", time.Second))
			}
			b.completed(last.ID)
			lost := int64(0)
			if !synchronous {
				server.Wait(t, "SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication")
				if err := replica.Stop(); err != nil { // from here on it does not hear of anything
					t.Fatal(err)
				}
				old := submit(t, root, b.shell("echo old >> done; sleep 1000", 2*time.Second))
				lost = old.ID
				until(t, "the job that will be lost", func() bool { return text(t, b.at("done")) == "old\n" })
			}
			if err := server.Crash(); err != nil {
				t.Fatal(err)
			}
			if !synchronous {
				if err := replica.Start(); err != nil {
					t.Fatal(err)
				}
			}
			replica.Promote(t)
			until(t, "the market", func() bool { return b.owner.Healthy(t.Context()) == nil })
			for id := int64(1); id <= last.ID; id++ {
				if j := b.completed(id); j.ID != id {
					t.Errorf("job %d is gone", id)
				}
			}
			if synchronous {
				next := submit(t, root, b.shell("echo new >> done", time.Second))
				b.completed(next.ID)
				b.verify()
				return
			}
			if _, err := b.owner.Job(t.Context(), lost); !isStatus(err, http.StatusNotFound) {
				t.Fatalf("job %d is not lost: %v", lost, err)
			}
			for range 3 {
				next := submit(t, root, b.shell("echo new >> done", time.Second))
				if next.ID <= lost {
					t.Errorf("job %d has a number that was given out before %d was lost", next.ID, lost)
				}
				b.completed(next.ID)
			}
			if got := text(t, b.at("done")); got != "old\nnew\nnew\nnew\n" {
				t.Errorf("the jobs wrote %q", got)
			}
			b.verify()
		})
	}
}

func isStatus(err error, status int) bool {
	p, ok := err.(*client.Problem) //nolint:errorlint // what the client returns
	return ok && p.Status == status
}
