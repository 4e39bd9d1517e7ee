package api_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/fair"
)

// from asks with a secret from an address.
func (w *world) from(address, secret string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, "/v1/prices", nil)
	r.RemoteAddr = address
	r.Header.Set("Authorization", "Bearer "+secret)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

// still is a world whose clock stands, but for what is added to it.
func still(t *testing.T, change ...func(*api.Options)) (w *world, ahead *atomic.Int64) {
	t.Helper()
	began, ahead := time.Now(), &atomic.Int64{}
	stop := func(o *api.Options) { o.Now = func() time.Time { return began.Add(time.Duration(ahead.Load())) } }
	return newWorld(t, append([]func(*api.Options){stop}, change...)...), ahead
}

func invented(i int) string { return "libra_" + fmt.Sprintf("%043d", i) }

// Tokens that nobody has ask the store up to a number, and are then refused without:
// neither who comes from elsewhere nor whose token was good before is kept out.
func TestAFloodOfUnknownTokens(t *testing.T) {
	w, ahead := still(t)
	if a := w.from("192.0.2.7:1", w.secret["alice"]); a.Code != http.StatusOK {
		t.Fatalf("alice: %d %s", a.Code, a.Body)
	}
	before, codes := w.keys.Times(), map[int]int{}
	var last *httptest.ResponseRecorder
	for i := range 1000 {
		last = w.from("192.0.2.7:2", invented(i))
		codes[last.Code]++
	}
	if codes[401] != 200 || codes[429] != 800 || w.keys.Times()-before != 200 {
		t.Errorf("%v, and the store was asked %d times", codes, w.keys.Times()-before)
	}
	if last.Header().Get("Retry-After") != "1" || !strings.Contains(last.Body.String(), `"limit":"wrong_tokens"`) {
		t.Errorf("%v %s", last.Header(), last.Body)
	}
	ahead.Store(int64(time.Minute)) // the store is asked anew
	for i := range 1000 {
		w.from("192.0.2.7:2", invented(i))
	}
	for address, who := range map[string]string{"192.0.2.7:3": "alice", "192.0.2.8:1": "bob"} {
		if a := w.from(address, w.secret[who]); a.Code != http.StatusOK {
			t.Errorf("%s: %d %s", who, a.Code, a.Body)
		}
	}
	if a := w.from("192.0.2.7:3", w.secret["root"]); a.Code != http.StatusTooManyRequests {
		t.Errorf("a token not seen before, from there: %d", a.Code)
	}
	ahead.Add(int64(time.Second))
	if a := w.from("192.0.2.7:3", w.secret["root"]); a.Code != http.StatusOK {
		t.Errorf("after as long as was said: %d %s", a.Code, a.Body)
	}
}

// By the socket each user of the machine comes from a place of their own: whoever tries
// tokens there keeps nobody else out, not even one who was not seen before.
func TestAFloodByTheSocket(t *testing.T) {
	w, _ := still(t)
	for i := range 1000 {
		w.from("user 1002", invented(i))
	}
	if a := w.from("user 1002", w.secret["bob"]); a.Code != http.StatusTooManyRequests {
		t.Errorf("who tries them: %d %s", a.Code, a.Body)
	}
	for _, from := range []string{"user 0", "user 1001"} {
		if a := w.from(from, w.secret["alice"]); a.Code != http.StatusOK {
			t.Errorf("%s: %d %s", from, a.Code, a.Body)
		}
	}
}

// Whoever is refused writes few lines into the log.
func TestRefusalsDoNotFillTheLog(t *testing.T) {
	log := &lines{}
	w, _ := still(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(log, nil))
		o.Gate = fair.NewGate(fair.Limits{Reads: 1, ReadsBurst: 1}, o.Now)
	})
	for i := range 1000 {
		w.from("192.0.2.7:1", w.secret["alice"])
		w.from("192.0.2.7:1", invented(i%100))
	}
	for _, status := range []string{"status=401", "status=429"} {
		if n := strings.Count(log.String(), status); n == 0 || n > 20 {
			t.Errorf("%s is in %d lines", status, n)
		}
	}
	w.secret["bob again"] = w.keys.Make("bob", v1.RoleUser)
	w.ask("bob again", "POST", "/v1/jobs", submission("any"))
	if n := strings.Count(log.String(), "status=201"); n != 1 {
		t.Errorf("what changed something is in %d lines", n)
	}
}
