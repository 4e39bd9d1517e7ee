package broker_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// gate stands before a market.
type gate struct {
	next http.Handler

	mu     sync.Mutex
	before func(r *http.Request) bool                                   // false: the connection is cut
	after  func(r *http.Request, status int, body []byte) (int, []byte) // what is answered instead; a negative status: the connection is cut
	seen   []string
}

func (g *gate) set(before func(*http.Request) bool, after func(*http.Request, int, []byte) (int, []byte)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.before, g.after = before, after
}

// wrap puts something more before the market.
func (g *gate) wrap(around func(http.Handler) http.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = around(g.next)
}

func (g *gate) count(what string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, s := range g.seen {
		if strings.HasPrefix(s, what) {
			n++
		}
	}
	return n
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	before, after, next := g.before, g.after, g.next
	g.seen = append(g.seen, r.Method+" "+r.URL.Path)
	g.mu.Unlock()
	if before != nil && !before(r) {
		panic(http.ErrAbortHandler)
	}
	if after == nil || strings.HasSuffix(r.URL.Path, "/events") {
		next.ServeHTTP(w, r)
		return
	}
	rec := httptest.NewRecorder()
	next.ServeHTTP(rec, r)
	status, body := after(r, rec.Code, rec.Body.Bytes())
	if status < 0 {
		panic(http.ErrAbortHandler)
	}
	for name, values := range rec.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the other side may be gone
}

// cut lets nothing through.
func cut(*http.Request) bool { return false }

// keptAnswer is an answer that is held back for a moment.
type keptAnswer struct{ *httptest.ResponseRecorder }

func newAnswer() keptAnswer { return keptAnswer{httptest.NewRecorder()} }

func (k keptAnswer) to(w http.ResponseWriter) {
	for name, values := range k.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(k.Code)
	_, _ = w.Write(k.Body.Bytes()) // the other side may be gone
}
