package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Runs is what the agents of Slurm nodes say they leave the running to.
const Runs = "slurm"

// Hello lets the agent of a node join, if Slurm has that node and it is well.
func (b *Backend) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	switch {
	case b.cfg.Control == None:
		return task.Welcome{}, &trade.FieldError{Field: "runs", Want: "no agent: this market leaves nodes to Slurm (slurm.control is none)"}
	case h.Runs != Runs:
		return task.Welcome{}, &trade.FieldError{Field: "runs", Want: "slurm: this market runs on Slurm (start the agent with --control slurm)"}
	}
	b.mu.Lock()
	n := b.node(h.Node)
	before, now := n.heard, b.cfg.Now()
	n.heard = now
	known, is, why := b.knows, n.health, n.slurm.Reason
	if n.slurm.Processors > 0 { // Slurm does not hand out more than it believes in
		h.Processors = min(h.Processors, n.slurm.Processors)
	}
	if n.slurm.MemoryMB > 0 {
		h.MemoryMB = min(h.MemoryMB, n.slurm.MemoryMB)
	}
	n.equip(&h, b.knows)
	b.mu.Unlock()
	switch {
	case known && (is == unseen || is == outside):
		return task.Welcome{}, &trade.FieldError{Field: "node", Want: fmt.Sprintf("a node of Slurm's partition %s", b.cfg.Partition)}
	case is.bad():
		return task.Welcome{}, fmt.Errorf("node %s: %w: Slurm says that it is down: %s", h.Node, trade.ErrUnavailable, why)
	}
	w, err := b.register(ctx, n, h)
	if wrong := (*trade.FieldError)(nil); errors.As(err, &wrong) {
		b.mu.Lock()
		if n.heard.Equal(now) { // who is refused is no agent of this node, however often it calls
			n.heard = before
		}
		b.mu.Unlock()
	}
	return w, err
}

// touchNode notes that the agent of a node is there.
func (b *Backend) touchNode(name string) (*node, error) {
	n := b.nodes[name]
	if n == nil || n.hello == nil {
		return nil, fmt.Errorf("node %s: %w: it has to register first", name, trade.ErrUnknown)
	}
	n.heard = b.cfg.Now()
	return n, nil
}

// listens notes that the agent of a node waits for news, until what it returns is called.
func (b *Backend) listens(name string) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.nodes[name]
	if n == nil {
		return func() {}
	}
	n.listening++
	return func() {
		b.mu.Lock()
		n.listening--
		n.heard = b.cfg.Now()
		b.mu.Unlock()
	}
}

// gather is how long a change waits for others before an agent is told of it.
const gather = 10 * time.Millisecond

// Desired is what the agent of a node should hold to its share: the Slurm jobs
// that are there.
func (b *Backend) Desired(ctx context.Context, name string, after int64, patience time.Duration) (task.Desired, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	defer b.listens(name)()
	for {
		b.mu.Lock()
		n, err := b.touchNode(name)
		if err != nil {
			b.mu.Unlock()
			return task.Desired{}, err
		}
		if n.version != after { // it may have heard more of one that began at a later time of day
			d := b.orders(n)
			b.mu.Unlock()
			return d, nil
		}
		changed := n.changed
		b.mu.Unlock()
		select {
		case <-changed:
			pause(ctx, gather)
		case <-timer.C:
			b.mu.Lock()
			d := b.orders(n)
			b.mu.Unlock()
			return d, nil
		case <-ctx.Done():
			return task.Desired{}, ctx.Err()
		case <-b.ctx.Done():
			return task.Desired{}, trade.ErrUnavailable
		}
	}
}

// orders are those of a node whose jobs are in Slurm, by job and rank. The lock
// is held.
func (b *Backend) orders(n *node) task.Desired {
	d := task.Desired{Version: n.version, Tails: n.tails, LeaseMS: n.lease.Milliseconds(), ReportMS: reportEvery.Milliseconds(), Orders: []task.Order{}}
	for key := range n.orders {
		r := b.runs[runKey{key.Job, key.Attempt}]
		if r == nil || r.ID == 0 || r.state == reported {
			continue
		}
		o := r.orders[key.Rank]
		o.Batch = r.batch()
		o.Members, o.Over = r.array.members[n.name], r.gone()
		if r.orphan {
			o.Stop = task.Abandon
		}
		o.Spec.Script, o.Spec.Env = nil, nil // Slurm has them
		d.Orders = append(d.Orders, o)
	}
	slices.SortFunc(d.Orders, func(x, y task.Order) int {
		return cmp.Or(cmp.Compare(x.Spec.Job, y.Spec.Job), cmp.Compare(x.Spec.Rank, y.Spec.Rank))
	})
	return d
}

// reportEvery is how often agents say how far their tasks are. The end of a job
// waits for one such word.
const reportEvery = time.Second

// Report takes in how the tasks on a node stand, and hands on to the market how
// far they are. How they end, Slurm says.
func (b *Backend) Report(ctx context.Context, report task.Report) (task.Reply, error) {
	b.mu.Lock()
	n, err := b.touchNode(report.Node)
	if err != nil {
		b.mu.Unlock()
		return task.Reply{}, err
	}
	now := b.cfg.Now()
	reply := task.Reply{Version: n.version}
	onward := task.Report{Node: report.Node, Version: report.Version}
	for i := range report.Tasks {
		s := &report.Tasks[i]
		r := b.runs[runKey{s.Job, s.Attempt}]
		// A node speaks of its own tasks alone, even if it knows another's number.
		if r == nil || r.state == reported || r.ID == 0 || s.Batch != r.batch() || !r.isOn(s.Rank, n.name) {
			if s.State.Final() {
				reply.Forget = append(reply.Forget, s.Key)
			}
			continue
		}
		was, known := r.statuses[s.Rank]
		if !known || was.State != s.State {
			b.dirty[r] = true
		}
		r.observe(s, now)
		if !s.State.Final() && !r.state.over() {
			onward.Tasks = append(onward.Tasks, *s)
		}
	}
	n.reported = now
	for key := range n.orders {
		if r := b.runs[runKey{key.Job, key.Attempt}]; r != nil && r.state == ended {
			b.dirty[r] = true
		}
	}
	quiet := n.membership.lost() || len(onward.Tasks) == 0
	b.mu.Unlock()
	b.wakeLoop()
	if quiet { // to speak for a node that is lost would bring it back
		return reply, nil
	}
	if _, err := b.fleet.Report(ctx, onward); err != nil {
		return task.Reply{}, err
	}
	return reply, nil
}

// progress tells the market how long jobs have run that no agent measures: they
// have whole processors, so that is what they used. The lock is held.
func (b *Backend) progress() {
	now := b.cfg.Now()
	byNode := map[string][]task.Status{}
	for _, r := range b.runs {
		if r.job == nil || r.job.Started == 0 || r.state.over() || r.job.State.Over() || r.job.Held {
			continue
		}
		used := max(0, now.UnixMicro()-(r.job.Started+r.job.Paused)*1e6)
		for rank, o := range r.orders {
			name := o.Spec.Nodes[rank]
			if r.array.is {
				used = r.had(rank, now.Unix()) * 1e6
			}
			byNode[name] = append(byNode[name], task.Status{
				Key: o.Spec.Key, State: task.Running, CPUUS: used * int64(o.Spec.Processors()), StartedUS: r.job.Started * 1e6, Batch: r.batch(),
			})
		}
	}
	for name, tasks := range byNode {
		if n := b.nodes[name]; n == nil || n.membership.lost() {
			continue
		}
		b.going.Go(func() { _, _ = b.fleet.Report(b.ctx, task.Report{Node: name, Tasks: tasks}) }) // said again at the next look
	}
}

// Chunk hands on a piece of output.
func (b *Backend) Chunk(ctx context.Context, name, id string, c task.Chunk) error {
	return b.fleet.Chunk(ctx, name, id, c)
}

// Measure gives numbers for the metrics.
func (b *Backend) Measure() map[string]float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := map[string]float64{
		"slurm_runs": float64(len(b.runs)), "slurm_answers": 1, "slurm_listing_seconds": b.polled.Seconds(), "slurm_listings_total": float64(b.listings),
		"slurm_submitted_total": float64(b.taken),
	}
	if b.good.IsZero() {
		m["slurm_answers"] = 0
	}
	return m
}
