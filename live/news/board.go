package news

import (
	"context"
	"sync"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

const (
	kept  = 2048 // notices, for those who come back
	slack = 512  // notices that a reader may be behind
)

// Board hands notices to those who follow. Its methods may be called at the same
// time.
type Board struct {
	mu          sync.Mutex
	seq         int64
	latest      []v1.Notice // oldest first
	subscribers map[*subscriber]bool
	priced      int64 // when prices were last due
	closed      bool
}

type subscriber struct {
	owner string
	to    chan v1.Notice
}

// visible reports whether a notice is for this subscriber: those that are nobody's are
// for all.
func visible(owner string, n *v1.Notice) bool {
	return owner == "" || n.Owner == "" || n.Owner == owner
}

// New is an empty board.
func New() *Board { return &Board{subscribers: map[*subscriber]bool{}} }

// Publish puts notices up, and numbers them.
func (b *Board) Publish(notices ...v1.Notice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range notices {
		n := notices[i]
		b.seq++
		n.Seq = b.seq
		b.latest = append(b.latest, n)
		for r := range b.subscribers {
			if visible(r.owner, &n) {
				b.send(r, n)
			}
		}
	}
	if extra := len(b.latest) - kept; extra > kept {
		b.latest = append(b.latest[:0:0], b.latest[extra:]...)
	}
}

// send never waits: a reader that cannot keep up is let go and may come back.
func (b *Board) send(r *subscriber, n v1.Notice) {
	select {
	case r.to <- n:
	default:
		b.unsubscribe(r)
	}
}

func (b *Board) unsubscribe(r *subscriber) {
	if b.subscribers[r] {
		delete(b.subscribers, r)
		close(r.to)
	}
}

// Followed reports whether anybody would hear a notice.
func (b *Board) Followed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.subscribers) > 0
}

// PricesDue reports whether prices should be told: somebody follows, and it is a
// while since. Asking counts as telling.
func (b *Board) PricesDue(nowUS int64) bool {
	const every = 2_000_000
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.subscribers) == 0 || nowUS-b.priced < every {
		return false
	}
	b.priced = nowUS
	return true
}

// Follow delivers the notices after a number, of one owner or of everybody (""); a
// negative number means from now on. The channel is closed when ctx is done, the
// reader is too slow, or the board is closed.
func (b *Board) Follow(ctx context.Context, owner string, after, nowUS int64) (<-chan v1.Notice, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, trade.ErrUnavailable
	}
	missed := b.replay(owner, after, nowUS)
	r := &subscriber{owner: owner, to: make(chan v1.Notice, slack+len(missed))}
	for _, n := range missed {
		r.to <- n
	}
	b.subscribers[r] = true
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.unsubscribe(r)
	})
	return r.to, nil
}

// replay is what somebody who was away since a notice has not heard.
func (b *Board) replay(owner string, after, nowUS int64) []v1.Notice {
	if after < 0 {
		return nil
	}
	var missed []v1.Notice
	if after > b.seq || len(b.latest) > 0 && b.latest[0].Seq > after+1 {
		missed = append(missed, v1.Notice{Seq: b.seq, AtUS: nowUS, Kind: v1.NoticeLost})
	}
	for i := range b.latest {
		if b.latest[i].Seq > after && visible(owner, &b.latest[i]) {
			missed = append(missed, b.latest[i])
		}
	}
	return missed
}

// Close lets everybody go; nobody can follow any more.
func (b *Board) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for r := range b.subscribers {
		b.unsubscribe(r)
	}
}
