package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// echo is a server that says back the path it was asked for, and counts who came.
type echo struct {
	*httptest.Server

	connections, asked atomic.Int64
	hold               chan struct{} // /slow waits for it
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	e := &echo{hold: make(chan struct{})}
	e.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/slow":
			select {
			case <-e.hold:
			case <-r.Context().Done():
			}
		case "/last":
			w.Header().Set("Connection", "close")
		}
		fmt.Fprint(w, r.URL.Path, len(body))
	}))
	e.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			e.connections.Add(1)
		}
	}
	e.Start()
	t.Cleanup(e.Close)
	return e
}

func (e *echo) lines() *lines { return newLines("tcp", e.Listener.Addr().String(), time.Now) }

func (e *echo) ask(ctx context.Context, l *lines, path, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	resp, err := l.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func (e *echo) want(t *testing.T, l *lines, path, body, want string) {
	t.Helper()
	if got, err := e.ask(t.Context(), l, path, body); err != nil || got != want {
		t.Fatalf("%s: %q, %v, want %q", path, got, err, want)
	}
}

func TestAConnectionIsKept(t *testing.T) {
	e := newEcho(t)
	l := e.lines()
	large := strings.Repeat("x", 5*lineSize)
	for i := range 10 {
		e.want(t, l, fmt.Sprintf("/%d", i), "abc", fmt.Sprintf("/%d3", i))
		e.want(t, l, "/large", large, fmt.Sprintf("/large%d", len(large)))
	}
	if n := e.connections.Load(); n != 1 {
		t.Errorf("%d connections for one call at a time", n)
	}
}

// TestWhoHungUpIsNotAsked: a slurmrestd that was started anew must not look like
// one that has taken a job and lost its answer.
func TestWhoHungUpIsNotAsked(t *testing.T) {
	e := newEcho(t)
	l := e.lines()
	for range 3 {
		e.want(t, l, "/a", "", "/a0")
		e.CloseClientConnections()
	}
	e.want(t, l, "/last", "", "/last0")
	e.want(t, l, "/b", "", "/b0")
	if asked, connections := e.asked.Load(), e.connections.Load(); asked != 5 || connections != 5 {
		t.Errorf("asked %d times over %d connections, want 5 over 5", asked, connections)
	}
}

func TestALateAnswerIsNobodysElse(t *testing.T) {
	e := newEcho(t)
	l := e.lines()
	e.want(t, l, "/first", "", "/first0")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got, err := e.ask(ctx, l, "/slow", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("an answer that does not come: %q, %v", got, err)
	}
	close(e.hold)
	e.want(t, l, "/next", "", "/next0")
}

func TestACallIsCutShort(t *testing.T) {
	e := newEcho(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if got, err := e.ask(ctx, e.lines(), "/slow", ""); !errors.Is(err, context.Canceled) {
		t.Fatalf("a call that was cancelled: %q, %v", got, err)
	}
}

func TestManyAtATime(t *testing.T) {
	e := newEcho(t)
	l := e.lines()
	var all sync.WaitGroup
	for caller := range 2 * mostKept {
		all.Go(func() {
			for i := range 20 {
				path := fmt.Sprintf("/%d-%d-", caller, i)
				if got, err := e.ask(t.Context(), l, path, "ab"); err != nil || got != path+"2" {
					t.Errorf("%s: %q, %v", path, got, err)
					return
				}
			}
		})
	}
	all.Wait()
	if len(l.free) > mostKept {
		t.Errorf("%d connections are kept, want %d at most", len(l.free), mostKept)
	}
}

func TestNobodyThere(t *testing.T) {
	e := newEcho(t)
	l := e.lines()
	e.Close()
	if got, err := e.ask(t.Context(), l, "/a", ""); err == nil {
		t.Errorf("nobody answers %q", got)
	}
}
