package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
)

// Told that it comes too often, a client waits as it is told, more often than it
// would try where something fails; what would take too long it says at once.
func TestAClientWaitsAsItIsTold(t *testing.T) {
	var calls, refusals atomic.Int32
	after := "0"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		if refusals.Add(-1) >= 0 {
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"type":"/problems/too-many-requests","title":"too much","status":429,"limit":"commands"}`))
			return
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	defer s.Close()
	ask := func(refused int32, o client.Options) error {
		calls.Store(0)
		refusals.Store(refused)
		c, err := client.New(s.URL, "", o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Whoami(t.Context())
		return err
	}
	if err := ask(3, client.Options{Retries: 1}); err != nil || calls.Load() != 4 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	limit := func(err error) string {
		if p, ok := errors.AsType[*client.Problem](err); ok {
			return p.Limit
		}
		return ""
	}
	if err := ask(1000, client.Options{Patience: 200 * time.Millisecond}); limit(err) != "commands" || calls.Load() > 5 {
		t.Errorf("%v after %d calls: its patience has an end", err, calls.Load())
	}
	if err := ask(1000, client.Options{Retries: -1}); limit(err) != "commands" || calls.Load() != 1 {
		t.Errorf("%v after %d calls: it was to try once", err, calls.Load())
	}
	after = "600"
	if err := ask(1000, client.Options{}); limit(err) != "commands" || calls.Load() != 1 {
		t.Errorf("%v after %d calls: nobody waits that long", err, calls.Load())
	}
}
