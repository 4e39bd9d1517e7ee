package controller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// logOnly is a store that keeps no snapshots, as if the program were always
// killed, and shows its log through somebody's glasses.
type logOnly struct {
	store.Store
	alter func(*store.Entry) // as if it had been written so
}

func (l *logOnly) SaveSnapshot(context.Context, store.Snapshot) error {
	return errors.New("no snapshots here")
}

func (l *logOnly) LatestSnapshot(context.Context) (store.Snapshot, bool, error) {
	return store.Snapshot{}, false, nil
}

func (l *logOnly) Tail(ctx context.Context, after int64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var before []byte
		for e, err := range l.Store.Tail(ctx, after) {
			if err == nil && l.alter != nil {
				l.alter(&e)
				e.Hash = e.Sum(before)
				before = e.Hash
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// rewrite changes what an entry says.
func rewrite(t *testing.T, e *store.Entry, change func(map[string]json.RawMessage)) {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	change(body)
	var err error
	if e.Body, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
}

// busy is a market in the middle of its work: jobs that run, wait for another,
// have ended, were refused; a quote that is kept; two epochs.
func busy(t *testing.T) *floor {
	t.Helper()
	f := open(t, nil)
	f.money("open", "lab/bob", 0)
	f.submit("k1", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	second := f.submit("k2", trade.Request{EstimateMS: 60_000, DeadlineMS: 90_000, Processors: 2}).Job.ID
	f.submit("", trade.Request{EstimateMS: 1_000, DeadlineMS: 400_000, After: []int64{second}})
	f.submit("", trade.Request{EstimateMS: 60_000, DeadlineMS: 30_000})
	f.ended("n1", f.orders("n1", 3)[0].Spec.Key, time.Second)
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: "libra-plus", Settings: map[string]string{"beta": "0.3"}}}, "")
	f.do(trade.Command{By: alice, Quote: &trade.AskQuote{TTLMS: 600_000, Request: trade.Request{EstimateMS: 5_000, DeadlineMS: 50_000}}}, "")
	return f
}

// seen is what a market says of itself, without what moves by itself.
func seen(t *testing.T, f *floor) any {
	t.Helper()
	jobs, err := f.Jobs(t.Context(), v1.JobQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		jobs[i].Work, jobs[i].Timeline, jobs[i].Share = 0, nil, 0
	}
	accounts, err := f.Accounts(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	epochs, err := f.Epochs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	quote, err := f.Quote(t.Context(), "q5")
	if err != nil {
		t.Fatal(err)
	}
	return []any{jobs, accounts, epochs, quote}
}

// killed starts another controller on what the first one has written, as after
// kill -9.
func killed(t *testing.T, f *floor, alter func(*store.Entry)) *floor {
	t.Helper()
	f.stop()
	<-f.Done()
	next := &floor{T: t, store: f.store, cfg: f.cfg}
	next.start(&logOnly{Store: f.store, alter: alter})
	return next
}

// What was asked, and what the core was told and said, are not needed to read
// the state back: the facts are. So no policy is asked, and no bill is made again.
func TestRecoveryDecidesNothing(t *testing.T) {
	f := busy(t)
	before := seen(t, f)
	tick, err := json.Marshal(trade.Command{Tick: &trade.Tick{}})
	if err != nil {
		t.Fatal(err)
	}
	g := killed(t, f, func(e *store.Entry) {
		rewrite(t, e, func(body map[string]json.RawMessage) {
			body["cmd"] = tick
			delete(body, "steps")
		})
	})
	if after := seen(t, g); !reflect.DeepEqual(before, after) {
		t.Errorf("before: %+v\nafter: %+v", before, after)
	}
	for {
		d, err := g.Desired(t.Context(), "n1", -1, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Orders) == 0 {
			break
		}
		for _, o := range d.Orders {
			g.ended("n1", o.Spec.Key, time.Second)
		}
	}
	g.verify()
}

// An entry or a snapshot of a later version is refused in one sentence that says
// what to do.
func TestANewerLogIsRefused(t *testing.T) {
	f := busy(t)
	f.stop()
	<-f.Done()
	_, err := controller.Start(t.Context(), &logOnly{Store: f.store, alter: func(e *store.Entry) { e.Version = controller.EntryForm + 1 }}, f.cfg)
	if err == nil || !strings.Contains(err.Error(), "newer version of libra") || !strings.Contains(err.Error(), "restore the backup") {
		t.Errorf("%v", err)
	}
}

// The tool finds where this program decides otherwise than the log, and only
// that.
func TestStrictly(t *testing.T) {
	f := busy(t)
	check := func(alter func(*store.Entry)) controller.Strict {
		t.Helper()
		s, err := controller.CheckStrictly(t.Context(), &logOnly{Store: f.store, alter: alter}, "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := check(nil); len(s.Differ) != 0 || s.Same != s.Entries || s.Entries < 10 {
		t.Errorf("its own log: %+v", s)
	}
	other, sum := int64(0), regexp.MustCompile(`"sum":\d+`)
	s := check(func(e *store.Entry) {
		if e.Kind != "submit" || other != 0 {
			return
		}
		other = e.Seq
		rewrite(t, e, func(body map[string]json.RawMessage) {
			body["steps"] = json.RawMessage(strings.Replace(string(body["steps"]), `"price":10.5`, `"price":11.5`, 1))
			body["steps"] = sum.ReplaceAll(body["steps"], []byte(`"sum":0`))
		})
	})
	if len(s.Differ) != 1 || s.Differ[0].Seq != other || s.Same != s.Entries-1 {
		t.Errorf("one price is another: %+v", s)
	}
}

// Every prefix of a log opens, and of one whose entry forgets something the first that
// does not is named, though the whole of it may well open.
func TestEveryPrefix(t *testing.T) {
	f := busy(t)
	last, _, err := f.store.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := controller.Prefixes(t.Context(), f.store, "test"); err != nil || int64(n) != last.Seq {
		t.Errorf("%d of %d entries: %v", n, last.Seq, err)
	}
	var before []byte
	forgot := int64(0)
	_, err = controller.Prefixes(t.Context(), &logOnly{Store: f.store, alter: func(e *store.Entry) {
		if e.Kind == "submit" && forgot == 0 {
			forgot = e.Seq
			rewrite(t, e, func(body map[string]json.RawMessage) {
				var facts map[string]json.RawMessage
				if err := json.Unmarshal(body["facts"], &facts); err != nil {
					t.Fatal(err)
				}
				delete(facts, "book")
				body["facts"] = have(json.Marshal(facts))(t)
			})
		}
		e.Hash = e.Sum(before) // as if it had been written so
		before = e.Hash
	}}, "test")
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("up to entry %d (submit)", forgot)) {
		t.Errorf("entry %d has forgotten the job on its processor: %v", forgot, err)
	}
}
