package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

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
	if c.fleet.refuses(r.Node) {
		return task.Reply{}, fmt.Errorf("node %s: %w: %s", r.Node, trade.ErrConflict, followsAnother)
	}
	// 1. Look once: whose word it is, what of it is news, and what of it was before.
	at := c.now()
	way := c.fleet.onItsWay(&r, c.clock.sinceBegun())
	said := at - min(way, mostWay).Microseconds()
	r.Tasks = once(r.Tasks) // theirs is not ours to change
	for i := range r.Tasks {
		c.clock.place(&r.Tasks[i], said)
	}
	urgent := r.Urgent()
	var h heard
	err := c.query(ctx, func(x *exchange.Exchange) { h = c.hear(x, &r, urgent, at, way) })
	if err = cmp.Or(err, h.err); err != nil {
		return task.Reply{}, err
	}
	// 2. What can wait for the next second does, and so does what has to.
	c.fleet.keep(r.Node, h.own, h.waits, at-way.Microseconds())
	lanes := c.fleet.follow(r.Node, h.own, r.Lanes)
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
	return task.Reply{Version: c.fleet.version(r.Node), Forget: h.forget, Lanes: lanes, Leader: c.Leader()}, nil
}

// heard is what a market makes of a report.
type heard struct {
	err    error         // it is not the node's word
	down   bool          // the node was taken for lost
	fresh  []task.Status // what is news
	waits  bool          // what is about to stand still waits for the next second too
	own    []task.Status // what of it is of the node's tasks
	forget []task.Key    // what has ended and was written down
}

// hear looks at a report that was on its way for a while. It is the loop's.
func (c *Controller) hear(x *exchange.Exchange, r *task.Report, urgent []task.Status, at int64, way time.Duration) heard {
	if _, known := x.Seat(r.Node); !known {
		return heard{err: unregistered(r.Node)}
	}
	if err := c.fleet.take(r.Node, r.Seat); err != nil {
		return heard{err: err}
	}
	h := heard{down: x.IsDown(r.Node), fresh: x.News(r.Node, urgent), forget: x.Forget(r.Node, urgent)}
	// What can wait is taken in within a second. But all of it is held now to when the
	// node was heard before this: reports may have been lost, and what was not said was
	// taken; and of what does not wait it must be known that it was said. When it was said
	// counts, not when it came: what was taken while it was on its way is said by the next.
	h.own = x.Observe(r.Node, at-way.Microseconds(), r.Tasks)
	if len(h.fresh) > 0 && !slices.ContainsFunc(h.fresh, ended) && !c.fleet.mayHurry(r.Node, len(h.fresh), at) {
		h.fresh, h.waits = nil, true
	}
	return h
}

func ended(s task.Status) bool { return s.State.Final() }

// hurries is how often within a second a node may say that a task is about to stand
// still, beside once for each task that it has: each time is an entry of the log. What it
// says more often is taken in with the rest, every second.
const hurries = 20

// mayHurry reports whether what a node says of so many tasks that go on need not wait,
// after what it said of others within some seconds.
func (f *fleet) mayHurry(node string, tasks int, now int64) bool {
	const second = 1_000_000
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.member(node)
	m.hurried = max(m.hurried, now-2*second)
	if m.hurried > now {
		return false
	}
	m.hurried += second * int64(tasks) / int64(hurries+len(m.plan.tasks()))
	return true
}

// keep notes how far running tasks of a node are until somebody takes that in. What it
// says of others nobody would, and there is no end to them.
func (f *fleet) keep(node string, own []task.Status, all bool, at int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range own {
		if s.Urgent() && (!all || s.State.Final()) {
			delete(f.said, claim{node, s.Key})
		} else {
			f.said[claim{node, s.Key}] = saying{s, at}
		}
	}
}

// once leaves out what is said of a task twice in one report: the first counts.
func once(tasks []task.Status) []task.Status {
	seen := make(map[task.Key]bool, len(tasks))
	return slices.DeleteFunc(slices.Clone(tasks), func(s task.Status) bool {
		again := seen[s.Key]
		seen[s.Key] = true
		return again
	})
}

// version is that of the newest orders of a node.
func (f *fleet) version(node string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.member(node).desired.Version
}
