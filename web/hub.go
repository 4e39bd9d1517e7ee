package web

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"libra/api"
	"libra/exchange"
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
	nodesPace = 2 * time.Second        // between drawings of the nodes
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
	if b.stop == nil {
		ctx, stop := context.WithCancel(b.h.ctx)
		b.stop = stop
		b.running.Go(func() { b.run(ctx) })
	}
	return w
}

// leave takes a page away; the last one stops the hub.
func (b *hub) leave(w *watcher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pages, w)
	if len(b.pages) == 0 && b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// sampled says that the history of the market has grown.
func (b *hub) sampled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = true
}

// round is what has changed since the pages were last told.
type round struct {
	moved map[int64]*exchange.Notice
	fresh map[int64]bool // whose row has to be made anew
	nodes bool
	lost  bool // some changes were missed: everybody has to look again
}

// run follows the market while somebody watches.
func (b *hub) run(ctx context.Context) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	known := map[int64]exchange.State{}
	newest := b.newest(ctx)
	now := round{}
	var drawn time.Time
	var notices <-chan exchange.Notice
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
			newest = now.hear(&n, known, newest)
		case <-tick.C:
			b.tell(ctx, &now, &drawn)
		case <-ctx.Done():
			return
		}
	}
}

// newest is the number of the latest job: those after it are news.
func (b *hub) newest(ctx context.Context) int64 {
	list, err := b.h.market.Jobs(ctx, api.JobQuery{Limit: 1})
	if err != nil || len(list) == 0 {
		return 0
	}
	return list[0].ID
}

// hear takes in a notice.
func (r *round) hear(n *exchange.Notice, known map[int64]exchange.State, newest int64) int64 {
	switch {
	case n.Kind == api.NoticeLost:
		r.lost = true
		return newest
	case n.Kind == "node":
		r.nodes = true
		return newest
	case n.Job == nil:
		return newest
	}
	if r.moved == nil {
		r.moved, r.fresh = map[int64]*exchange.Notice{}, map[int64]bool{}
	}
	r.nodes = true
	id, state := n.Job.ID, n.Job.State
	if len(r.moved) >= mostMoved && r.moved[id] == nil {
		r.lost = true
		return newest
	}
	r.moved[id] = n
	if id > newest || state.Final() {
		r.fresh[id] = r.fresh[id] || id > newest || known[id] != state
	}
	if known[id] = state; state.Final() {
		delete(known, id)
	}
	return max(newest, id)
}

// newChange is what there is to say of a job as it stands.
func newChange(j *exchange.Job) change {
	return change{ID: j.ID, State: j.State, Share: finite(j.Share), Work: j.Work, Price: j.Price, Penalty: j.Penalty}
}

// change is what a page hears of one job.
type change struct {
	ID      int64          `json:"id"`
	State   exchange.State `json:"state"`
	Share   float64        `json:"share"`
	Work    int64          `json:"work"`
	Price   int64          `json:"price"`
	Penalty int64          `json:"penalty"`
	Row     string         `json:"row,omitempty"` // the whole row, where it is new
}

// tell lets the pages know. Who has not taken the last message is told to look
// again as soon as they can.
func (b *hub) tell(ctx context.Context, now *round, drawn *time.Time) {
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
	for a, list := range groups {
		var message []byte
		switch {
		case now.lost:
			message = event("reload", struct{}{})
		case a.topic == "market" && market:
			message = b.marketMessage(ctx, a.span)
		case a.topic == "owner" && nodes:
			message = b.ownerMessage(ctx)
		case a.topic == "jobs" || a.topic == "job":
			message = a.jobsMessage(ids, now, rows)
		}
		for _, w := range list {
			w.send(message)
		}
	}
	*now = round{nodes: now.nodes && !nodes}
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

// rows makes the rows of jobs that are new or have ended, in both forms.
func (b *hub) rows(ctx context.Context, now *round) map[int64][2]string {
	rows := map[int64][2]string{}
	for id, fresh := range now.fresh {
		if !fresh {
			continue
		}
		if len(rows) >= mostRows {
			now.lost = true // so many that looking again is cheaper
			break
		}
		j, err := b.h.market.Job(ctx, id)
		if err != nil {
			continue
		}
		var both [2]string
		for i := range both {
			if both[i], err = part("jobs", "row", b.h.row(ctx, &j, i == 1)); err != nil {
				break
			}
		}
		if err == nil {
			rows[id] = both
		}
	}
	return rows
}

// jobsMessage is what has changed of the jobs that a page shows. Whose they are
// is looked at here again, whatever the market has sent.
func (a *audience) jobsMessage(ids []int64, now *round, rows map[int64][2]string) []byte {
	var list []change
	for _, id := range ids {
		n := now.moved[id]
		if id < a.from || a.to != 0 && id > a.to || a.user != "" && n.Owner != a.user {
			continue
		}
		c := change{
			ID: id, State: n.Job.State, Share: finite(n.Job.Share), Work: n.Job.Work, Price: n.Job.Price, Penalty: n.Job.Penalty,
		}
		if both, has := rows[id]; has && a.topic == "jobs" {
			c.Row = both[btoi(a.table)]
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil
	}
	return event("jobs", list)
}

func (b *hub) marketMessage(ctx context.Context, span string) []byte {
	v, err := b.h.marketNow(ctx, span)
	if err != nil {
		return nil
	}
	return swap("market", v, "now", "past", "free")
}

func (b *hub) ownerMessage(ctx context.Context) []byte {
	nodes, err := b.h.nodesNow(ctx)
	if err != nil {
		return nil
	}
	today, err := b.h.tally(ctx)
	if err != nil {
		return nil
	}
	return swap("owner", &ownerView{Nodes: nodes, Today: today, NowUS: b.h.now().UnixMicro()}, "today", "nodes")
}

// swap is a message with parts of a page to put in place.
func swap(page string, data any, parts ...string) []byte {
	html := map[string]string{}
	for _, name := range parts {
		text, err := part(page, name, data)
		if err != nil {
			return nil
		}
		html[name] = text
	}
	return event("swap", html)
}

// event is a server-sent event.
func event(name string, data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		return nil
	}
	return slices.Concat([]byte("event: "+name+"\ndata: "), text, []byte("\n\n"))
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
