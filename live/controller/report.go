package controller

import (
	"cmp"
	"context"
	"slices"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// Report takes in how things stand on a node. It returns when the ends it tells
// of are written down. A task that has little left of what was sold to it does not
// wait for the next second either.
func (c *Controller) Report(ctx context.Context, r task.Report) (task.Reply, error) {
	ctx, _ = fair.With(ctx, fair.Party{Kind: fair.Node, Name: r.Node})
	// 1. Look once: whose word it is, what of it is news, and what of it was before.
	at := c.now()
	said := at - c.fleet.onItsWay(&r, c.clock.sinceBegun()).Microseconds()
	r.Tasks = slices.Clone(r.Tasks) // it is not ours
	for i := range r.Tasks {
		c.clock.place(&r.Tasks[i], said)
	}
	urgent := r.Urgent()
	var h heard
	err := c.query(ctx, func(x *exchange.Exchange) { h = c.hear(x, &r, urgent, at) })
	if err = cmp.Or(err, h.err); err != nil {
		return task.Reply{}, err
	}
	// 2. What can wait for the next second does.
	c.fleet.keep(&r, at)
	// 3. What cannot is a command.
	by := trade.Identity{User: r.Node, Role: trade.RoleNode}
	var news []trade.Command
	if h.down { // it was taken for lost, and is not
		news = append(news, trade.Command{By: by, Node: &trade.NodeChange{Node: r.Node, Up: true}})
	}
	if len(h.fresh) > 0 {
		news = append(news, trade.Command{By: by, Report: &trade.Measured{Tasks: h.fresh}})
	}
	for _, cmd := range news {
		if _, _, err := c.Do(ctx, cmd, trade.Key{}); err != nil {
			return task.Reply{}, err
		}
	}
	// 4. What is written down need not be said again.
	if len(news) > 0 && len(urgent) > 0 {
		if err := c.query(ctx, func(x *exchange.Exchange) { h.forget = x.Forget(r.Node, urgent) }); err != nil {
			return task.Reply{}, err
		}
	}
	return task.Reply{Version: c.fleet.version(r.Node), Forget: h.forget, Leader: c.Leader()}, nil
}

// heard is what a market makes of a report.
type heard struct {
	err    error         // it is not the node's word
	down   bool          // the node was taken for lost
	fresh  []task.Status // what is news
	forget []task.Key    // what has ended and was written down
}

// hear looks at a report. It is the loop's.
func (c *Controller) hear(x *exchange.Exchange, r *task.Report, urgent []task.Status, at int64) heard {
	if _, known := x.Seat(r.Node); !known {
		return heard{err: unregistered(r.Node)}
	}
	if err := c.fleet.take(r.Node, r.Seat); err != nil {
		return heard{err: err}
	}
	h := heard{down: x.IsDown(r.Node), fresh: x.News(r.Node, urgent), forget: x.Forget(r.Node, urgent)}
	// What can wait is taken in within a second. But all of it is held now to when the
	// node was heard before this: reports may have been lost, and what was not said was
	// taken; and of what does not wait it must be known that it was said.
	x.Observe(r.Node, at, r.Tasks)
	return h
}

// keep notes how far running tasks are until somebody takes that in.
func (f *fleet) keep(r *task.Report, at int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range r.Tasks {
		s := r.Tasks[i]
		if s.Urgent() {
			delete(f.said, claim{r.Node, s.Key})
		} else {
			f.said[claim{r.Node, s.Key}] = saying{s, at}
		}
	}
}

// version is that of the newest orders of a node.
func (f *fleet) version(node string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.member(node).desired.Version
}
