package broker_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/broker"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
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
	plain := func(*testing.T, *broker.Broker) v1.SubmitRequest { return v1.SubmitRequest{Request: job("once")} }
	first := func(*testing.T, *broker.Broker) v1.SubmitRequest {
		return v1.SubmitRequest{Request: job("once", wish("first"), func(r *v1.Request) { r.EstimateMS, r.DeadlineMS = 60_000, 25_000 })}
	}
	quoted := func(t *testing.T, b *broker.Broker) v1.SubmitRequest {
		o, _, err := b.Do(t.Context(), trade.Command{By: alice, Quote: wire.ToAskQuote(&v1.QuoteRequest{TTLMS: 60_000, Request: job("once")})}, api.Key{})
		if err != nil || o.Quote == nil {
			t.Fatalf("no quote: %+v, %v", o, err)
		}
		return v1.SubmitRequest{Quote: o.Quote.ID}
	}
	for _, way := range []struct {
		name  string
		ask   func(*testing.T, *broker.Broker) v1.SubmitRequest
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

var alice = trade.Identity{User: "alice", Role: trade.RoleUser}

// killed kills a broker at a step of a submission and looks what comes of it. It
// reports whether the submission was through before.
func killed(t *testing.T, at int64, after bool, ask func(*testing.T, *broker.Broker) v1.SubmitRequest) (survived bool) {
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
	b, err := broker.Open(t.Context(), &mortal{w.store, p}, w.markets(), w.options)
	if err != nil {
		t.Fatal(err)
	}
	key := api.Key{Owner: "alice", Key: "k1", Digest: []byte("d")}
	s := ask(t, b)
	command := trade.Command{By: alice, Submit: wire.ToSubmit(&s)}
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
	list, err := w.broker.Jobs(t.Context(), v1.JobQuery{Limit: 10})
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

// fickle is a store that cannot be written for a while.
type fickle struct {
	store.Store
	writes atomic.Int64
	from   int64 // the first write that fails
	until  int64 // the first that does not any more
}

func (f *fickle) Append(ctx context.Context, b store.Batch) error {
	if n := f.writes.Add(1); n >= f.from && n < f.until {
		return store.ErrFull
	}
	return f.Store.Append(ctx, b)
}

// A store that is full for a while, at any step, makes no second job of one.
func TestAStoreThatIsFull(t *testing.T) {
	for from := int64(1); from <= 3; from++ {
		t.Run(fmt.Sprint("from write ", from), func(t *testing.T) {
			w := three(t)
			inner, err := store.Open(context.Background(), w.path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = inner.Close() })
			w.store = &fickle{Store: inner, from: from, until: from + 3}
			w.start()
			key := api.Key{Owner: "alice", Key: "k", Digest: []byte("d")}
			command := trade.Command{By: alice, Submit: wire.ToSubmit(&v1.SubmitRequest{Request: job("once")})}
			var out api.Outcome
			eventually(t, "the store to have room", func() bool {
				out, _, err = w.broker.Do(t.Context(), command, key)
				if err != nil && !errors.Is(err, trade.ErrUnavailable) {
					t.Fatal(err)
				}
				return err == nil && out.Job != nil && out.Job.Firm
			})
			total := 0
			for _, c := range w.clusters {
				total += len(c.jobs())
			}
			list, err := w.broker.Jobs(t.Context(), v1.JobQuery{Limit: 10})
			if err != nil || total != 1 || len(list) != 1 || list[0].ID != out.Job.ID {
				t.Errorf("%d jobs at the clusters, %d at the broker (%v)", total, len(list), err)
			}
		})
	}
}
