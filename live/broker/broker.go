package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/news"
	"github.com/libra-market/libra/live/store"
)

// Options are what a broker may be told; the zero value is good.
type Options struct {
	Wish     wish.Wish        // of those who name none; default cheapest
	Limit    time.Duration    // how long a cluster may take to quote; default 2 s
	Patience time.Duration    // how long a submission waits for a cluster that does not say whether it has the job; default 10 s
	Poll     time.Duration    // how often jobs are looked at beside the events; default 5 s
	Retry    time.Duration    // how soon a cluster that was gone is asked again; default 1 s
	Now      func() time.Time // default: the clock
	Log      *slog.Logger     // default: none

	over func() <-chan time.Time // says when the time to quote is over; a test can hand in its own
}

const defaultLimit = 2 * time.Second

func (o Options) withDefaults() Options {
	if o.Wish == "" {
		o.Wish = wish.Cheapest
	}
	for _, d := range []struct {
		at        *time.Duration
		otherwise time.Duration
	}{{&o.Limit, defaultLimit}, {&o.Patience, 10 * time.Second}, {&o.Poll, 5 * time.Second}, {&o.Retry, time.Second}} {
		if *d.at <= 0 {
			*d.at = d.otherwise
		}
	}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the edge of the system, and a test can hand in its own
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.over == nil {
		o.over = func() <-chan time.Time { return time.After(o.Limit) }
	}
	return o
}

// Store is what a broker needs of a store.
type Store interface {
	store.Writer
	store.Jobs
	store.Replies
	store.Settings
}

// Broker is one market made of several. It is an [api.Market].
type Broker struct {
	options Options
	log     *slog.Logger
	store   Store
	sellers []*seller // in the order of the file
	news    *news.Board

	ctx  context.Context //nolint:containedctx // of all that goes on between calls; Close ends it
	stop context.CancelFunc
	done sync.WaitGroup

	entering sync.Mutex
	next     int64 // number of the last job

	mu       sync.Mutex
	entries  map[int64]*entry   // jobs under way, and those that left something behind
	unplaced map[string]*entry  // those of which nobody knows who has them, by idempotency key
	numbers  map[place]int64    // number of the job that a cluster knows by another
	flights  map[string]*flight // submissions under way, by idempotency key
}

// place is a job as its cluster knows it.
type place struct {
	cluster string
	job     int64
}

var _ api.Market = (*Broker)(nil)

// Open begins to serve markets on a store of the broker's own, and goes on with
// what was under way when it last ended, however it ended. Two brokers must not
// have one store: see [store.Leadership].
func Open(ctx context.Context, s Store, markets []Market, o Options) (*Broker, error) {
	o = o.withDefaults()
	b := &Broker{
		options: o, log: o.Log, store: s, news: news.New(), entries: map[int64]*entry{}, numbers: map[place]int64{},
		flights: map[string]*flight{}, unplaced: map[string]*entry{},
	}
	b.ctx, b.stop = context.WithCancel(context.Background())
	for i := range markets {
		one, err := newSeller(b, i, &markets[i])
		if err != nil {
			b.stop()
			return nil, err
		}
		b.sellers = append(b.sellers, one)
	}
	if err := b.restore(ctx); err != nil {
		b.stop()
		return nil, fmt.Errorf("read the broker's store: %w", err)
	}
	b.resume()
	return b, nil
}

// Close ends what goes on. What is under way is written down and goes on at the
// next Open.
func (b *Broker) Close() {
	b.stop()
	b.done.Wait()
	b.writeRecords()
	b.news.Close()
	for _, s := range b.sellers {
		for _, l := range s.logins() {
			l.client.Close()
		}
	}
}

func (b *Broker) now() int64 { return b.options.Now().UnixMicro() }

// restore reads back what is known of clusters and jobs.
func (b *Broker) restore(ctx context.Context) error {
	names := make([]string, len(b.sellers))
	for i, s := range b.sellers {
		names[i] = s.name
	}
	records, err := readRecords(ctx, b.store, names)
	if err != nil {
		return err
	}
	text, err := json.Marshal(names)
	if err != nil {
		return err
	}
	if err := b.store.SetMeta(ctx, namesMeta, string(text)); err != nil {
		return err
	}
	for i, s := range b.sellers {
		s.record = records[i]
		s.record.AwayUS = 0 // it shows soon enough
	}
	return b.each(ctx, store.Query{}, func(e *entry) error {
		b.next = max(b.next, e.id)
		b.index(&e.facts)
		b.hold(e, &e.facts)
		return nil
	})
}

// each goes through the jobs of the store, the newest first.
func (b *Broker) each(ctx context.Context, q store.Query, f func(*entry) error) error {
	q.Limit = 500
	for {
		rows, err := b.store.Jobs(ctx, q)
		if err != nil {
			return err
		}
		for i := range rows {
			e, err := readEntry(&rows[i])
			if err == nil {
				err = f(e)
			}
			if err != nil {
				return err
			}
		}
		if len(rows) < q.Limit {
			return nil
		}
		q.Before = rows[len(rows)-1].ID
	}
}

// resume takes up what was under way, and begins to look after the clusters.
func (b *Broker) resume() {
	for _, e := range b.underway() {
		if e.facts.unsettled() {
			b.fly(e)
		} else {
			b.follow(e)
		}
	}
	for _, s := range b.sellers {
		b.done.Go(func() { s.follow(b.ctx) })
	}
	b.done.Go(b.tidy)
}

// tidy does now and then what nobody waits for: records are written, leftovers
// taken back, jobs of clusters that are gone handed on, old answers forgotten.
func (b *Broker) tidy() {
	turn := time.NewTicker(b.options.Retry)
	defer turn.Stop()
	forgot := b.now()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-turn.C:
		}
		b.writeRecords()
		b.sweep()
		if now := b.now(); now-forgot > time.Hour.Microseconds() {
			forgot = now
			if err := b.store.ForgetReplies(b.ctx, now-store.RepliesKept.Microseconds()); err != nil && b.ctx.Err() == nil {
				b.log.Warn("old answers stay", "error", err)
			}
		}
	}
}

// writeRecords writes the records that have changed.
func (b *Broker) writeRecords() {
	for _, s := range b.sellers {
		s.mu.Lock()
		text, err := json.Marshal(&s.record)
		dirty := s.dirty
		s.dirty = false
		s.mu.Unlock()
		if !dirty || err != nil {
			continue
		}
		if err := b.store.SetMeta(context.WithoutCancel(b.ctx), recordMeta+s.name, string(text)); err != nil && !errors.Is(err, store.ErrClosed) {
			b.log.Warn("a record is not written", "cluster", s.name, "error", err)
		}
	}
}

// seller finds a cluster by its name; nil: it is not in the file any more.
func (b *Broker) seller(name string) *seller {
	for _, s := range b.sellers {
		if s.name == name {
			return s
		}
	}
	return nil
}

// markets lists the clusters that a user can be served by.
func (b *Broker) markets(user string) []*login {
	var all []*login
	for _, s := range b.sellers {
		if l := s.login(user); l != nil {
			all = append(all, l)
		}
	}
	return all
}

// Records is what the broker has seen of each cluster.
func (b *Broker) Records() []Record {
	all := make([]Record, len(b.sellers))
	for i, s := range b.sellers {
		s.mu.Lock()
		all[i] = s.record
		s.mu.Unlock()
	}
	return all
}

// closed is what people hear of a store that cannot be written.
func closed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", trade.ErrUnavailable, err)
}
