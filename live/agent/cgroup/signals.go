package cgroup

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// signalTree keeps shares by stopping and continuing processes, where the
// kernel's groups may not be used. It needs no privilege but to signal the
// processes, and it is an approximation:
//
//   - A group is what has been adopted, and what descends from that: children
//     by their parent, and orphans by their session, their process group or
//     the mark in their environment (this process makes itself the one that
//     orphans fall to, and reaps them). Whoever takes care to lose all of these
//     within a tenth of a second escapes.
//   - The share is kept over some periods, not within one: a process may run
//     for 10 ms too long, and is then stopped for longer. A child lives up to
//     100 ms before it is known.
//   - The processor time of a process that ended is known if its parent, in the
//     group too, waited for it; else only up to the last look at it.
//   - There is no limit on memory or processes, and no weight against what is
//     outside the tree. Weights inside it work by its capacity: without one,
//     they mean nothing.
//   - Programs can see that they are stopped, and a shell that watches its
//     children may report it. A process that stops itself is continued.
//   - Limits live in this process. When it ends, groups run on as they were
//     last; when it is killed, some of them may be left stopped until a tree of
//     the same name is opened and their limits are set.
type signalTree struct {
	name string
	now  func() time.Time
	self int
	cpus unix.CPUSet // what this process may run on

	mu       sync.Mutex
	groups   map[string]*signalGroup
	capacity float64
	last     time.Time            // of the last step
	period   time.Time            // when this period began
	sessions map[int]*signalGroup // that a member leads or led: who is in it belongs
	pgrps    map[int]*signalGroup // and likewise process groups
	reapers  map[int]bool         // processes that orphans of the groups fall to
	stranger map[int]uint64       // start of processes that carry no mark, as far as known
	asked    []chan struct{}      // looks for marks under way; closed when done
	closed   bool

	wake, quit, done chan struct{}
	closing          sync.Once
}

func newSignalTree(name string, now func() time.Time) (*signalTree, error) {
	if now == nil {
		now = time.Now //nolint:forbidigo // the shares are kept in real time
	}
	t := &signalTree{
		name: name, now: now, self: os.Getpid(), capacity: -1,
		groups: map[string]*signalGroup{}, stranger: map[int]uint64{},
		sessions: map[int]*signalGroup{}, pgrps: map[int]*signalGroup{},
		reapers: map[int]bool{os.Getpid(): true, 1: true},
		wake:    make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become the reaper of orphans: %w", err)
	}
	if err := unix.SchedGetaffinity(t.self, &t.cpus); err != nil {
		return nil, fmt.Errorf("own processors: %w", err)
	}
	t.last = now()
	t.period = t.last
	if err := t.recover(); err != nil {
		return nil, err
	}
	t.rouse()
	go t.run()
	return t, nil
}

func (t *signalTree) Kind() string      { return Signals }
func (t *signalTree) Missing() []string { return []string{"memory", "pids", "weight"} }

func (t *signalTree) Make(name string, l Limits) (Group, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	t.mu.Lock()
	g, found := t.groups[name]
	if !found {
		g = t.newGroup(name)
	}
	t.mu.Unlock()
	if err := g.Set(l); err != nil {
		if !found {
			t.mu.Lock()
			delete(t.groups, name)
			t.mu.Unlock()
		}
		return nil, fmt.Errorf("make group %s: %w", name, err)
	}
	return g, nil
}

func (t *signalTree) Find(name string) (Group, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g, ok := t.groups[name]; ok {
		return g, true
	}
	return nil, false
}

func (t *signalTree) List() ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := make([]string, 0, len(t.groups))
	for n := range t.groups {
		names = append(names, n)
	}
	slices.Sort(names)
	return names, nil
}

// Processes is nothing that signals can bound.
func (t *signalTree) Processes() int64 { return 0 }

// SetRoom is nothing that signals can do.
func (t *signalTree) SetRoom(memory, pids int64) error {
	return errors.Join(absent("memory", memory != 0), absent("pids", pids != 0))
}

func (t *signalTree) SetCapacity(cpu float64) error {
	if err := checkCapacity(cpu); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if cpu >= 0 {
		for _, g := range t.ordered() {
			if g.set && g.limits.CPU > 0 && quota(g.limits.CPU) > quota(cpu) {
				return fmt.Errorf("capacity %v: group %s has %v: %w", cpu, g.name, g.limits.CPU, ErrCapacity)
			}
		}
	}
	t.capacity = cpu
	return nil
}

// ordered is the groups by name.
func (t *signalTree) ordered() []*signalGroup {
	groups := make([]*signalGroup, 0, len(t.groups))
	for _, g := range t.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *signalGroup) int { return strings.Compare(a.name, b.name) })
	return groups
}

func (t *signalTree) SetWeight(weight float64) error {
	if err := checkWeight(weight); err != nil {
		return err
	}
	return absent("weight", weight != 1)
}

func (t *signalTree) Remove() error {
	t.mu.Lock()
	groups := t.ordered()
	t.mu.Unlock()
	for _, g := range groups {
		if err := g.Remove(); err != nil {
			return err
		}
	}
	return t.Close()
}

func (t *signalTree) Close() error {
	t.closing.Do(func() {
		close(t.quit)
		<-t.done
		t.mu.Lock()
		defer t.mu.Unlock()
		t.closed = true
		for _, g := range t.groups {
			if g.throttled {
				g.throttled = false
				g.apply()
			}
			for _, m := range g.members {
				m.close()
			}
			clear(g.members)
		}
	})
	return nil
}

// rouse makes the loop look for processes at once if it sleeps.
func (t *signalTree) rouse() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
