package live

import (
	"context"
	"sync"
	"time"

	"libra/api"
	"libra/exchange"
)

// news tells those who follow what has changed, and keeps the latest for those
// who come back.
type news struct {
	mu      sync.Mutex
	seq     int64
	kept    []exchange.Notice // the latest, oldest first
	readers map[*reader]bool
	closed  bool
	pricing time.Time // when prices were last told
}

type reader struct {
	owner string
	to    chan exchange.Notice
}

const (
	keptNotices = 2048
	readerSlack = 512 // how far a reader may be behind
)

func newNews() *news { return &news{readers: map[*reader]bool{}} }

// tell tells those who follow how a job is.
func (b *Broker) tell(e *entry) {
	f := e.now()
	j := &f.Job
	b.news.publish(exchange.Notice{AtUS: b.now(), Kind: "job", Owner: j.Owner, Job: &exchange.JobNotice{
		ID: j.ID, Owner: j.Owner, State: j.State, Share: j.Share, Work: j.Work, Price: j.Price, Penalty: j.Penalty,
	}})
}

func (n *news) publish(notice exchange.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seq++
	notice.Seq = n.seq
	n.kept = append(n.kept, notice)
	if extra := len(n.kept) - keptNotices; extra > keptNotices {
		n.kept = append(n.kept[:0:0], n.kept[extra:]...)
	}
	for r := range n.readers {
		if !meant(&notice, r.owner) {
			continue
		}
		select {
		case r.to <- notice:
		default: // too slow: it is let go and may come back
			n.drop(r)
		}
	}
}

func meant(n *exchange.Notice, owner string) bool {
	return owner == "" || n.Owner == "" || n.Owner == owner
}

func (n *news) drop(r *reader) {
	if n.readers[r] {
		delete(n.readers, r)
		close(r.to)
	}
}

func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for r := range n.readers {
		n.drop(r)
	}
}

// due reports whether prices should be told: somebody follows, and it is a while
// since.
func (n *news) due(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.readers) == 0 || now.Sub(n.pricing) < priceEvery {
		return false
	}
	n.pricing = now
	return true
}

const priceEvery = 2 * time.Second

// pricesMoved tells those who follow what the clusters ask together.
func (b *Broker) pricesMoved() {
	if !b.news.due(b.options.Now()) {
		return
	}
	b.done.Go(func() {
		if p, err := b.Prices(b.ctx); err == nil {
			b.news.publish(exchange.Notice{AtUS: b.now(), Kind: "price", Prices: &p})
		}
	})
}

// Follow delivers the notices after a number; a negative one means from now on.
// The channel is closed when ctx is done or the reader is too slow.
func (b *Broker) Follow(ctx context.Context, owner string, after int64) (<-chan exchange.Notice, error) {
	n := b.news
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, exchange.ErrUnavailable
	}
	missed := n.missed(owner, after, b.now())
	r := &reader{owner: owner, to: make(chan exchange.Notice, readerSlack+len(missed))}
	for _, notice := range missed {
		r.to <- notice
	}
	n.readers[r] = true
	context.AfterFunc(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.drop(r)
	})
	return r.to, nil
}

// missed is what somebody who was away since a notice has not heard.
func (n *news) missed(owner string, after, now int64) []exchange.Notice {
	if after < 0 {
		return nil
	}
	var missed []exchange.Notice
	if after > n.seq || len(n.kept) > 0 && n.kept[0].Seq > after+1 {
		missed = append(missed, exchange.Notice{Seq: n.seq, AtUS: now, Kind: api.NoticeLost})
	}
	for i := range n.kept {
		if n.kept[i].Seq > after && meant(&n.kept[i], owner) {
			missed = append(missed, n.kept[i])
		}
	}
	return missed
}
