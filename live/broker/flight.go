package broker

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// flight is a submission under way. It goes on whoever waits for it: what was
// begun has to be ended one way or the other.
type flight struct {
	digest []byte
	done   chan struct{}
	unsure chan struct{} // closed when a cluster does not say whether it has the job
	once   sync.Once
	e      *entry // the job, then
	out    api.Outcome
	again  bool // the outcome was there already
	err    error
}

func newFlight(digest []byte) *flight {
	return &flight{digest: digest, done: make(chan struct{}), unsure: make(chan struct{})}
}

// doubt says that it may take long to know what becomes of a job.
func (f *flight) doubt(e *entry) {
	f.once.Do(func() {
		f.e = e
		close(f.unsure)
	})
}

func keyName(k *api.Key) string { return k.Owner + "\x00" + k.Key }

// Do carries out what people ask for.
func (b *Broker) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	if o, found, err := b.answered(ctx, key); found || err != nil {
		return o, found, err
	}
	switch {
	case c.Submit != nil:
		return b.submit(ctx, c.By, v1.SubmitRequest{Request: wire.Request(&c.Submit.Request), Quote: c.Submit.Quote}, key)
	case c.Quote != nil:
		o, err := b.askQuote(ctx, c.By, &v1.QuoteRequest{TTLMS: c.Quote.TTLMS, Request: wire.Request(&c.Quote.Request)}, key)
		return o, false, err
	case c.Cancel != nil && c.Cancel.Quote != "":
		o, err := b.dropQuote(ctx, c.By, c.Cancel.Quote)
		return o, false, err
	case c.Cancel != nil:
		o, err := b.cancel(ctx, c.By, c.Cancel.Job, key)
		return o, false, err
	case c.Begin != nil:
		return api.Outcome{}, false, notHere("a broker holds no jobs back: none is on hold")
	case c.Void != nil:
		return api.Outcome{}, false, notHere("a broker holds no money: the owner of the cluster that has the job voids it there")
	case c.Epoch != nil:
		return api.Outcome{}, false, errPolicy
	case c.Money != nil:
		return api.Outcome{}, false, notHere("a broker holds no money: accounts are kept by the clusters")
	default:
		return api.Outcome{}, false, errNodes
	}
}

// answered is what was said to a key before.
func (b *Broker) answered(ctx context.Context, key api.Key) (o api.Outcome, found bool, err error) {
	if !key.Given() {
		return o, false, nil
	}
	reply, found, err := b.store.Reply(ctx, key.Owner, key.Key)
	switch {
	case err != nil:
		return o, false, closed(err)
	case !found:
		return o, false, nil
	case !bytes.Equal(reply.Digest, key.Digest):
		return o, false, trade.ErrKeyReused
	}
	return o, true, json.Unmarshal(reply.Body, &o)
}

// submit joins the submission that is under way under the key, or begins one, and
// waits until it is known what became of it. Where a cluster does not say, the
// answer is a job of which nobody knows more yet.
func (b *Broker) submit(ctx context.Context, by trade.Identity, s v1.SubmitRequest, key api.Key) (api.Outcome, bool, error) {
	f, joined, err := b.board(key)
	if err != nil {
		return api.Outcome{}, false, err
	}
	if !joined {
		b.done.Go(func() {
			t := &trip{b: b, f: f, key: key}
			f.out, f.again, f.err = t.begin(by, s)
			b.land(t)
		})
	}
	patience := time.NewTimer(b.options.Patience)
	defer patience.Stop()
	var tired <-chan time.Time
	unsure := f.unsure
	for {
		select {
		case <-f.done:
			return f.out, joined || f.again, f.err
		case <-ctx.Done():
			return api.Outcome{}, false, ctx.Err()
		case <-unsure:
			unsure, tired = nil, patience.C
		case <-tired:
			return api.Outcome{Job: b.view(f.e)}, false, nil
		}
	}
}

// board finds the flight of a key, or opens one.
func (b *Broker) board(key api.Key) (f *flight, joined bool, err error) {
	if !key.Given() {
		return newFlight(nil), false, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if f = b.flights[keyName(&key)]; f == nil {
		f = newFlight(key.Digest)
		b.flights[keyName(&key)] = f
		return f, false, nil
	}
	if !bytes.Equal(f.digest, key.Digest) {
		return nil, false, trade.ErrKeyReused
	}
	return f, true, nil
}

// land tells all who wait.
func (b *Broker) land(t *trip) {
	if t.e != nil {
		t.e.flying.Store(false)
	}
	if t.key.Given() {
		b.mu.Lock()
		delete(b.flights, keyName(&t.key))
		b.mu.Unlock()
	}
	close(t.f.done)
}

// fly goes on with a job that was under way when the broker ended, or that has
// to go to another cluster.
func (b *Broker) fly(e *entry) {
	if !e.flying.CompareAndSwap(false, true) {
		return
	}
	key := e.now().Key
	f, joined, err := b.board(key)
	if err != nil || joined {
		f = newFlight(key.Digest) // somebody else has the key: that changes nothing for this job
		key = api.Key{}
	}
	b.done.Go(func() {
		t := &trip{b: b, f: f, key: key, e: e}
		f.out, f.err = t.resume()
		if f.err != nil && b.ctx.Err() == nil {
			b.log.Error("a job could not be placed", "job", e.id, "error", f.err)
		}
		b.land(t)
	})
}
