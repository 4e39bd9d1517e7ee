package broker_test

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func TestAnAnswerThatIsLost(t *testing.T) {
	w := three(t).impatient().start()
	cheap := w.clusters[1]
	lost := atomic.Bool{}
	lost.Store(true)
	cheap.gate.set(func(r *http.Request) bool {
		return !lost.Load() || r.Method != http.MethodGet || r.URL.Path != "/v1/jobs"
	},
		func(r *http.Request, status int, body []byte) (int, []byte) {
			if lost.Load() && r.Method == http.MethodPost && r.URL.Path == "/v1/jobs" {
				return -1, nil // it was carried out
			}
			return status, body
		})
	ctx := client.WithKey(t.Context(), "again")
	j, err := w.as("alice").Submit(ctx, job("a"), "")
	if err != nil || j.State != v1.Queued || where(&j) != "cheap" || j.Detail == "" {
		t.Fatalf("got %+v, %v", j, err)
	}
	// Whoever asks again with the key hears the same; nobody else is asked.
	if again, err := w.as("alice").Submit(ctx, job("a"), ""); err != nil || again.ID != j.ID {
		t.Errorf("got %+v, %v", again, err)
	}
	lost.Store(false)
	eventually(t, "the job to be found", func() bool {
		now, err := w.as("alice").Job(t.Context(), j.ID)
		return err == nil && now.Firm && now.Detail == ""
	})
	if n := len(w.clusters[0].jobs()) + len(w.clusters[2].jobs()); n != 0 || len(cheap.jobs()) != 1 {
		t.Errorf("%d jobs at the others, %d at cheap", n, len(cheap.jobs()))
	}
	if again, err := w.as("alice").Submit(ctx, job("a"), ""); err != nil || again.ID != j.ID || !again.Firm {
		t.Errorf("got %+v, %v", again, err)
	}
	if _, err := w.as("alice").Submit(ctx, job("b"), ""); problem(t, err).Type != "/problems/key-reused" {
		t.Errorf("got %v", err)
	}
}

func TestALostAnswerIsWaitedForUntilTheDeadline(t *testing.T) {
	w := three(t).start()
	cheap := w.clusters[1]
	gone := atomic.Bool{}
	cheap.gate.set(func(*http.Request) bool { return !gone.Load() },
		func(r *http.Request, status int, body []byte) (int, []byte) {
			if r.Method == http.MethodPost && r.URL.Path == "/v1/jobs" {
				gone.Store(true)
				return -1, nil // it was carried out, and then the cluster is gone
			}
			return status, body
		})
	j := w.submit("alice", job("a", func(r *v1.Request) { r.EstimateMS, r.DeadlineMS = 500, 1500 }))
	eventually(t, "the deadline", func() bool {
		now, err := w.as("alice").Job(t.Context(), j.ID)
		return err == nil && now.State == v1.Lost && now.Reason == "cluster_away"
	})
	// It is back, and what it has of the job is taken back.
	cheap.gate.set(nil, nil)
	eventually(t, "the job to be taken back", func() bool {
		all := cheap.jobs()
		return len(all) == 1 && (all[0].State == v1.Stopping || all[0].State == v1.Cancelled)
	})
	if n := len(w.clusters[0].jobs()) + len(w.clusters[2].jobs()); n != 0 {
		t.Errorf("%d jobs at the others", n)
	}
}

// A job that is cancelled while nobody knows who has it is not begun again by
// whoever repeats the request.
func TestCancelledWhileNobodyKnows(t *testing.T) {
	w := three(t).impatient().start()
	cheap := w.clusters[1]
	cheap.gate.set(func(r *http.Request) bool { return r.Method != http.MethodPost || r.URL.Path != "/v1/jobs" }, nil)
	ctx := client.WithKey(t.Context(), "k")
	j, err := w.as("alice").Submit(ctx, job("a"), "")
	if err != nil || j.Firm {
		t.Fatalf("got %+v, %v", j, err)
	}
	if now, err := w.as("alice").Cancel(t.Context(), j.ID); err != nil || now.State != v1.Cancelled {
		t.Fatalf("got %+v, %v", now, err)
	}
	cheap.gate.set(nil, nil)
	again, err := w.as("alice").Submit(ctx, job("a"), "")
	if err != nil || again.ID != j.ID || again.State != v1.Cancelled {
		t.Errorf("got %+v, %v", again, err)
	}
	w.end()
	w.start()
	if again, err = w.as("alice").Submit(ctx, job("a"), ""); err != nil || again.ID != j.ID {
		t.Errorf("got %+v, %v", again, err)
	}
	for _, c := range w.clusters {
		if n := len(c.jobs()); n != 0 {
			t.Errorf("%d jobs at %s", n, c.name)
		}
	}
}

// A token that is taken away in the middle says nothing about what was handed
// over before.
func TestATokenThatIsTakenAway(t *testing.T) {
	w := three(t).impatient().start()
	cheap := w.clusters[1]
	gone := atomic.Bool{}
	denied := []byte(`{"type":"/problems/unauthenticated","title":"Who are you","status":401}`)
	cheap.gate.set(nil, func(r *http.Request, status int, body []byte) (int, []byte) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/v1/jobs" && !gone.Swap(true):
			return -1, nil // it was carried out
		case gone.Load():
			return http.StatusUnauthorized, denied
		}
		return status, body
	})
	j := w.submit("alice", job("a"))
	for range 20 {
		time.Sleep(10 * time.Millisecond) // nothing is to happen, and nothing can be waited for
		if n := len(w.clusters[0].jobs()) + len(w.clusters[2].jobs()); n != 0 {
			t.Fatalf("%d jobs at the others", n)
		}
	}
	cheap.gate.set(nil, nil)
	eventually(t, "it to be found", func() bool {
		now, err := w.as("alice").Job(t.Context(), j.ID)
		return err == nil && now.Firm && where(&now) == "cheap"
	})
}

// A cluster that takes the job and dies before it has said so is not taken for
// one that was never reached: it has the job when it comes back.
func TestAClusterThatDiesWithTheJobInItsHands(t *testing.T) {
	w := three(t).impatient().start()
	cheap := w.clusters[1]
	listening := cheap.server.Listener.Addr().String()
	var once sync.Once
	cheap.gate.set(nil, func(r *http.Request, status int, body []byte) (int, []byte) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/jobs" {
			once.Do(func() { _ = cheap.server.Listener.Close() }) // nobody gets through any more
			return -1, nil
		}
		return status, body
	})
	j := w.submit("alice", job("a"))
	if where(&j) != "cheap" || j.Firm {
		t.Fatalf("got %+v", j)
	}
	again, err := net.Listen("tcp", listening)
	if err != nil {
		t.Fatal(err) // somebody else was given the address: as good as never
	}
	back := &http.Server{Handler: cheap.gate, ReadHeaderTimeout: time.Minute}
	cheap.gate.set(nil, nil)
	go func() { _ = back.Serve(again) }()
	defer back.Close()
	eventually(t, "it to be found", func() bool {
		now, err := w.as("alice").Job(t.Context(), j.ID)
		return err == nil && now.Firm && where(&now) == "cheap"
	})
	if n := len(w.clusters[0].jobs()) + len(w.clusters[2].jobs()); n != 0 {
		t.Errorf("%d jobs at the others", n)
	}
}

// One that was never reached has nothing: the job goes to the next.
func TestAClusterThatIsNotReached(t *testing.T) {
	w := three(t).start()
	cheap := w.clusters[1]
	cheap.gate.wrap(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/quotes" {
				_ = cheap.server.Listener.Close()
				a.Header().Set("Connection", "close") // so that the next call has to knock anew
			}
			next.ServeHTTP(a, r)
		})
	})
	// Nobody else's connection can be used for bob's job.
	if j := w.submit("bob", job("a")); where(&j) != "middle" || !j.Firm {
		t.Errorf("got %+v", j)
	}
	if r := w.record("cheap"); r.Answered != 1 || r.Won != 0 {
		t.Errorf("got %+v", r)
	}
}
