package controller

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// fleet is what the nodes should be doing as far as it is durable, and when
// each was last heard of. Agents come for it themselves.
type fleet struct {
	c *Controller

	// The loop's alone: nodes whose orders have changed since they were last
	// worked out. True: something starts or ends, so it is urgent.
	dirty map[string]bool
	last  map[string]worked
	tasks int   // of all nodes, as last worked out
	next  int64 // none of them is due before

	looked int64 // when silent nodes were last looked for

	mu     sync.Mutex
	nodes  map[string]*member
	tails  map[string]chan task.Chunk
	nextID int64
	said   map[claim]saying   // running tasks: what was last said and is not taken in yet
	news   map[string][]int64 // by node: when it last introduced itself with something new
}

// mostNews is how often within an hour a node may introduce itself as another than
// before, started anew or with another agent: each time is an entry of the log.
const mostNews = 100

// anew notes that a node introduces itself as another, or says that it has done so too
// often.
func (f *fleet) anew(node string, now int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.news[node]
	for len(list) > 0 && list[0] <= now-vainFor {
		list = list[1:]
	}
	if len(list) >= mostNews {
		f.news[node] = list
		wait := time.Duration(list[0]+vainFor-now) * time.Microsecond
		return fair.TooMany("hello", wait, "node %s was started anew, or changed, %d times within an hour: see what is wrong with it, and wait %s", node, len(list), wait.Round(time.Second))
	}
	f.news[node] = append(list, now)
	return nil
}

// saying is what a node said of a task, and when.
type saying struct {
	task.Status
	at int64
}

// claim is a task, and the node that speaks of it: what it says counts only if
// the task is its own.
type claim struct {
	node string
	task.Key
}

// member is one node as its agent sees it.
type member struct {
	desired task.Desired  // without its orders
	plan    *plan         // these; nil: none were published
	changed chan struct{} // closed and replaced when desired changes
	seen    int64
	seat    string // of the agent that speaks for it
	heard   int64  // when that was last heard of
	apart   apart  // of its clock
	hurried int64  // until when what does not wait was said ahead
	refused int64  // when its agent last said that it follows another; 0: it does not
	lanes   map[task.Key]*task.Lane
}

// worked is when the orders of a node were worked out, and how many there were.
type worked struct {
	at    int64
	tasks int
}

// nodeOrders is what a node should be doing from now on.
type nodeOrders struct {
	node string
	plan *plan
}

// plan is what a node should be doing. Whole orders are made of it when they are asked for,
// beside the market: of several plans within one poll only the last is.
type plan struct {
	wants []dispatch.Want
	once  sync.Once
	whole []task.Order
}

func (p *plan) orders() []task.Order {
	if p == nil {
		return nil
	}
	p.once.Do(func() { p.whole = dispatch.Orders(p.wants) })
	return p.whole
}

// tasks are what the plan is about.
func (p *plan) tasks() []dispatch.Want {
	if p == nil {
		return nil
	}
	return p.wants
}

func newFleet(c *Controller) *fleet {
	return &fleet{
		c: c, dirty: map[string]bool{}, last: map[string]worked{}, next: math.MaxInt64, nodes: map[string]*member{},
		tails: map[string]chan task.Chunk{}, said: map[claim]saying{}, news: map[string][]int64{},
	}
}

// begin takes the nodes that were up for heard of just now: they have the time
// of a lease to say otherwise.
func (f *fleet) begin(x *exchange.Exchange, now int64) {
	up := x.NodesUp()
	f.changed(up, nil)
	f.looked = now
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range up {
		m := f.member(name)
		m.seat, _ = x.Seat(name)
		m.seen, m.heard = now, now
	}
}

// member finds a node, or makes it known. Versions begin at the clock, so that
// they grow across restarts. So does the silence of a node: one that has just joined is
// up before whoever let it in has come to note that it was heard.
func (f *fleet) member(name string) *member {
	m := f.nodes[name]
	if m == nil {
		now := f.c.now()
		m = &member{changed: make(chan struct{}), seen: now}
		m.desired.Version = now
		f.nodes[name] = m
	}
	return m
}

// changed notes whose orders must be worked out again.
func (f *fleet) changed(urgent, reshared []string) {
	for _, name := range reshared {
		f.schedule(name, f.dirty[name])
	}
	for _, name := range urgent {
		f.schedule(name, true)
	}
}

func (f *fleet) schedule(name string, urgent bool) {
	f.dirty[name] = urgent
	f.next = min(f.next, f.dueAt(name, urgent))
}

// What a node hears of changes is gathered: it hears of what starts or ends no
// more often than so, and of mere shares less. To work out orders takes the loop
// about a microsecond for each task, and all others wait meanwhile; so the more
// there are the longer it gathers, and has nine tenths of its time for them.
const (
	urgentUS   = 10_000
	patienceUS = 50_000
	perTaskUS  = 10
)

// dueAt is when a node should hear of a change.
func (f *fleet) dueAt(name string, urgent bool) int64 {
	last := f.last[name]
	if urgent {
		return last.at + urgentUS + int64(last.tasks)*perTaskUS
	}
	return last.at + patienceUS + int64(f.tasks)*perTaskUS // under proportional share these are all nodes
}

// due works out the orders of the nodes that should hear of a change by now.
func (f *fleet) due(x *exchange.Exchange, now int64) []nodeOrders {
	if now < f.next {
		return nil
	}
	var due []nodeOrders
	f.next = math.MaxInt64
	for _, name := range slices.Sorted(maps.Keys(f.dirty)) { // what is due depends on what was worked out before
		urgent := f.dirty[name]
		if at := f.dueAt(name, urgent); now < at {
			f.next = min(f.next, at)
			continue
		}
		wants := x.Wants(name)
		due = append(due, nodeOrders{node: name, plan: &plan{wants: wants}})
		delete(f.dirty, name)
		f.tasks += len(wants) - f.last[name].tasks
		f.last[name] = worked{at: now, tasks: len(wants)}
	}
	return due
}

// publish lets agents have orders that are durable.
func (f *fleet) publish(all []nodeOrders) {
	if len(all) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range all {
		m := f.member(n.node)
		m.plan = n.plan
		m.forgetLanes()
		f.bumpVersion(m)
	}
}

func (f *fleet) bumpVersion(m *member) {
	m.desired.Version++
	close(m.changed)
	m.changed = make(chan struct{})
}

// Hello lets a node join, within what the owner allows. One that says what it said
// before is heard, and nothing is written down.
func (c *Controller) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	if c.fleet.refuses(h.Node) {
		return c.welcome(0), nil
	}
	index, known, greeted := 0, false, false
	if err := c.query(ctx, func(x *exchange.Exchange) {
		_, known = x.Seat(h.Node)
		index, greeted = x.Greeted(&h)
	}); err != nil {
		return task.Welcome{}, err
	}
	if known { // before it is up again: it would be taken for silent
		if err := c.fleet.take(h.Node, h.Seat); err != nil {
			return task.Welcome{}, err
		}
	}
	if !greeted {
		if err := c.fleet.anew(h.Node, c.now()); err != nil {
			return task.Welcome{}, err
		}
		c.fleet.apartAnew(h.Node)
		cmd := trade.Command{By: trade.Identity{User: h.Node, Role: trade.RoleNode}, Enlist: &h, Allow: &c.cfg.Allow}
		o, _, err := c.Do(ctx, cmd, trade.Key{})
		if err == nil {
			index, err = o.Node.Index, c.fleet.take(h.Node, h.Seat)
		}
		if err != nil {
			return task.Welcome{}, err
		}
	}
	return c.welcome(index), nil
}

func (c *Controller) welcome(index int) task.Welcome {
	return task.Welcome{Index: index, LeaseMS: c.cfg.Lease.Milliseconds(), ReportMS: c.cfg.Report.Milliseconds(), Leader: c.Leader()}
}

// Desired answers as soon as there is a version beyond after, and after the wait
// in any case.
func (c *Controller) Desired(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, error) {
	d, plan, err := c.await(ctx, node, after, wait)
	d.Orders = plan.orders()
	return d, err
}

// Wanted is Desired for who is in this process, and puts no whole orders together: who reads
// only what has changed would have them made of all tasks of the node for every one that comes.
func (c *Controller) Wanted(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, []dispatch.Want, error) {
	d, plan, err := c.await(ctx, node, after, wait)
	return d, plan.tasks(), err
}

func (c *Controller) await(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, *plan, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		c.fleet.mu.Lock()
		m := c.fleet.nodes[node]
		if m == nil || m.refused != 0 { // who asks does not refuse any more
			if m != nil {
				m.refused = 0
			}
			c.fleet.mu.Unlock()
			return task.Desired{}, nil, unregistered(node)
		}
		m.seen = c.now()
		d, plan, changed := m.desired, m.plan, m.changed
		c.fleet.mu.Unlock()
		if err := c.leads(); err != nil { // who stood still while it waited must not let the node go on
			return task.Desired{}, nil, err
		}
		d.Leader = c.Leader()
		d.LeaseMS, d.ReportMS = c.cfg.Lease.Milliseconds(), c.cfg.Report.Milliseconds()
		if d.Version != after { // it may have heard more of one that began at a later time of day
			return d, plan, nil
		}
		select {
		case <-changed:
			c.takeTurn(ctx)
		case <-timer.C:
			return d, plan, nil
		case <-ctx.Done():
			return task.Desired{}, nil, ctx.Err()
		case <-c.done:
			return task.Desired{}, nil, trade.ErrUnavailable
		}
	}
}

func unregistered(node string) error {
	return fmt.Errorf("node %s: %w: it has to register first", node, trade.ErrUnknown)
}

// eachSecond takes in how far tasks are, loses nodes that have been silent for
// too long, and tries to open the market again where it had to close.
func (c *Controller) eachSecond(ctx context.Context) {
	if c.gate.standing == ahead {
		c.reopen(ctx)
	}
	if c.gate.closed != nil {
		return
	}
	c.recent.forget(c.now() - rememberUS)
	c.measure()
	if c.gate.closed != nil {
		return
	}
	for _, name := range c.fleet.silent(c.x.NodesUp(), c.now()) {
		why := c.fleet.whySilent(name)
		c.cfg.Logger.Warn("a node is taken for lost", "node", name, "because", why)
		lose := trade.Command{Node: &trade.NodeChange{Node: name, Why: why}}
		_ = c.guard("node", func() error { return c.do(&call{cmd: &lose}) })
	}
	c.tellMoves()
	c.tellPrices()
}

// patience is how long a node may be silent: longer than its lease, so that
// what it ran has ended there before it begins elsewhere.
func (f *fleet) patience() time.Duration {
	lease := f.c.cfg.Lease
	return lease + lease/10 + 2*time.Second
}

// absence is how long the market may be busy with other things; it looks for silent
// nodes every second.
const absence = 5 * time.Second

// silent lists the nodes that have not been heard of for too long.
func (f *fleet) silent(up []string, now int64) []string {
	if f.c.cfg.Lease == 0 {
		return nil
	}
	// A market that was stopped itself, or whose clock was set forward, has heard of
	// nobody for as long: they have the time of a lease to say otherwise.
	pause := now - f.looked
	f.looked = now
	f.mu.Lock()
	defer f.mu.Unlock()
	if pause > absence.Microseconds() {
		for _, m := range f.nodes {
			m.seen = now
		}
	}
	var lost []string
	for _, name := range up {
		if m := f.member(name); now-m.seen > f.patience().Microseconds() {
			lost = append(lost, name)
		}
	}
	return lost
}

// seen is when each node was last heard of.
func (f *fleet) lastSeen(name string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.nodes[name]; m != nil {
		return m.seen
	}
	return 0
}
