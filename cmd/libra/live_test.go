package main

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/wire"
)

// noon is what time it is in these tests, in UTC. It is never over: the server
// counts from it when an answer must have been written.
var noon = time.Date(2126, 11, 15, 12, 0, 0, 0, time.UTC)

func init() { time.Local = time.UTC } // times for people are those of the place

func micro(after time.Duration) int64 { return noon.Add(after).UnixMicro() }

// floor is a market that says what a test wants it to, and remembers what it
// was asked.
type floor struct {
	*apitest.Market

	answer   func(trade.Command) (api.Outcome, error) // nil: as apitest does
	preview  func(v1.Request) api.Outcome
	explain  v1.Explanation
	nodes    []v1.NodeView
	prices   v1.Prices
	tally    v1.Tally
	accounts []v1.Account
	book     ledger.Statement
	verified v1.Verified

	mu      sync.Mutex
	asked   []trade.Command
	keys    []string
	queries []v1.JobQuery
}

func newFloor() *floor { return &floor{Market: apitest.New("alice", "bob")} }

func (f *floor) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, c)
	f.keys = append(f.keys, key.Key)
	if f.answer == nil {
		return f.Market.Do(ctx, c, key)
	}
	o, err := f.answer(c)
	return o, false, err
}

func (f *floor) Jobs(ctx context.Context, q v1.JobQuery) ([]v1.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, q)
	return f.Market.Jobs(ctx, q)
}

func (f *floor) Preview(_ context.Context, _ trade.Identity, r trade.Request) (api.Outcome, error) {
	return f.preview(wire.Request(&r)), nil
}

func (f *floor) Explain(context.Context, int64) (v1.Explanation, error) { return f.explain, nil }
func (f *floor) Nodes(context.Context) ([]v1.NodeView, error)           { return f.nodes, nil }
func (f *floor) Prices(context.Context) (v1.Prices, error)              { return f.prices, nil }
func (f *floor) VerifyLedger(context.Context) (v1.Verified, error)      { return f.verified, nil }

func (f *floor) Accounts(ctx context.Context, prefix string) ([]v1.Account, error) {
	if f.accounts == nil {
		return f.Market.Accounts(ctx, prefix)
	}
	return f.accounts, nil
}

func (f *floor) Tally(_ context.Context, from, to int64) (v1.Tally, error) {
	t := f.tally
	t.FromUS, t.ToUS = from, to
	return t, nil
}

func (f *floor) Statement(_ context.Context, _ string, subtree bool, from, to int64) (ledger.Statement, error) {
	s := f.book
	s.Period, s.Subtree = ledger.Period{Start: from, End: to}, subtree
	return s, nil
}

// last is the last thing that the market was told to do.
func (f *floor) last(t *testing.T) trade.Command {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asked) == 0 {
		t.Fatal("the market was asked nothing")
	}
	return f.asked[len(f.asked)-1]
}

// open serves a market and lets alice find it, as a user or as the owner.
func open(t *testing.T, f api.Market, role v1.Role) *httptest.Server {
	t.Helper()
	still(t)
	keys := &apitest.Keys{}
	secret := keys.MakeToken(v1.Token{ID: "0123456789abcdef", User: "alice", Role: role, Name: "test", MadeUS: micro(-time.Hour)})
	handler := api.New(f, keys, api.Options{Now: func() time.Time { return noon }, Poll: time.Millisecond})
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close()
		server.Close()
	})
	noContext(t)
	if err := writeContext(marketContext{Server: server.URL, Token: secret, User: "alice", Plain: true}); err != nil {
		t.Fatal(err)
	}
	return server
}

// noContext keeps a test from the market of whoever runs it.
func noContext(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("LIBRA_SERVER", "")
	t.Setenv("LIBRA_TOKEN", "")
	t.Setenv("LIBRA_CA", "")
	t.Setenv("LIBRA_INSECURE", "")
	before := siteFile
	siteFile = filepath.Join(t.TempDir(), "none")
	t.Cleanup(func() { siteFile = before })
}

// still holds the clock.
func still(t *testing.T) {
	t.Helper()
	before := wallClock
	wallClock = func() time.Time { return noon }
	t.Cleanup(func() { wallClock = before })
}

// same compares an output with what it should be.
func same(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Help is there for every command of a live market, with an example, and says
// how to find the market.
func TestLiveHelp(t *testing.T) {
	for _, command := range []string{
		"submit", "quote", "jobs", "job", "explain", "cancel", "logs", "nodes", "prices", "account", "account open", "account grant",
		"account transfer", "account limit", "account credit", "account close", "statement", "report", "token", "token create",
		"token list", "token revoke", "ledger", "ledger verify",
	} {
		out := mustLibra(t, append(strings.Fields(command), "--help")...)
		if !strings.Contains(out, "Examples:\n  ") || !strings.Contains(out, "Usage:\n  libra "+command) || !strings.Contains(out, "--server") {
			t.Errorf("libra %s --help has no example, no usage or no --server:\n%s", command, out)
		}
	}
}

func TestLiveMistakes(t *testing.T) {
	noContext(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"job"}, []string{"ID is missing"}},
		{[]string{"job", "twelve"}, []string{`"twelve"`, "number of a job"}},
		{[]string{"cancel"}, []string{"ID is missing"}},
		{[]string{"cancel", "12", "-"}, []string{`"-"`}},
		{[]string{"jobs", "--state", "rnning"}, []string{"--state", `"rnning"`, "running"}},
		{[]string{"jobs", "--limit", "0"}, []string{"--limit", "1 or more"}},
		{[]string{"logs", "--tail", "-5", "12"}, []string{"--tail", "0 or more"}},
		{[]string{"account", "a", "b"}, []string{`"b"`}},
		{[]string{"account", "grant", "lab"}, []string{"AMOUNT is missing"}},
		{[]string{"account", "grant", "lab", "much"}, []string{`"much"`}},
		{[]string{"account", "limit", "lab", "no"}, []string{`"no"`}},
		{[]string{"statement", "--month", "May"}, []string{"--month", "2026-11"}},
		{[]string{"statement", "--month", "2026-11", "--from", "2026-11-01"}, []string{"--month", "exclude"}},
		{[]string{"statement", "--csv", "a", "--focus", "b"}, []string{"--csv", "exclude"}},
		{[]string{"statement", "--csv", "a", "--json"}, []string{"--json", "exclude"}},
		{[]string{"report", "--from", "yesterday"}, []string{"--from", `"yesterday"`}},
		{[]string{"report", "--from", "2026-11-02", "--to", "2026-11-01"}, []string{"--to", "not after"}},
		{[]string{"token", "create", "--ttl", "long"}, []string{"--ttl", `"long"`}},
		{[]string{"token", "mint"}, []string{`"mint"`, "libra token"}},
		{[]string{"nodes", "n1"}, []string{`"n1"`}},
		{[]string{"nodes", "--server", "ftp://x"}, []string{"ftp://x"}},
	} {
		r := libra(t, c.args...)
		if r.code != exitUsage || r.out != "" || strings.Count(r.err, "\n") != 1 {
			t.Errorf("libra %v: %+v, want one line and exit code 2", c.args, r)
		}
		for _, part := range c.want {
			if !strings.Contains(r.err, part) {
				t.Errorf("libra %v said %q, want %q in it", c.args, r.err, part)
			}
		}
	}
}

func TestLiveCompletion(t *testing.T) {
	f := newFloor()
	f.Put(v1.Job{ID: 7, Owner: "alice", Name: "render", State: v1.Running})
	f.Put(v1.Job{ID: 6, Owner: "alice", Name: "old", State: v1.Completed})
	open(t, f, v1.RoleUser)
	for args, want := range map[string]string{
		"cancel ": "7\trender, running\n", "job ": "7\trender, running\n6\told, completed\n", "jobs --state ": "live\nended\nheld\nqueued\nrunning\n",
		"submit --overrun ": "stop\nlate\nkill\n", "token create --role ": "user\nowner\nnode\n",
	} {
		r := libra(t, append([]string{"__complete"}, strings.Split(args, " ")...)...)
		if got, _, _ := strings.Cut(r.out, ":"); r.code != exitOK || !strings.HasPrefix(got, want) {
			t.Errorf("completing %q: got %q, want %q", args, got, want)
		}
	}
	// Where no market answers there is nothing to offer, and nothing is said.
	t.Setenv("LIBRA_SERVER", "http://127.0.0.1:1")
	if r := libra(t, "__complete", "job", ""); r.code != exitOK || !strings.HasPrefix(r.out, ":4\n") {
		t.Errorf("without a market: %+v", r)
	}
}
