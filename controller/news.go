package controller

import (
	"context"
	"sync"

	"libra/exchange"
)

// news tells those who follow what has changed, once it is durable. It keeps
// the latest for those who come back.
type news struct {
	mu      sync.Mutex
	seq     int64
	kept    []exchange.Notice // the latest, oldest first
	readers map[*reader]bool
	asked   int64
	closed  bool
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

// notices is what there is to tell of the effects of a command.
func notices(at int64, fx exchange.Effects) []exchange.Notice {
	var all []exchange.Notice
	for i := range fx.Jobs {
		j := &fx.Jobs[i]
		all = append(all, exchange.Notice{AtUS: at, Kind: "job", Owner: j.Owner, Job: &exchange.JobNotice{
			ID: j.ID, Owner: j.Owner, State: j.State, Share: j.Share, Work: j.Work, Price: j.Price, Penalty: j.Penalty,
		}})
	}
	for _, name := range fx.Nodes {
		all = append(all, exchange.Notice{AtUS: at, Kind: "node", Node: name})
	}
	return all
}

func (n *news) publish(all []exchange.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, notice := range all {
		n.seq++
		notice.Seq = n.seq
		n.kept = append(n.kept, notice)
		for r := range n.readers {
			if r.owner == "" || notice.Owner == "" || r.owner == notice.Owner {
				n.send(r, notice)
			}
		}
	}
	if extra := len(n.kept) - keptNotices; extra > keptNotices {
		n.kept = append(n.kept[:0:0], n.kept[extra:]...)
	}
}

// send never waits: a reader that cannot keep up is let go and may come back.
func (n *news) send(r *reader, notice exchange.Notice) {
	select {
	case r.to <- notice:
	default:
		n.drop(r)
	}
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

// moves tells those who follow how far jobs are, once a second, if what they
// rest on is durable.
func (n *news) moves(c *Controller) {
	n.mu.Lock()
	wanted := len(n.readers) > 0
	n.mu.Unlock()
	if !wanted || !c.pending.empty() || c.writing {
		return
	}
	c.x.At(c.now())
	var all []exchange.Notice
	for _, m := range c.x.Moved() {
		all = append(all, exchange.Notice{AtUS: c.now(), Kind: "job", Owner: m.Owner, Job: &m})
	}
	n.publish(all)
}

// prices tells those who follow what the market asks, every few seconds.
func (n *news) prices(c *Controller) {
	n.mu.Lock()
	wanted := len(n.readers) > 0 && c.now()-n.asked >= 2_000_000
	if wanted {
		n.asked = c.now()
	}
	n.mu.Unlock()
	if !wanted {
		return
	}
	c.x.At(c.now())
	p := c.x.Prices()
	n.publish([]exchange.Notice{{AtUS: c.now(), Kind: "price", Prices: &p}})
}

// Follow delivers the notices after a number; a negative one means from now on.
// The channel is closed when ctx is done or the reader is too slow.
func (c *Controller) Follow(ctx context.Context, owner string, after int64) (<-chan exchange.Notice, error) {
	n := c.news
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return nil, exchange.ErrUnavailable
	}
	missed := n.missed(owner, after, c.now())
	r := &reader{owner: owner, to: make(chan exchange.Notice, readerSlack+len(missed))}
	for _, notice := range missed {
		r.to <- notice
	}
	n.readers[r] = true
	n.mu.Unlock()
	go func() {
		select {
		case <-ctx.Done():
		case <-c.done:
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.drop(r)
	}()
	return r.to, nil
}

// missed is what somebody who was away since a notice has not heard.
func (n *news) missed(owner string, after, now int64) []exchange.Notice {
	var missed []exchange.Notice
	if after < 0 {
		return nil
	}
	if after > n.seq || len(n.kept) > 0 && n.kept[0].Seq > after+1 {
		missed = append(missed, exchange.Notice{Seq: n.seq, AtUS: now, Kind: "lost"})
	}
	for _, notice := range n.kept {
		if notice.Seq > after && (owner == "" || notice.Owner == "" || notice.Owner == owner) {
			missed = append(missed, notice)
		}
	}
	return missed
}
