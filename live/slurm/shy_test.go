package slurm

import (
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// shyNode is a node of a market with a run of ann's, and how it looks after a while.
func shyNode(t *testing.T) (b *Backend, n *node, r *run, look func(after time.Duration) (closed bool)) {
	t.Helper()
	b, n = idle(t, Agents)
	at := noon
	b.cfg.Now = func() time.Time { return at }
	b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
	if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
		t.Fatal(err)
	}
	n.attention = instructed
	return b, n, b.runs[runKey{5, 0}], func(after time.Duration) bool {
		b.mu.Lock()
		at = at.Add(after)
		n.heard = at
		b.syncNodes(at)
		b.mu.Unlock()
		b.going.Wait()
		return b.fleet.(*fakeMarket).member("n1").closed
	}
}

// A job that Slurm does not start closes its node until it is moved, has begun after all, or for a
// while, and no other job is moved for that.
func TestWhatSlurmDoesNotStartIsMoved(t *testing.T) {
	for name, c := range map[string]struct {
		then func(n *node, r *run)
		last bool // the node stays closed
	}{
		"it waits":                {func(*node, *run) {}, true},
		"the market is told":      {func(_ *node, r *run) { r.lost, r.job.State, r.state = "its node", client.Cancelled, ended }, true},
		"it is elsewhere":         {func(n *node, _ *run) { clear(n.orders) }, false},
		"it has begun after all":  {func(_ *node, r *run) { r.job.State = client.Running }, false},
		"Slurm says it no longer": {func(_ *node, r *run) { r.avoids = false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, n, r, look := shyNode(t)
			other := &run{binding: binding{Nodes: []string{"n1"}}}
			r.job = &client.Job{State: client.Pending}
			if look(0) || b.closedFor(r) {
				t.Fatal("it is closed before")
			}
			b.avoid(r, noon)
			if !look(0) || !b.closedFor(r) || b.closedFor(other) {
				t.Errorf("open %v, closed to it %v, to another %v", !n.moving, b.closedFor(r), b.closedFor(other))
			}
			c.then(n, r)
			if look(time.Second) != c.last {
				t.Errorf("a moment later it is closed: %v", !c.last)
			}
			if look(shyFor - time.Second) {
				t.Error("it is closed after a while")
			}
		})
	}
}

// What one user's jobs say of a node is their own matter; what another's says too, or the same job
// that has come back, is the node's.
func TestWhoClosesANode(t *testing.T) {
	for name, c := range map[string]struct {
		next   *run
		later  time.Duration
		closed bool
	}{
		"the same once more":         {&run{key: runKey{5, 0}, binding: binding{User: "ann"}}, time.Second, false},
		"another of the same user":   {&run{key: runKey{6, 0}, binding: binding{User: "ann"}}, time.Second, false},
		"the same job, come back":    {&run{key: runKey{5, 1}, binding: binding{User: "ann"}}, time.Second, true},
		"another user's":             {&run{key: runKey{6, 0}, binding: binding{User: "bob"}}, time.Second, true},
		"another user's, much later": {&run{key: runKey{6, 0}, binding: binding{User: "bob"}}, shyFor, false},
	} {
		b, n, r, look := shyNode(t)
		b.avoid(r, noon)
		c.next.Nodes = []string{"one that is gone", "n1"}
		b.avoid(c.next, noon.Add(c.later))
		clear(n.orders) // they are elsewhere
		if look(c.later) != c.closed || b.closedFor(&run{binding: binding{Nodes: []string{"n1"}}}) != c.closed {
			t.Errorf("%s: closed %v", name, !c.closed)
		}
		if look(shyFor) {
			t.Errorf("%s: closed after a while", name)
		}
	}
}

// A job that is not started on a second node like the first is refused, and no node is closed for it;
// where it may be the nodes', it is put elsewhere as after the first.
func TestAJobThatIsStartedNowhereIsRefused(t *testing.T) {
	second := runKey{5, 1}
	for name, c := range map[string]struct {
		then    func(b *Backend, r *run)
		refused bool
	}{
		"both look well":              {func(*Backend, *run) {}, true},
		"the second came back before": {func(b *Backend, _ *run) { b.nodes["n2"].shy, b.nodes["n2"].shyOf = noon.Add(time.Hour), 5 }, true},
		"another reservation of before": {func(b *Backend, _ *run) {
			b.aside.all = []limit.Reserved{{Name: "x", Nodes: []string{"n2"}, Till: noon}}
		}, true},
		"it is in a reservation": {func(b *Backend, r *run) {
			r.within, b.aside.all = "x", []limit.Reserved{{Name: "x", Nodes: []string{"n1", "n2"}, Till: noon.Add(time.Hour)}}
		}, true},
		"the second is bigger":         {func(b *Backend, _ *run) { b.nodes["n2"].slurm.Processors = 4 }, false},
		"the first drains by now":      {func(b *Backend, _ *run) { b.nodes["n1"].slurm.Draining = true }, false},
		"the second drains":            {func(b *Backend, _ *run) { b.nodes["n2"].slurm.Draining = true }, false},
		"the first is down by now":     {func(b *Backend, _ *run) { b.nodes["n1"].health = ill }, false},
		"the first is reserved by now": {func(b *Backend, _ *run) { b.nodes["n1"].slurm.Reserved = true }, false},
		"the second is to be reserved": {func(b *Backend, _ *run) {
			b.aside.all = []limit.Reserved{{Name: "x", Nodes: []string{"n2"}, Till: noon.Add(time.Hour)}}
		}, false},
		"others complain of the second": {func(b *Backend, _ *run) { b.nodes["n2"].shy = noon.Add(time.Hour) }, false},
		"it is the same node":           {func(_ *Backend, r *run) { r.Nodes = []string{"n1"} }, false},
		"it has begun in between":       {func(_ *Backend, r *run) { r.key.attempt = 3 }, false},
		"that was long ago":             {func(b *Backend, _ *run) { b.nodes["n1"].balked[5] = balk{0, noon.Add(-balkLasts)} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, n, first, look := shyNode(t)
			b.node("n2").attention = awaited // by nobody
			b.applyNodes(map[string]client.Node{"n1": n.slurm, "n2": {Name: "n2", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
			first.job = &client.Job{State: client.Pending}
			b.avoid(first, noon)
			if first.lost != "" || !look(0) {
				t.Fatalf("after the first: %q", first.lost)
			}
			r := &run{key: second, state: released, job: &client.Job{State: client.Pending, Reason: "ReqNodeNotAvail"}, orders: first.orders, size: 1, binding: binding{User: "ann", Nodes: []string{"n2"}}}
			c.then(b, r)
			b.avoid(r, noon)
			if r.unfit != c.refused || r.avoids == c.refused || (r.lost != "") != c.refused {
				t.Fatalf("refused %v, moved %v: %q", r.unfit, r.avoids, r.lost)
			}
			if !c.refused {
				return
			}
			if r.lost != "Slurm does not start it, neither on n1 nor on n2: ReqNodeNotAvail" || !b.dirty[r] {
				t.Errorf("it is said: %q", r.lost)
			}
			if look(0) || b.nodes["n2"].moving || noon.Before(b.nodes["n2"].shy) {
				t.Error("a node is closed for it still")
			}
			w := world{now: noon, orders: true}
			r.vouched = noon
			if next := r.decide(&w); next != kill {
				t.Errorf("in Slurm it is not ended: %v", next)
			}
			r.job.State = client.Cancelled
			if r.infer(&w); r.end == nil || r.end.state != task.Refused || r.end.why != r.lost || r.end.started != 0 {
				t.Errorf("it ended %+v", r.end)
			}
			r.state, r.end, r.job.Nodes = running, nil, []string{"n2"}
			if r.infer(&w); r.end == nil || r.end.state != task.Lost {
				t.Errorf("begun after all it ended %+v", r.end)
			}
		})
	}
}
