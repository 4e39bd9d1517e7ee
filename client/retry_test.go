package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/link"
)

// flaky lets the first calls go wrong: before they reach the market, or on the
// way back.
type flaky struct {
	next   http.Handler
	before atomic.Int32 // calls that are dropped
	after  atomic.Int32 // calls whose answer is lost
	closed atomic.Int32 // calls that are answered with 503
	calls  atomic.Int32

	mu   sync.Mutex
	keys map[string]bool
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.calls.Add(1)
	f.mu.Lock()
	f.keys[r.Header.Get("Idempotency-Key")] = true
	f.mu.Unlock()
	switch {
	case f.before.Add(-1) >= 0:
		panic(http.ErrAbortHandler)
	case f.closed.Add(-1) >= 0:
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write([]byte(`{"type":"/problems/unavailable","title":"closed","status":503}`))
	case f.after.Add(-1) >= 0:
		f.next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	default:
		f.next.ServeHTTP(w, r)
	}
}

func newFlaky(t *testing.T) (*flaky, *world) {
	f := &flaky{keys: map[string]bool{}}
	return f, newWorld(t, func(next http.Handler) http.Handler {
		f.next = next
		return f
	})
}

// However a submission fails on the way, the job is there once.
func TestASubmissionIsSentUntilItIsHeardAndDoneOnce(t *testing.T) {
	f, w := newFlaky(t)
	c := w.as(t, "alice", v1.RoleUser)
	f.before.Store(1)
	f.closed.Store(1)
	f.after.Store(1)
	j := must[v1.Job](t)(c.Submit(t.Context(), job("a"), ""))
	if n := len(w.market.Commands()); n != 1 || j.ID != 1 {
		t.Errorf("%d commands, job %d", n, j.ID)
	}
	if n := f.calls.Load(); n != 4 || len(f.keys) != 1 {
		t.Errorf("%d calls under %d keys", n, len(f.keys))
	}
	must[v1.Job](t)(c.Submit(t.Context(), job("a"), ""))
	if len(f.keys) != 2 {
		t.Error("two submissions have one key")
	}
}

func TestAKeyOfOnesOwn(t *testing.T) {
	_, w := newFlaky(t)
	c := w.as(t, "alice", v1.RoleUser)
	ctx := client.WithKey(t.Context(), "monday's run")
	a, b := must[v1.Job](t)(c.Submit(ctx, job("a"), "")), must[v1.Job](t)(c.Submit(ctx, job("a"), ""))
	if a.ID != b.ID {
		t.Errorf("jobs %d and %d", a.ID, b.ID)
	}
	_, err := c.Submit(ctx, job("b"), "")
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Type != "/problems/key-reused" {
		t.Errorf("got %v", err)
	}
}

func TestReadingIsTriedAgain(t *testing.T) {
	f, w := newFlaky(t)
	c := w.as(t, "alice", v1.RoleUser)
	f.before.Store(2)
	must[v1.Prices](t)(c.Prices(t.Context()))
	if n := f.calls.Load(); n != 3 {
		t.Errorf("%d calls", n)
	}
}

// Deleting what an earlier attempt has deleted is a success.
func TestDeletingTwiceIsDeleting(t *testing.T) {
	f, w := newFlaky(t)
	c := w.as(t, "alice", v1.RoleUser)
	q := must[v1.Quote](t)(c.AskQuote(t.Context(), job("q"), 0))
	f.after.Store(1)
	if err := c.DropQuote(t.Context(), q.ID); err != nil {
		t.Error(err)
	}
	if err := c.DropQuote(t.Context(), q.ID); err == nil {
		t.Error("it was there again")
	}
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	f, w := newFlaky(t)
	c := w.as(t, "alice", v1.RoleUser)
	for name, call := range map[string]func() error{
		"a refusal": func() error { _, err := c.Submit(t.Context(), job("refuse draining"), ""); return err },
		"nonsense":  func() error { _, err := c.Submit(t.Context(), v1.Request{}, ""); return err },
		"nothing":   func() error { _, err := c.Job(t.Context(), 99); return err },
		"a token": func() error {
			f.after.Store(1)
			_, err := c.MakeToken(t.Context(), v1.TokenRequest{})
			return err
		},
		"an agent": func() error {
			f.before.Store(1)
			_, err := link.New(w.as(t, "n1", v1.RoleNode), "n1").Register(t.Context(), task.Hello{Node: "n1"})
			return err
		},
	} {
		before := f.calls.Load()
		if err := call(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if n := f.calls.Load() - before; n != 1 {
			t.Errorf("%s: %d calls", name, n)
		}
	}
}

func TestAnEndlessFailureEnds(t *testing.T) {
	f, w := newFlaky(t)
	f.closed.Store(1000)
	c, err := client.New(w.server.URL, w.keys.Make("alice", v1.RoleUser), client.Options{Retries: 2, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Prices(t.Context())
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != 503 {
		t.Errorf("got %v", err)
	}
	if n := f.calls.Load(); n != 3 {
		t.Errorf("%d calls", n)
	}
	c, err = client.New(w.server.URL, "", client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	f.calls.Store(0)
	if _, err := c.Prices(t.Context()); err == nil || f.calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, f.calls.Load())
	}
}

// What stands in between may answer with anything.
func TestAnswersOfOthersAreProblemsToo(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/prices":
			http.Error(w, "<html>go away", http.StatusTeapot)
		case "/v1/whoami":
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		case "/v1/nodes":
			w.Write([]byte("<html>welcome"))
		}
	}))
	defer s.Close()
	c, err := client.New(s.URL, "libra_x", client.Options{Retries: -1, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Prices(t.Context())
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusTeapot || strings.Contains(p.Error(), "html") {
		t.Errorf("got %v", err)
	}
	_, err = c.Whoami(t.Context())
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusFound {
		t.Errorf("a redirection: got %v", err)
	}
	if _, err := c.Nodes(t.Context()); err == nil {
		t.Error("a page for people is an answer")
	}
}

func TestEventsGoOnWhereTheyWere(t *testing.T) {
	f, w := newFlaky(t)
	c := w.as(t, "alice", v1.RoleUser)
	say := func(id int64) {
		w.market.Say(v1.Notice{Kind: "job", Owner: "alice", Job: &v1.JobNotice{ID: id}})
	}
	for i := range int64(3) {
		say(i + 1)
	}
	var seen []int64
	for n, err := range c.Events(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, n.Seq)
		switch n.Seq {
		case 3:
			f.before.Store(1)
			w.market.Hang() // the connection is lost, and the next attempt too
			say(4)
		case 4:
			say(5)
		}
		if n.Seq == 5 {
			break
		}
	}
	if len(seen) != 4 || seen[0] != 2 || seen[3] != 5 {
		t.Errorf("saw %v", seen)
	}
	for deadline := time.Now().Add(10 * time.Second); w.market.Followers() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("somebody still follows")
		}
	}
}

func TestEventsEndWithWhatWentWrong(t *testing.T) {
	f, w := newFlaky(t)
	c, err := client.New(w.server.URL, w.keys.Make("n1", v1.RoleNode), client.Options{Retries: 1, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	count := func() (n int, last error) {
		for _, err := range c.Events(t.Context(), -1) {
			n++
			last = err
		}
		return n, last
	}
	n, err := count()
	if p, ok := errors.AsType[*client.Problem](err); n != 1 || !ok || p.Status != 403 || f.calls.Load() != 1 {
		t.Errorf("forbidden: got %d, %v after %d calls", n, err, f.calls.Load())
	}
	f.calls.Store(0)
	f.before.Store(100)
	// The transport may add an attempt of its own for a connection that it reuses.
	if n, err := count(); n != 1 || err == nil || f.calls.Load() < 2 || f.calls.Load() > 4 {
		t.Errorf("nobody there: got %d, %v after %d calls", n, err, f.calls.Load())
	}
}

// What has no number is no place to go on from.
func TestEventsGoOnAfterTheLastNumber(t *testing.T) {
	asked := make(chan string, 2)
	turn := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Last-Event-ID")
		w.Header().Set("Content-Type", "text/event-stream")
		if turn++; turn == 1 {
			fmt.Fprint(w, "id: 4\nevent: job\ndata: {\"seq\":4,\"kind\":\"job\"}\n\nevent: job\ndata: {\"seq\":0,\"kind\":\"job\"}\n\n")
			return
		}
		fmt.Fprint(w, "id: 5\nevent: job\ndata: {\"seq\":5,\"kind\":\"job\"}\n\n")
	}))
	defer server.Close()
	c, err := client.New(server.URL, "secret", client.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, err := range c.Events(t.Context(), 3) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Seq == 5 {
			break
		}
	}
	if first, second := <-asked, <-asked; first != "3" || second != "4" {
		t.Errorf("it asked for what comes after %q, and then after %q", first, second)
	}
}
