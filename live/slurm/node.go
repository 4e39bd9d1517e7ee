package slurm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
)

// node is a node of the partition: as Slurm sees it, as its agent does, and what
// the market wants of it.
type node struct {
	name string

	slurm  client.Node
	health health        // as Slurm says
	since  time.Time     // when it became bad
	badFor time.Duration // for how long it was said to be bad, of each silence no more than a little
	said   time.Time     // when Slurm last said how it is

	hello     *task.Hello // as it was introduced last
	coming    *task.Hello // as the market is being told; nil: it is not
	heard     time.Time   // when its agent last spoke
	listening int         // how many of its agent's questions for news are open
	reported  time.Time   // when its agent last said how its tasks stand
	lease     time.Duration

	membership membership
	attention  attention
	door       trade.Door     // as the market was told; empty: it was not, or whether it heard is not known
	turning    bool           // it is being told
	shy        time.Time      // until then Slurm is not asked to start anything there
	shyOf      int64          // the job whose matter that is alone; 0: it is not one's
	balked     map[int64]balk // jobs that were not started there, by number
	moving     bool           // a run is moved from there that Slurm does not start
	complaint  complaint      // which one that was last
	ahead      int64          // from when on it is reserved for others, in microseconds; 0: nobody has said so
	aheadTold  int64          // as the market was told, with the door
	aside      string         // the reservation that it is set aside for, as Slurm says; empty: for none
	barred     string         // why its partition begins nothing; empty: it does

	orders map[task.Key]*task.Spec // that the market wants here, as it was taken in
	spare  map[task.Key]*task.Spec // empty: what these will be the next time

	gpus    device
	version int64 // of what the agent should be doing
	tails   []task.Tail
	changed chan struct{} // closed and replaced when there is a newer version
}

// node finds a node, or makes it known. The lock is held, or nobody else is here.
func (b *Backend) node(name string) *node {
	n := b.nodes[name]
	if n == nil {
		now := b.cfg.Now()
		n = &node{name: name, heard: now, orders: map[task.Key]*task.Spec{}, version: now.UnixMicro(), changed: make(chan struct{})}
		b.nodes[name] = n
	}
	return n
}

// bumpVersion lets the agent of a node have what is newer.
func (n *node) bumpVersion() {
	n.version++
	close(n.changed)
	n.changed = make(chan struct{})
}

// refresh lets the agents of a run have what is newer.
func (b *Backend) refresh(r *run) {
	for _, name := range r.Nodes {
		if n := b.nodes[name]; n != nil {
			n.bumpVersion()
		}
	}
}

// follow comes for the orders of a node, from now on. The lock is held.
func (b *Backend) follow(n *node) {
	if n.attention != unfollowed || b.ctx == nil || b.ctx.Err() != nil {
		return
	}
	n.attention = awaited
	b.going.Go(func() { b.fetchOrders(b.ctx, n) })
}

// How long one call for orders waits, and how long it is until the next after
// one that did not succeed.
const (
	ordersWait = 2 * time.Second
	ordersRest = 250 * time.Millisecond
)

func (b *Backend) fetchOrders(ctx context.Context, n *node) {
	after := int64(-1)
	for ctx.Err() == nil {
		d, wants, err := b.fleet.Wanted(ctx, n.name, after, ordersWait)
		if errors.Is(err, trade.ErrUnknown) { // it has never joined: nothing is wanted of it
			d, wants, err = task.Desired{Version: -1}, nil, nil
		}
		if err == nil && d.Version != after {
			after = d.Version
			b.applyWants(n, &d, wants)
		}
		if err != nil || d.Version < 0 {
			pause(ctx, ordersRest)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// applyWants takes in all that the market wants of a node: every time of all its tasks, of which
// hardly one is new.
func (b *Backend) applyWants(n *node, d *task.Desired, wants []dispatch.Want) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !n.attention.informed()
	if n.attention = instructed; d.Version < 0 {
		n.attention = stranger
	}
	n.tails = b.named(d.Tails)
	if d.LeaseMS > 0 {
		n.lease = time.Duration(d.LeaseMS) * time.Millisecond
	}
	wanted := n.spare
	if wanted == nil {
		wanted = make(map[task.Key]*task.Spec, len(wants))
	}
	for i := range wants {
		w := &wants[i]
		key := runKey{w.Spec.Job, w.Spec.Attempt}
		wanted[w.Spec.Key] = w.Spec
		r := b.runs[key]
		if n.orders[w.Spec.Key] == w.Spec && r != nil && r.goesOnAs(w) {
			continue
		}
		order := w.Order()
		o := &order
		if r == nil {
			r = b.newRun(key, o.Spec.BornUS)
		}
		if first { // it was under way before: see Recall
			r.licensed = true
			r.moved()
		}
		if first && r.state == ordered { // a backend before this one may have submitted it
			r.on(sent)
			r.sentAt = b.cfg.Now()
			b.pollSoon()
		}
		if old, here := r.orders[o.Spec.Rank]; !here || old.Stop != o.Stop {
			b.dirty[r] = true
		}
		_, known := r.orders[o.Spec.Rank]
		r.Returns = b.elementsReturn(&o.Spec)
		if r.setOrder(o); !known && r.state.inSlurm() { // it was read back
			b.wasCounted(r)
		}
		for _, name := range r.Nodes {
			b.follow(b.node(name))
		}
	}
	for key := range n.orders {
		if r := b.runs[runKey{key.Job, key.Attempt}]; r != nil && wanted[key] == nil {
			delete(r.orders, key.Rank)
			r.moved()
			b.dirty[r] = true
		}
	}
	clear(n.orders)
	n.orders, n.spare = wanted, n.orders
	n.bumpVersion()
	if b.cfg.Control == None {
		b.answerTails(n)
	}
	b.wakeLoop()
}

// answerTails answers those who want to see output on a node that has no agent.
func (b *Backend) answerTails(n *node) {
	for _, t := range n.tails {
		c := task.Chunk{Error: fmt.Sprintf("there is no agent on %s to read it: it is in %s, in %s", n.name, t.File, t.Dir)}
		name, id := n.name, t.ID
		b.going.Go(func() { _ = b.fleet.Chunk(b.ctx, name, id, c) }) // whoever asked may be gone
	}
}

// applyNodes takes in how Slurm's nodes stand. The lock is held.
func (b *Backend) applyNodes(listed map[string]client.Node, now time.Time) {
	b.knows = true
	for name := range listed {
		b.follow(b.node(name))
	}
	moved := false // to other partitions
	for name, n := range b.nodes {
		was, gap := n.health, now.Sub(n.said)
		moved = moved || n.slurm.Partition != listed[name].Partition
		n.slurm, n.health, n.said = listed[name], ill, now
		if _, here := listed[name]; !here {
			n.health = outside
			n.slurm.Reason = "not in partition " + b.cfg.Partition
		} else if n.slurm.Up {
			n.health = well
		}
		switch {
		case !n.health.bad() || !was.bad():
			n.since, n.badFor = now, 0
		default:
			n.badFor += min(gap, b.cfg.Grace)
			if gap >= 2*b.cfg.Grace {
				n.since = now
			}
		}
	}
	if moved {
		b.addAnew()
	}
}

// lostReason says why a node has to be taken for lost, if it has.
func (b *Backend) lostReason(n *node, now time.Time) string {
	patience := n.patience()
	switch {
	case b.saysBad(n):
		why := "Slurm says that it is down"
		if n.slurm.Reason != "" {
			why += ": " + n.slurm.Reason
		}
		return why
	case b.cfg.Control == Agents && n.lease > 0 && now.Sub(n.heard) > patience:
		return fmt.Sprintf("its agent has not been heard of for %s", patience)
	}
	return ""
}

// saysBad reports whether Slurm has said for a while, without a silence, that a node is
// down. A slurmctld that was started, or took over, says so of every node that has not
// found it yet; and what it said before it went away is not what it would say now. One
// that is slow, and never without a silence, is believed after six times as long, of which
// the time between two answers is no more than the usual while.
func (b *Backend) saysBad(n *node) bool {
	since := n.since
	if b.silent.After(since) {
		since = b.silent
	}
	return n.health.bad() && (n.said.Sub(since) >= b.cfg.Grace || n.badFor >= 6*b.cfg.Grace)
}

// syncNodes tells the market which nodes are there. The lock is held.
func (b *Backend) syncNodes(now time.Time) {
	b.foresee(b.aside.last, now)
	for _, n := range b.nodes {
		if n.membership.busy() {
			continue
		}
		if why := b.lostReason(n, now); why != "" {
			if n.membership != away && n.attention == instructed && !b.clears(n, now) {
				b.reportLost(n, why)
			}
			continue
		}
		switch back := n.membership.absent() && !n.health.bad(); {
		case b.cfg.Control == None && n.health == well && (n.hello == nil || back):
			b.registerNode(n, b.helloFor(n))
		case back && n.hello != nil:
			b.registerNode(n, *n.hello)
		case n.hello != nil && n.health == well && (n.hello.GPUs == task.SameGPUs || n.hello.Features != n.slurm.Features || n.hello.Partition != n.slurm.Partition || n.hello.Reserved != n.aside):
			h := *n.hello
			n.equip(&h, true)
			b.registerNode(n, h)
		}
		b.settleMoves(n, now)
		b.turnNode(n, now)
		b.withhold(n)
	}
}

// move moves a node. That it cannot is a mistake of this program, and one for the
// log. The lock is held.
func (b *Backend) move(n *node, e memberEvent) {
	var err error
	if n.membership, err = n.membership.on(e); err != nil {
		b.cfg.Log.Error("this cannot happen to a node", "node", n.name, "error", err)
	}
}

// reportLost tells the market that a node is gone.
func (b *Backend) reportLost(n *node, why string) {
	b.cfg.Log.Warn("a node is taken for lost", "node", n.name, "because", why)
	b.move(n, givenUp)
	b.going.Go(func() {
		err := b.fleet.Lose(b.ctx, n.name, why)
		b.mu.Lock()
		defer b.mu.Unlock()
		if err != nil && !errors.Is(err, trade.ErrUnknown) {
			b.move(n, lossFailed)
			return
		}
		b.move(n, lossTaken)
	})
}

// registerNode introduces a node to the market, or lets it come back.
func (b *Backend) registerNode(n *node, h task.Hello) {
	b.move(n, introduced)
	b.going.Go(func() {
		_, err := b.register(b.ctx, n, h)
		if err != nil && b.ctx.Err() == nil {
			b.cfg.Log.Warn("a node cannot join", "node", n.name, "error", err)
		}
		b.mu.Lock()
		b.move(n, answered)
		b.mu.Unlock()
	})
}

func (b *Backend) register(ctx context.Context, n *node, h task.Hello) (task.Welcome, error) {
	b.mu.Lock()
	n.coming = &h
	b.mu.Unlock()
	w, err := b.fleet.Hello(ctx, h)
	b.mu.Lock()
	defer b.mu.Unlock()
	n.coming = nil
	if err != nil {
		return w, err
	}
	b.move(n, welcomed)
	n.door, n.gpus.unheard = "", true // one that was lost is open again
	n.hello, n.lease = &h, time.Duration(w.LeaseMS)*time.Millisecond
	b.follow(n)
	return w, nil
}

// noAgent is what a node without an agent says of it.
const noAgent = "none"

// helloFor is what a node without an agent says of itself. When it was started
// is not said: Slurm forgets that for a while, and tells of lost jobs by itself.
func (b *Backend) helloFor(n *node) task.Hello {
	h := task.Hello{
		Node: n.name, Processors: max(1, n.slurm.Processors), Rating: 1, Speed: 1, MemoryMB: n.slurm.MemoryMB,
		Boot: "slurm", Agent: noAgent, Limits: "whole processors", Runs: Runs, Missing: []string{"shares of a processor"},
	}
	n.equip(&h, true)
	return h
}
