package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/agent"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// node is a machine with processors: what its agent takes for the kernel. It is an
// agent.Machine and agent.Groups.
type node struct {
	*host

	w     *World
	spec  *Node
	index int
	dir   string // of the agent's state

	mu     sync.Mutex
	boots  int
	began  time.Time
	groups map[string]*group
	procs  map[int]*process
	pids   int
	on     context.Context // while the machine has power
	off    context.CancelFunc
	stop   func() // the agent; nil: there is none
	agents int64
	dark   bool // it is losing power: nobody can look at anything
}

var (
	_ agent.Machine = (*node)(nil)
	_ agent.Groups  = (*node)(nil)
)

// firstPID is beyond what a real kernel gives out: nobody must take a process of
// this machine for one of the world.
const firstPID = 1 << 23

func (w *World) newNode(i int, spec *Node) *node {
	n := &node{
		host: &host{name: fmt.Sprintf("n%d", i+1), phase: time.Duration(1+i) * time.Nanosecond, offset: time.Duration(spec.SkewMS) * time.Millisecond}, w: w, spec: spec, index: i,
	}
	n.dir = filepath.Join(w.dir, n.name)
	n.powerOn()
	return n
}

// powerOn begins another run of the machine.
func (n *node) powerOn() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.boots++
	n.began = time.Now() //nolint:forbidigo // of the bubble
	n.groups, n.procs, n.dark = map[string]*group{}, map[int]*process{}, false
	n.on, n.off = context.WithCancel(n.w.alive)
}

// SinceBoot is a clock that nobody can set.
func (n *node) SinceBoot() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Since(n.began) + time.Minute //nolint:forbidigo // of the bubble; 0 means never to a lease
}

// Awake is the same: machines of the world do not sleep.
func (n *node) Awake() time.Duration { return n.SinceBoot() }

// UnixMicros is its time of day.
func (n *node) UnixMicros() int64 { return n.now().UnixMicro() }

// Boot names this run of the machine.
func (n *node) Boot() (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprintf("%s-%d", n.name, n.boots), nil
}

// Chance differs from agent to agent.
func (n *node) Chance() (uint64, uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.agents++
	r := n.w.chance("agent "+n.name, n.agents)
	return r.Uint64(), r.Uint64()
}

// User is anybody.
func (n *node) User() (string, error) { return "", nil }

// Account knows everybody.
func (n *node) Account(name string, _ []string) (agent.Account, error) {
	return agent.Account{Name: name, UID: 1000, GID: 1000, Home: "/", Shell: "/bin/sh"}, nil
}

// Idle is not told.
func (n *node) Idle() map[int]agent.Idle { return map[int]agent.Idle{} }

// Adopt and Bury have nothing to do: there are no orphans.
func (n *node) Adopt() error { return nil }

// Bury waits.
func (n *node) Bury(ctx context.Context) { <-ctx.Done() }

// Process is a handle of one of its processes.
func (n *node) Process(pid int) agent.Process {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.procs[pid]; p != nil {
		return p
	}
	return gone{}
}

// gone is a process that has ended before anybody looked.
type gone struct{}

func (gone) Signal(unix.Signal) error { return unix.ESRCH }
func (gone) Await(context.Context)    {}
func (gone) Close() error             { return nil }

// Make makes a group, or finds it.
func (n *node) Make(name string, l cgroup.Limits) (cgroup.Group, error) {
	n.mu.Lock()
	g := n.groups[name]
	if g == nil {
		g = &group{name: name, node: n, since: time.Now(), changed: make(chan struct{})} //nolint:forbidigo // of the bubble
		n.groups[name] = g
	}
	n.mu.Unlock()
	return g, g.Set(l)
}

// Find finds a group.
func (n *node) Find(name string) (cgroup.Group, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	g, ok := n.groups[name]
	return g, ok
}

// List names the groups.
func (n *node) List() ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.groups)), nil
}

// SetWeight, SetCapacity and SetRoom concern nobody here.
func (n *node) SetWeight(float64) error { return nil }

// SetCapacity concerns nobody here.
func (n *node) SetCapacity(float64) error { return nil }

// Processes concerns nobody here.
func (n *node) Processes() int64 { return 0 }

// SetRoom concerns nobody here.
func (n *node) SetRoom(int64, int64) error { return nil }

// Kind is that of a kernel of today.
func (n *node) Kind() string { return cgroup.V2 }

// Missing is nothing.
func (n *node) Missing() []string { return nil }

// group is a set of processes that share a quota: here, of one program.
type group struct {
	name string
	node *node

	mu      sync.Mutex
	limits  cgroup.Limits
	frozen  bool
	runs    bool          // a program is in it
	hungry  float64       // the part of what it is given that the program takes
	left    float64       // processor seconds that it still needs
	used    float64       // processor seconds
	since   time.Time     // when that was so
	changed chan struct{} // closed and replaced when it goes faster or slower
}

// rate is how fast its program goes, in processors.
func (g *group) rate() float64 {
	switch {
	case !g.runs || g.frozen || g.limits.CPU == 0:
		return 0
	case g.limits.CPU < 0:
		return g.hungry * float64(max(1, len(g.limits.CPUs)))
	default:
		return g.hungry * min(g.limits.CPU, float64(max(1, len(g.limits.CPUs))))
	}
}

// settle reckons up to now what was used.
func (g *group) settle() {
	now := time.Now() //nolint:forbidigo // of the bubble
	some := min(g.rate()*now.Sub(g.since).Seconds(), g.left)
	g.used += some
	g.left -= some
	g.since = now
}

// change settles, changes, and tells whoever waits for the end.
func (g *group) change(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.settle()
	do()
	close(g.changed)
	g.changed = make(chan struct{})
}

// next is how long the program takes from now on, if nothing changes; negative:
// for ever.
func (g *group) next() (time.Duration, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.settle()
	rate := g.rate()
	switch {
	case g.left <= 1e-9:
		return 0, g.changed
	case rate == 0 || g.left/rate > 1e8:
		return -1, g.changed
	default:
		return time.Duration(g.left/rate*1e9) + 1, g.changed
	}
}

func (g *group) Name() string { return g.name }

func (g *group) Set(l cgroup.Limits) error {
	g.change(func() { g.limits = l })
	return nil
}

func (g *group) Enter() cgroup.EnterSpec { return cgroup.EnterSpec{} }
func (g *group) Adopt(int) error         { return nil }

func (g *group) Freeze() error { g.change(func() { g.frozen = true }); return nil }
func (g *group) Thaw() error   { g.change(func() { g.frozen = false }); return nil }

func (g *group) Frozen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.frozen || g.limits.CPU == 0
}

// Kill ends the program at once.
func (g *group) Kill(context.Context) error {
	g.change(func() { g.runs = false })
	return nil
}

func (g *group) Signal(syscall.Signal) error { return nil }

func (g *group) Procs() ([]int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.runs {
		return []int{firstPID - 1}, nil
	}
	return nil, nil
}

func (g *group) Used() (time.Duration, error) {
	u, err := g.Usage()
	return u.CPU, err
}

func (g *group) Usage() (cgroup.Usage, error) {
	g.node.mu.Lock()
	dark := g.node.dark
	g.node.mu.Unlock()
	if dark {
		return cgroup.Usage{}, errors.New("no power")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.settle()
	u := cgroup.Usage{CPU: time.Duration(g.used * 1e9), Memory: 1 << 20, PeakMemory: 1 << 20}
	if g.runs {
		u.Procs = 1
	}
	return u, nil
}

func (g *group) Remove() error {
	g.node.mu.Lock()
	defer g.node.mu.Unlock()
	if g.runs {
		return errors.New("group is not empty")
	}
	delete(g.node.groups, g.name)
	return nil
}
