package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// register lets a node join, or come back, within what the owner allows.
func (x *yard) register(h *task.Hello, a *roster.Allowance) (trade.Outcome, error) {
	h = x.nodes.Recall(h)
	if err := roster.Sound(h); err != nil {
		return trade.Outcome{}, err
	}
	if a != nil {
		if err := x.nodes.Admits(a, h); err != nil {
			return trade.Outcome{}, err
		}
	}
	index, known := x.nodes.Named(h.Node)
	before := ""
	if known {
		before = x.nodes.At(index).Reserved
	}
	undo, other := x.nodes.Equip(h)
	if !other {
		undo, other = x.nodes.Label(h)
	}
	if other { // it is the node that it was, and its jobs stay
		if err := x.rebuild(x.epoch()); err != nil {
			undo()
			return trade.Outcome{}, err
		}
	}
	switch {
	case x.nodes.Same(h):
		if err := x.rejoin(index, h); err != nil {
			return trade.Outcome{}, err
		}
	default:
		if err := x.join(h); err != nil {
			return trade.Outcome{}, err
		}
		if known { // after the other has come: its jobs may go on there
			if err := x.retire(index); err != nil {
				return trade.Outcome{}, err
			}
		}
		index, _ = x.nodes.Named(h.Node)
	}
	if err := x.dissolve(before); err != nil {
		return trade.Outcome{}, err
	}
	v := x.tell.nodeView(index)
	x.nodes.Mark(index, roster.Tasks)
	return trade.Outcome{Node: &v}, nil
}

// dissolve ends the jobs that wait for nodes of a reservation once the last is given back.
func (x *yard) dissolve(reservation string) error {
	if reservation == "" || roster.SetAside(x.nodes.All(), reservation) {
		return nil
	}
	var happened []market.Event
	for _, id := range x.jobs.IDs() {
		if j := x.jobs.Find(id); j.Request.Reservation == reservation && j.State == trade.Queued {
			j.End, j.Reason, j.Detail = trade.Rejected, market.CannotMeetResources.String(), "reservation "+reservation+" is over, or has no nodes any more, and it had not begun"
			happened = append(happened, market.Event{Kind: market.Cancelled, Job: market.JobID(id)})
		}
	}
	if len(happened) == 0 {
		return nil
	}
	return x.floor.step(happened...)
}

// rejoin brings a known node up. If the machine was started anew in
// between, nothing of what ran there still does.
func (x *yard) rejoin(index int, h *task.Hello) error {
	n := x.nodes.At(index)
	x.floor.touched.Node(index)
	if n.Up && n.Boot != h.Boot {
		if err := x.nodeLost(index, "started anew"); err != nil {
			return err
		}
	}
	x.nodes.Rejoin(index, h)
	if n.Up {
		return nil
	}
	x.nodes.Raise(index)
	return x.floor.step(market.Event{Kind: market.NodeUp, Node: market.Int32(index)})
}

// retire takes a node out for good.
func (x *yard) retire(index int) error {
	n := x.nodes.At(index)
	if n.Up {
		if err := x.nodeLost(index, "came back in another shape"); err != nil {
			return err
		}
	}
	x.nodes.Retire(index)
	x.floor.touched.Node(index)
	return nil
}

// join adds a node: the cluster is taken down and set up again, one larger.
func (x *yard) join(h *task.Hello) error {
	undo := x.nodes.Add(h)
	if err := x.rebuild(x.epoch()); err != nil {
		undo()
		return err
	}
	index := x.nodes.Name()
	x.floor.touched.Node(index)
	return x.floor.step(market.Event{Kind: market.NodeUp, Node: market.Int32(index)})
}

// rebuild sets the cluster up with the nodes there are under the policy of an
// epoch; jobs keep their places and their promises. If that cannot be, the
// cluster is what it was.
func (x *yard) rebuild(e *trade.EpochView) error {
	kind, err := policy.Find(e.Policy)
	if err != nil {
		return market.Wrong("policy", err.Error())
	}
	p, err := kind.New(e.PolicySettings())
	if err != nil {
		return market.Wrong("settings", err.Error())
	}
	nodes := x.nodes.Core(e.Base())
	if len(nodes) == 0 {
		x.kind = kind
		return nil
	}
	var set *cluster.Cluster
	if x.cluster == nil {
		set, err = cluster.New(nodes, p)
	} else {
		set, err = cluster.Restore(nodes, p, x.cluster.State())
	}
	if err != nil {
		return err
	}
	set.Punctual = true
	x.kind, x.cluster = kind, set
	x.floor.fx.rebuilt(x.time(), nodes, e)
	return nil
}

// changeNode hears that a node is gone or back.
func (x *yard) changeNode(c *trade.NodeChange) (trade.Outcome, error) {
	index, known := x.nodes.Named(c.Node)
	if !known {
		return trade.Outcome{}, fmt.Errorf("node %s: %w", c.Node, trade.ErrUnknown)
	}
	n := x.nodes.At(index)
	x.floor.touched.Node(index)
	var err error
	switch {
	case c.Withheld != nil:
		err = x.floor.step(market.Event{Kind: market.NodeWithheld, Node: market.Int32(index), Proc: market.Int32(x.nodes.Withhold(index, *c.Withheld))})
	case c.Door != "":
		roster.Announce(x.nodes, index, c.AheadUS)
		err = x.turn(index, c.Door == trade.DoorClosed, c.Why)
	case c.Up && !n.Up:
		x.nodes.Raise(index)
		err = x.floor.step(market.Event{Kind: market.NodeUp, Node: market.Int32(index)})
	case !c.Up && n.Up:
		err = x.nodeLost(index, c.Why)
	}
	v := x.tell.nodeView(index)
	x.nodes.Mark(index, roster.Tasks)
	return trade.Outcome{Node: &v}, err
}

// turn closes a node that is up to new jobs, or opens it.
func (x *yard) turn(index int, closed bool, why string) error {
	n := x.nodes.At(index)
	if !n.Up || n.Closed == closed {
		return nil
	}
	kind := market.NodeOpened
	if closed {
		kind = market.NodeClosed
		x.nodes.Close(index, why)
	} else {
		x.nodes.Open(index)
	}
	return x.floor.step(market.Event{Kind: kind, Node: market.Int32(index)})
}

// nodeLost takes a node down. Jobs that were being stopped, or that are not to be
// restarted, end with it; the others begin anew elsewhere.
func (x *yard) nodeLost(index int, why string) error {
	x.nodes.Lower(index, why)
	x.floor.touched.Node(index)
	var happened []market.Event
	for _, id := range x.nodes.At(index).Tenants() {
		j := x.jobs.Find(id)
		j.LostOn = index + 1
		switch why := underway.ForGood(j, x.nodes.All(), "its node is gone"); {
		case j.State == trade.Stopping:
		case why != "":
			j.End, j.Reason, j.Detail = trade.Lost, market.NodeLost.String(), why
		default:
			continue
		}
		happened = append(happened, market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)})
	}
	if err := x.floor.step(append(happened, market.Event{Kind: market.NodeDown, Node: market.Int32(index)})...); err != nil {
		return err
	}
	x.gone() // last: an attempt that waits for one that was there has not begun
	return nil
}
