package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// post is a controller of a market, as far as clients notice.
type post struct {
	*httptest.Server

	leads, still atomic.Bool
	served       atomic.Int64
	end          chan struct{}
}

func newPost(t *testing.T, leads bool) *post {
	p := &post{end: make(chan struct{})}
	p.leads.Store(leads)
	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	t.Cleanup(func() { close(p.end); p.Close() })
	return p
}

func (p *post) answer(w http.ResponseWriter, r *http.Request) {
	if p.still.Load() { // it takes calls and does nothing
		<-p.end
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the connection can be used again
	switch {
	case r.URL.Path == "/livez":
		_ = json.NewEncoder(w).Encode(v1.Standing{Alive: true, Leading: p.leads.Load(), Term: 1}) // to a test
	case !p.leads.Load():
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"status":503,"detail":"another controller leads"}`) // to a test
	default:
		p.served.Add(1)
		_, _ = io.WriteString(w, `{}`) // to a test
	}
}

// TestSeveralControllers goes to the one that leads: from one that waits, from one
// that is gone, and from one that takes calls and never answers.
func TestSeveralControllers(t *testing.T) {
	a, b, c := newPost(t, false), newPost(t, true), newPost(t, false)
	market, err := client.New(a.URL+", "+b.URL+","+c.URL, "", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer market.Close()
	ask := func(what string, of *post) {
		t.Helper()
		before := of.served.Load()
		if _, err := market.Prices(t.Context()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if of.served.Load() == before {
			t.Errorf("%s: another one was asked", what)
		}
		if market.Server() != of.URL {
			t.Errorf("%s: the next one asked is %s", what, market.Server())
		}
	}
	ask("the first waits", b)
	b.still.Store(true)
	c.leads.Store(true)
	ask("the leader stands still", c)
	c.Close()
	a.leads.Store(true)
	ask("the leader is gone", a)
}

// TestACallIsMadeOnce turns to the next controller for the next call, and does not
// make the same one twice.
func TestACallIsMadeOnce(t *testing.T) {
	a, b := newPost(t, false), newPost(t, true)
	market, err := client.New(a.URL+","+b.URL, "", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer market.Close()
	once := client.Call{Method: http.MethodPost, Path: "/v1/nodes/n/report"}
	if err := market.Once(t.Context(), once, nil); err == nil || b.served.Load() != 0 {
		t.Errorf("asked the one that waits: %v, and the other one %d times", err, b.served.Load())
	}
	if err := market.Once(t.Context(), once, nil); err != nil || b.served.Load() != 1 {
		t.Errorf("asked again: %v, and the other one %d times", err, b.served.Load())
	}
}

// TestWrongAddressesInAList names the one that is wrong.
func TestWrongAddressesInAList(t *testing.T) {
	for _, list := range []string{"https://a:1,", ",", "https://a:1,ftp://b", "https://a:1,http://b:2"} {
		if _, err := client.New(list, "secret", client.Options{}); err == nil {
			t.Errorf("%q: no error", list)
		}
	}
}
