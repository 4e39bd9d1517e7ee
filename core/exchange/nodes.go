package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// register lets a node join, or come back, within what the owner allows.
func (x *yard) register(h *task.Hello, a *roster.Allowance) (trade.Outcome, error) {
	if err := sound(h); err != nil {
		return trade.Outcome{}, err
	}
	if a != nil {
		if err := x.admits(a, h); err != nil {
			return trade.Outcome{}, err
		}
	}
	index, known := x.byName[h.Node]
	switch {
	case known && sameShape(&x.nodes[index].Hello, h):
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
		index = x.byName[h.Node]
	}
	v := x.tell.nodeView(index)
	x.floor.fx.mark(x.nodes[index], tasks)
	return trade.Outcome{Node: &v}, nil
}

// rejoin brings a known node up. If the machine was started anew in
// between, nothing of what ran there still does.
func (x *yard) rejoin(index int, h *task.Hello) error {
	n := x.nodes[index]
	x.floor.touched.node(index)
	if n.Up && n.Boot != h.Boot {
		if err := x.nodeLost(index, "started anew"); err != nil {
			return err
		}
	}
	shape := n.Hello
	n.Hello = *h
	n.Rating, n.Speed, n.MemoryMB, n.DiskMB = shape.Rating, shape.Speed, shape.MemoryMB, shape.DiskMB
	if n.Up {
		return nil
	}
	n.Up, n.Why = true, ""
	return x.floor.step(market.Event{Kind: market.NodeUp, Node: market.Int32(index)})
}

// retire takes a node out for good.
func (x *yard) retire(index int) error {
	n := x.nodes[index]
	if n.Up {
		if err := x.nodeLost(index, "came back in another shape"); err != nil {
			return err
		}
	}
	n.Retired = true
	x.floor.touched.node(index)
	return nil
}

// join adds a node: the cluster is taken down and set up again, one larger.
func (x *yard) join(h *task.Hello) error {
	x.nodes = append(x.nodes, &node{Hello: *h, Up: true, First: x.nodes.processors()})
	if err := x.rebuild(x.epoch()); err != nil {
		x.nodes = x.nodes[:len(x.nodes)-1]
		return err
	}
	if before, known := x.byName[h.Node]; known {
		x.nodes[len(x.nodes)-1].Losses = x.nodes[before].Losses
	}
	x.byName[h.Node] = len(x.nodes) - 1
	x.floor.touched.node(len(x.nodes) - 1)
	return x.floor.step(market.Event{Kind: market.NodeUp, Node: market.Int32(len(x.nodes) - 1)})
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
	nodes := x.nodes.core(e.Rates)
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
	index, known := x.byName[c.Node]
	if !known {
		return trade.Outcome{}, fmt.Errorf("node %s: %w", c.Node, trade.ErrUnknown)
	}
	n := x.nodes[index]
	x.floor.touched.node(index)
	var err error
	switch {
	case c.Up && !n.Up:
		n.Up, n.Why = true, ""
		err = x.floor.step(market.Event{Kind: market.NodeUp, Node: market.Int32(index)})
	case !c.Up && n.Up:
		err = x.nodeLost(index, c.Why)
	}
	v := x.tell.nodeView(index)
	x.floor.fx.mark(x.nodes[index], tasks)
	return trade.Outcome{Node: &v}, err
}

// nodeLost takes a node down. Jobs that were being stopped, or that are not to be
// restarted, end with it; the others begin anew elsewhere.
func (x *yard) nodeLost(index int, why string) error {
	n := x.nodes[index]
	n.Up, n.Why = false, why
	x.floor.touched.node(index)
	var happened []market.Event
	for _, id := range x.active() {
		j := x.jobs[id]
		if !j.on(index) {
			continue
		}
		j.LostOn = index + 1
		switch {
		case j.State == trade.Stopping:
		case j.Request.NoRestart:
			j.End, j.Reason, j.Detail = trade.Lost, market.NodeLost.String(), "its node is gone, and it was not to be restarted"
		default:
			continue
		}
		happened = append(happened, market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)})
	}
	return x.floor.step(append(happened, market.Event{Kind: market.NodeDown, Node: market.Int32(index)})...)
}

// on reports whether a job has a task on a node.
func (j *activeJob) on(index int) bool {
	for i := range j.Ranks {
		if j.Ranks[i].Node == index {
			return true
		}
	}
	return false
}

// mostShapes is in how many shapes a node may have come.
const mostShapes = 64

// admits refuses a node that announces more than the owner allows, or that would
// make all of them more than that. One that is known is held to the same when it
// comes again.
func (x *yard) admits(a *roster.Allowance, h *task.Hello) error {
	if err := a.AdmitsAlone(h); err != nil {
		return err
	}
	nodes, processors, shapes := 1, h.Processors, 0
	memory, disk := float64(h.MemoryMB), float64(h.DiskMB) // each may be all that an integer holds
	for _, n := range x.nodes {
		if n.Node == h.Node {
			shapes++
			continue // this one stands in its place
		}
		if !n.Retired {
			nodes, processors = nodes+1, processors+n.Processors
			memory, disk = memory+float64(n.MemoryMB), disk+float64(n.DiskMB)
		}
	}
	index, known := x.byName[h.Node]
	switch {
	case roster.Over(nodes, a.Nodes):
		return market.Wrong("node", fmt.Sprintf("one of %d: so many have joined, and the owner of the market allows no more (nodes.most)", a.Nodes))
	case roster.Over(processors, a.AllProcessors):
		return market.Wrong("processors", fmt.Sprintf("fewer: all nodes together would have %d, and the owner of the market allows %d (nodes.all_processors)", processors, a.AllProcessors))
	case roster.Over(memory, float64(a.AllMemoryMB)):
		return market.Wrong("memory_mb", fmt.Sprintf("less: all nodes together would have %.0f, and the owner of the market allows %d (nodes.all_memory_mb)", memory, a.AllMemoryMB))
	case roster.Over(disk, float64(a.AllDiskMB)):
		return market.Wrong("disk_mb", fmt.Sprintf("less: all nodes together would have %.0f, and the owner of the market allows %d (nodes.all_disk_mb)", disk, a.AllDiskMB))
	case shapes >= mostShapes && known && !sameShape(&x.nodes[index].Hello, h):
		return market.Wrong("node", fmt.Sprintf("another name: it has come in %d shapes, and each is kept (a fixed --rating keeps a node in shape)", shapes))
	}
	return nil
}
