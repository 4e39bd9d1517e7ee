package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// world is a market with a door, and people with tokens before it.
type world struct {
	t       *testing.T
	market  *apitest.Market
	keys    *apitest.Keys
	handler *api.Handler
	server  *httptest.Server
	secret  map[string]string // of alice, bob, root, n1, n2, expired, revoked
	ahead   atomic.Int64      // of the clock, in nanoseconds
	log     *lines
}

// lines is a log that tests can read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T, change ...func(*api.Options)) *world {
	t.Helper()
	w := &world{t: t, market: apitest.New("alice", "bob", "root"), keys: &apitest.Keys{}, log: &lines{}}
	o := api.Options{
		Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: w.now,
		Heartbeat: 20 * time.Millisecond, Poll: time.Millisecond, Streams: 3,
	}
	for _, c := range change {
		c(&o)
	}
	w.handler = api.New(w.market, w.keys, o)
	w.server = httptest.NewUnstartedServer(conform(t, w.handler))
	w.server.Config.RegisterOnShutdown(w.handler.Close)
	w.server.Start()
	t.Cleanup(func() {
		w.handler.Close()
		w.server.Close()
	})
	past := time.Now().Add(-time.Hour).UnixMicro()
	w.secret = map[string]string{
		"alice":   w.keys.Make("alice", v1.RoleUser),
		"bob":     w.keys.Make("bob", v1.RoleUser),
		"root":    w.keys.Make("root", v1.RoleOwner),
		"n1":      w.keys.Make("n1", v1.RoleNode),
		"n2":      w.keys.Make("n2", v1.RoleNode),
		"expired": w.keys.MakeToken(v1.Token{ID: "t-expired", User: "alice", Role: v1.RoleOwner, ExpiresUS: past}),
		"revoked": w.keys.MakeToken(v1.Token{ID: "t-revoked", User: "alice", Role: v1.RoleOwner, RevokedUS: past}),
	}
	return w
}

// now is the time of the server: that of the world, or later.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as somebody ("": nobody). The body is text as it is, or a
// value that becomes JSON.
func (w *world) ask(who, method, path string, body any, headers ...string) answer {
	w.t.Helper()
	r := w.request(who, method, path, body, headers...)
	res, err := w.server.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

func (w *world) request(who, method, path string, body any, headers ...string) *http.Request {
	w.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			w.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, content)
	if err != nil {
		w.t.Fatal(err)
	}
	if secret := w.secret[who]; secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	} else if who != "" {
		w.t.Fatalf("nobody is called %s", who)
	}
	if content != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// problem reads a problem and checks that it is a whole one.
func (a *answer) problem(t *testing.T) v1.Problem {
	t.Helper()
	var p v1.Problem
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Fatalf("want a problem, got %d %s: %s", a.status, kind, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		t.Fatal(err)
	}
	if p.Status != a.status || p.Title == "" || p.Instance == "" || !strings.HasPrefix(p.Type, "/problems/") {
		t.Errorf("not a whole problem (status %d): %s", a.status, a.body)
	}
	return p
}

func read[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return v
}

// job is a request that makes sense.
func job(name string) v1.Request {
	return v1.Request{Name: name, Argv: []string{"/bin/true"}, EstimateMS: 60_000, DeadlineMS: 300_000}
}

func submission(name string) v1.SubmitRequest { return v1.SubmitRequest{Request: job(name)} }

// eventually waits for something that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func readAll(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
