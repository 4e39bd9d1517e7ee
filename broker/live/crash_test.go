package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"libra/api"
	"libra/api/client"
	"libra/broker/live"
	"libra/exchange"
	"libra/store"
)

// plan is when a broker is killed: at which of the things it does to the world,
// and whether before or after it is done. From then on it does nothing more.
type plan struct {
	after bool

	mu   sync.Mutex
	at   int64
	did  int64
	dead atomic.Bool
}

// arm lets it happen at a step from now.
func (p *plan) arm(at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.did = at, 0
}

// disarm lets the next broker live.
func (p *plan) disarm() {
	p.arm(-1)
	p.dead.Store(false)
}

func (p *plan) due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did++
	return p.did == p.at
}

// step lets one thing happen, or not.
func (p *plan) step(do func() error) error {
	if p.dead.Load() {
		return errKilled
	}
	if p.due() {
		p.dead.Store(true)
		if p.after {
			_ = do() // it happens, and nobody hears of it
		}
		return errKilled
	}
	return do()
}

var errKilled = errors.New("killed")

// mortal is a store whose writer can be killed.
type mortal struct {
	store.Store
	plan *plan
}

func (m *mortal) Append(ctx context.Context, b store.Batch) error {
	return m.plan.step(func() error { return m.Store.Append(ctx, b) })
}

func (m *mortal) SetMeta(ctx context.Context, key, value string) error {
	if m.plan.dead.Load() {
		return errKilled
	}
	return m.Store.SetMeta(ctx, key, value)
}

// changes reports whether a call does something to a cluster.
func changes(r *http.Request) bool { return r.Method == http.MethodPost }

// A broker that is killed between any two steps of a submission, and started
// again, has handed the job to exactly one cluster, once; and the client who
// asks again with the same key gets that one.
func TestKilledAtEveryStep(t *testing.T) {
	plain := func(*testing.T, *live.Broker) exchange.Submit { return exchange.Submit{Request: job("once")} }
	first := func(*testing.T, *live.Broker) exchange.Submit {
		return exchange.Submit{Request: job("once", wish("first"), func(r *exchange.Request) { r.EstimateMS, r.DeadlineMS = 60_000, 25_000 })}
	}
	quoted := func(t *testing.T, b *live.Broker) exchange.Submit {
		o, _, err := b.Do(t.Context(), exchange.Command{By: alice, Quote: &exchange.AskQuote{TTLMS: 60_000, Request: job("once")}}, api.Key{})
		if err != nil || o.Quote == nil {
			t.Fatalf("no quote: %+v, %v", o, err)
		}
		return exchange.Submit{Quote: o.Quote.ID}
	}
	for _, way := range []struct {
		name  string
		ask   func(*testing.T, *live.Broker) exchange.Submit
		steps int64 // at least
	}{{"cheapest", plain, 6}, {"first", first, 4}, {"on a quote", quoted, 3}} {
		steps := int64(0)
		for at := int64(1); at <= steps || steps == 0; at++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, at %d, after %v", way.name, at, after), func(t *testing.T) {
					if survived := killed(t, at, after, way.ask); survived {
						steps = at
					}
				})
				if t.Failed() {
					return
				}
			}
		}
		if steps <= way.steps {
			t.Errorf("%s: a submission has only %d steps", way.name, steps-1)
		}
	}
}

var alice = exchange.Identity{User: "alice", Role: exchange.RoleUser}

// killed kills a broker at a step of a submission and looks what comes of it. It
// reports whether the submission was through before.
func killed(t *testing.T, at int64, after bool, ask func(*testing.T, *live.Broker) exchange.Submit) (survived bool) {
	p := &plan{at: -1, after: after}
	w := three(t)
	var err error
	if w.store, err = store.Open(context.Background(), w.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	for _, c := range w.clusters {
		c.gate.wrap(func(next http.Handler) http.Handler { return killing(p, next) })
	}
	b, err := live.Open(t.Context(), &mortal{w.store, p}, w.markets(), w.options)
	if err != nil {
		t.Fatal(err)
	}
	key := api.Key{Owner: "alice", Key: "k1", Digest: []byte("d")}
	s := ask(t, b)
	command := exchange.Command{By: alice, Submit: &s}
	p.arm(at)
	done := make(chan error, 1)
	go func() {
		_, _, err := b.Do(context.Background(), command, key)
		done <- err
	}()
	eventually(t, "the kill", func() bool {
		select {
		case err := <-done:
			if !p.dead.Load() && err != nil {
				t.Errorf("not killed: %v", err)
			}
			return true
		default:
			return p.dead.Load()
		}
	})
	b.Close()
	survived = !p.dead.Load()
	p.disarm()
	w.start()
	out, _, err := w.broker.Do(t.Context(), command, key)
	if err != nil || out.Job == nil || out.Refusal != nil {
		t.Fatalf("the second time: %+v, %v", out, err)
	}
	eventually(t, "the job to be known", func() bool {
		j, err := w.broker.Job(t.Context(), out.Job.ID)
		return err == nil && where(&j) != "" && j.Firm
	})
	total := 0
	for _, c := range w.clusters {
		total += len(c.jobs())
	}
	list, err := w.broker.Jobs(t.Context(), api.JobQuery{Limit: 10})
	if err != nil || total != 1 || len(list) != 1 {
		t.Errorf("%d jobs at the clusters, %d at the broker (%v)", total, len(list), err)
	}
	again, replayed, err := w.broker.Do(t.Context(), command, key)
	if err != nil || !replayed || again.Job == nil || again.Job.ID != out.Job.ID {
		t.Errorf("the third time: %+v, %v, %v", again, replayed, err)
	}
	return survived
}

// killing lets the broker be killed at what it does to a cluster.
func killing(p *plan, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !changes(r) {
			if p.dead.Load() {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
			return
		}
		rec := newAnswer()
		err := p.step(func() error { next.ServeHTTP(rec, r); return nil })
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		rec.to(w)
	})
}

func TestAnAnswerThatIsLost(t *testing.T) {
	w := three(t).start()
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
	if err != nil || j.State != exchange.Queued || where(&j) != "cheap" || j.Detail == "" {
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
	j := w.submit("alice", job("a", func(r *exchange.Request) { r.EstimateMS, r.DeadlineMS = 500, 1500 }))
	eventually(t, "the deadline", func() bool {
		now, err := w.as("alice").Job(t.Context(), j.ID)
		return err == nil && now.State == exchange.Lost && now.Reason == "cluster_away"
	})
	// It is back, and what it has of the job is taken back.
	cheap.gate.set(nil, nil)
	eventually(t, "the job to be taken back", func() bool {
		all := cheap.jobs()
		return len(all) == 1 && (all[0].State == exchange.Stopping || all[0].State == exchange.Cancelled)
	})
	if n := len(w.clusters[0].jobs()) + len(w.clusters[2].jobs()); n != 0 {
		t.Errorf("%d jobs at the others", n)
	}
}

// A job that is cancelled while nobody knows who has it is not begun again by
// whoever repeats the request.
func TestCancelledWhileNobodyKnows(t *testing.T) {
	w := three(t).start()
	cheap := w.clusters[1]
	cheap.gate.set(func(r *http.Request) bool { return r.Method != http.MethodPost || r.URL.Path != "/v1/jobs" }, nil)
	ctx := client.WithKey(t.Context(), "k")
	j, err := w.as("alice").Submit(ctx, job("a"), "")
	if err != nil || j.Firm {
		t.Fatalf("got %+v, %v", j, err)
	}
	if now, err := w.as("alice").Cancel(t.Context(), j.ID); err != nil || now.State != exchange.Cancelled {
		t.Fatalf("got %+v, %v", now, err)
	}
	cheap.gate.set(nil, nil)
	again, err := w.as("alice").Submit(ctx, job("a"), "")
	if err != nil || again.ID != j.ID || again.State != exchange.Cancelled {
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
