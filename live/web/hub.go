package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// hub follows the market once for all pages that are open, gathers what changes,
// and tells each page at most twice a second. What several pages show alike is
// put into words once.
type hub struct {
	h *Handler

	mu      sync.Mutex
	pages   map[*watcher]bool
	stop    context.CancelFunc // of the run under way; nil: nobody watches
	dirty   bool               // the history has grown
	running sync.WaitGroup
	closed  bool
}

// audience is what a page wants to hear of. Pages of one audience hear the same.
type audience struct {
	topic string // jobs, job, market, owner
	user  string // whose jobs; "": everybody's
	from  int64  // numbers of the jobs it shows
	to    int64  // 0: and all that come
	table bool   // rows name the owner
	span  string // of the market's history
}

// watcher is one page.
type watcher struct {
	audience
	out    chan []byte // one message; who has not taken it gets no more
	missed bool        // and has to look again
}

const (
	pace      = 500 * time.Millisecond // between messages to a page
	nodesPace = time.Second            // between drawings of the nodes
	mostRows  = 40                     // rows made anew at a time
	mostMoved = 4096                   // jobs remembered between two messages
)

func newHub(h *Handler) *hub { return &hub{h: h, pages: map[*watcher]bool{}} }

// join adds a page; the first one starts the hub.
func (b *hub) join(a audience) *watcher {
	w := &watcher{audience: a, out: make(chan []byte, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages[w] = true
	if b.stop == nil && !b.closed {
		ctx, stop := context.WithCancel(b.h.ctx)
		b.stop = stop
		b.running.Go(func() { b.run(ctx) })
	}
	return w
}

// unsubscribe takes a page away; the last one stops the hub.
func (b *hub) unsubscribe(w *watcher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pages, w)
	if len(b.pages) == 0 && b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// wait returns when the hub has stopped, once the handler has.
func (b *hub) wait() {
	b.mu.Lock()
	b.closed = true // whoever joins from now on starts nothing
	b.mu.Unlock()
	b.running.Wait()
}

// sampled says that the history of the market has grown.
func (b *hub) sampled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = true
}

// run follows the market while somebody watches.
func (b *hub) run(ctx context.Context) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	known := map[int64]v1.State{}
	newest := b.newest(ctx)
	now := round{}
	var drawn time.Time
	var notices <-chan v1.Notice
	for {
		if notices == nil {
			if next, err := b.h.market.Follow(ctx, "", -1); err == nil {
				notices = next
			}
		}
		select {
		case n, open := <-notices:
			if !open {
				notices, now.lost = nil, true
				continue
			}
			if n.Kind == "node" {
				b.h.ratings.forget()
			}
			newest = now.observe(&n, known, newest)
			now.atUS = b.h.now().UnixMicro()
		case <-tick.C:
			b.broadcast(ctx, &now, &drawn)
		case <-ctx.Done():
			return
		}
	}
}

// newest is the number of the latest job: those after it are news.
func (b *hub) newest(ctx context.Context) int64 {
	list, err := b.h.market.Jobs(ctx, v1.JobQuery{Limit: 1})
	if err != nil || len(list) == 0 {
		return 0
	}
	return list[0].ID
}

// broadcast lets the pages know. Who has not taken the last message is told to look
// again as soon as they can.
func (b *hub) broadcast(ctx context.Context, now *round, drawn *time.Time) {
	b.mu.Lock()
	groups := map[audience][]*watcher{}
	for w := range b.pages {
		groups[w.audience] = append(groups[w.audience], w)
	}
	market := b.dirty
	b.dirty = false
	b.mu.Unlock()
	rows := b.rows(ctx, now)
	nodes := now.nodes && b.h.now().Sub(*drawn).Abs() >= nodesPace
	if nodes {
		*drawn = b.h.now()
	}
	ids := make([]int64, 0, len(now.moved))
	for id := range now.moved {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	behind := false // what was told is from before what has changed: it is told again
	for a, list := range groups {
		var message []byte
		switch {
		case now.lost:
			message = event("reload", struct{}{})
		case a.topic == "market" && market:
			message = b.marketMessage(ctx, a.span)
		case a.topic == "owner" && nodes:
			var asOfUS int64
			message, asOfUS = b.ownerMessage(ctx)
			behind = asOfUS <= now.atUS
		case a.topic == "jobs" || a.topic == "job":
			message = a.jobsMessage(ids, now, rows)
		}
		for _, w := range list {
			w.send(message)
		}
	}
	*now = round{nodes: now.nodes && !nodes || behind, atUS: now.atUS}
}

// send hands a message over without waiting.
func (w *watcher) send(message []byte) {
	if w.missed {
		message = event("reload", struct{}{})
	}
	if message == nil {
		return
	}
	select {
	case w.out <- message:
		w.missed = false
	default:
		w.missed = true
	}
}
