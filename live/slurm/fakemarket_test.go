package slurm

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// fakeMarket places jobs on nodes that are up, and starts those anew that were
// lost.
type fakeMarket struct {
	mu    sync.Mutex
	luck  *rand.Rand
	nodes map[string]*fakeMember
	jobs  map[int64]*fakeOrder
	wrong []string // what must not be
	born  int64    // of what is submitted next
	lost  int      // nodes, each as often as it was
}

// losses is how often a node was lost.
func (m *fakeMarket) losses() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost
}

type fakeMember struct {
	up     bool
	closed bool // to new jobs
	ahead  int64

	withheld int // GPUs that others hold
	version  int64
	changed  chan struct{}
}

type fakeOrder struct {
	task.Spec // of rank 0
	program   model.Program
	refused   bool
	stop      task.Stop
	placed    bool
	ends      map[int]task.Status // of this attempt
	final     *task.Status
	why       []string // it was lost
}

func newFakeMarket(seed uint64) *fakeMarket {
	return &fakeMarket{luck: rand.New(rand.NewPCG(seed, 8)), nodes: map[string]*fakeMember{}, jobs: map[int64]*fakeOrder{}}
}

func (m *fakeMarket) member(name string) *fakeMember {
	if m.nodes[name] == nil {
		m.nodes[name] = &fakeMember{version: 1, changed: make(chan struct{})}
	}
	return m.nodes[name]
}

// all lets every node know that something has changed.
func (m *fakeMarket) all() {
	for _, n := range m.nodes {
		n.version++
		close(n.changed)
		n.changed = make(chan struct{})
	}
}

// submit places a job.
func (m *fakeMarket) submit(id int64, size int, p model.Program, refused bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs[id] = &fakeOrder{
		Spec:    task.Spec{Key: task.Key{Job: id}, BornUS: m.born, Size: size, User: "ann", Name: "work", Dir: "/", GraceMS: 500},
		program: p, refused: refused, ends: map[int]task.Status{},
	}
	m.place(m.jobs[id])
}

func (m *fakeMarket) place(j *fakeOrder) {
	var up []string
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		if m.nodes[name].up && !m.nodes[name].closed {
			up = append(up, name)
		}
	}
	if len(up) == 0 || j.final != nil {
		return
	}
	j.Nodes = nil
	for range j.Size {
		j.Nodes = append(j.Nodes, up[m.luck.IntN(len(up))])
	}
	slices.Sort(j.Nodes)
	j.placed = true
	clear(j.ends)
	word := "true"
	if j.refused {
		word = "refuse me"
	}
	j.Argv = []string{word, fmt.Sprintf("takes %s exit %d", j.program.Takes, j.program.Exit)}
	m.all()
}

func (m *fakeMarket) evict(j *fakeOrder) {
	j.placed = false
	j.Attempt++
	if j.stop != task.GoOn {
		j.final = &task.Status{State: task.Lost}
		m.all()
		return
	}
	m.place(j)
	m.all()
}

func (m *fakeMarket) cancel(id int64, how task.Stop) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if j := m.jobs[id]; j != nil && j.final == nil {
		if j.stop = how; !j.placed { // nobody was asked to run it
			j.final = &task.Status{State: task.Ended, Signal: "SIGTERM"}
			return
		}
		m.all()
	}
}

func (m *fakeMarket) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	if ctx.Err() != nil {
		return task.Welcome{}, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rise(h.Node)
	return task.Welcome{LeaseMS: 20_000, ReportMS: 1000}, nil
}

func (m *fakeMarket) rise(name string) {
	if n := m.member(name); !n.up {
		n.up = true
		for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
			if j := m.jobs[id]; !j.placed {
				m.place(j)
			}
		}
	}
}

func (m *fakeMarket) Wanted(ctx context.Context, name string, after int64, wait time.Duration) (task.Desired, []dispatch.Want, error) {
	d, err := m.Desired(ctx, name, after, wait)
	wants := wantsOf(d.Orders)
	d.Orders = nil
	return d, wants, err
}

// wantsOf is what a market says where it does not put whole orders together.
func wantsOf(orders []task.Order) []dispatch.Want {
	var wants []dispatch.Want
	for i := range orders {
		o := &orders[i]
		wants = append(wants, dispatch.Want{Spec: &o.Spec, CPU: o.CPU, Weight: o.Weight, Processor: o.Processor, More: o.More, MostUS: o.MostUS, Stop: o.Stop})
	}
	return wants
}

// applyOrders takes in what a market wants that says whole orders.
func (b *Backend) applyOrders(n *node, d *task.Desired) { b.applyWants(n, d, wantsOf(d.Orders)) }

func (m *fakeMarket) Desired(ctx context.Context, name string, after int64, wait time.Duration) (task.Desired, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		m.mu.Lock()
		n := m.nodes[name]
		if n == nil {
			m.mu.Unlock()
			return task.Desired{}, trade.ErrUnknown
		}
		d, changed := task.Desired{Version: n.version, LeaseMS: 20_000, ReportMS: 1000}, n.changed
		for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
			j := m.jobs[id]
			for rank := range j.Nodes {
				if _, ended := j.ends[rank]; ended || !j.placed || j.final != nil || j.Nodes[rank] != name || !n.up {
					continue
				}
				s := j.Spec
				s.Rank = rank
				d.Orders = append(d.Orders, task.Order{Spec: s, CPU: 0.2, Stop: j.stop})
			}
		}
		m.mu.Unlock()
		if d.Version > after {
			return d, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return d, nil
		case <-ctx.Done():
			return task.Desired{}, ctx.Err()
		}
	}
}

func (m *fakeMarket) Report(ctx context.Context, r task.Report) (task.Reply, error) {
	if ctx.Err() != nil {
		return task.Reply{}, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.member(r.Node).up {
		m.rise(r.Node)
	}
	var reply task.Reply
	for _, s := range r.Tasks {
		if !s.State.Final() {
			continue
		}
		reply.Forget = append(reply.Forget, s.Key)
		j := m.jobs[s.Job]
		if j == nil || j.Attempt != s.Attempt || !j.placed || j.final != nil {
			continue
		}
		if before, again := j.ends[s.Rank]; again {
			if before.State != s.State || before.Exit != s.Exit {
				m.wrong = append(m.wrong, fmt.Sprintf("%s ended as %+v and then as %+v", s.Key, before, s))
			}
			continue
		}
		j.ends[s.Rank] = s
		switch {
		case s.State == task.Lost:
			j.why = append(j.why, s.Error)
			m.evict(j)
		case len(j.ends) == j.Size:
			final := j.ends[0]
			j.final = &final
			m.all()
		default:
			m.all()
		}
	}
	if ctx.Err() != nil {
		return task.Reply{}, ctx.Err()
	}
	return reply, nil
}

func (m *fakeMarket) Chunk(context.Context, string, string, task.Chunk) error { return nil }

func (m *fakeMarket) Lose(ctx context.Context, name, _ string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.member(name)
	if !n.up {
		return nil
	}
	n.up, n.closed = false, false
	m.lost++
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		if j := m.jobs[id]; j.placed && j.final == nil && slices.Contains(j.Nodes, name) {
			m.evict(j)
		}
	}
	m.all()
	return nil
}

func (m *fakeMarket) Turn(ctx context.Context, name string, door trade.Door, _ string, ahead int64) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.member(name).closed, m.member(name).ahead = door == trade.DoorClosed, ahead
	return nil
}

func (m *fakeMarket) Withhold(ctx context.Context, name string, gpus int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.member(name).withheld = gpus
	return nil
}

// ending is how a job ended; nothing if it has not.
func (m *fakeMarket) ending(id int64) task.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	if final := m.jobs[id].final; final != nil {
		return *final
	}
	return task.Status{}
}

// open counts the jobs that have not ended.
func (m *fakeMarket) open() (left []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		if m.jobs[id].final == nil {
			left = append(left, id)
		}
	}
	return left
}
