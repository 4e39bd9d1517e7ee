package cgroup

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// signalGroup is a group that signals keep; the lock of the tree is its own.
type signalGroup struct {
	tree    *signalTree
	name    string
	members map[int]*member

	limits  Limits
	set     bool // limits were set; until then a group that was found is left alone
	held    bool // by Freeze
	killing bool // nothing is to run any more

	// The duty cycle, in seconds of processor time and processors.
	rate      float64 // what the plan gives it; negative: no bound
	planned   bool
	budget    float64
	throttled bool
	short     bool          // it was throttled since the last plan
	charged   time.Duration // of used, to the budget
	reckoned  time.Duration // of used, by the last plan

	used, heldBack time.Duration
	memory, peak   int64
	waited         waiting
}

func (t *signalTree) newGroup(name string) *signalGroup {
	g := &signalGroup{tree: t, name: name, members: map[int]*member{}}
	t.groups[name] = g
	return g
}

func (g *signalGroup) Name() string { return g.name }

func (g *signalGroup) Enter() EnterSpec { return EnterSpec{Env: []string{g.tree.mark(g.name)}} }

func (g *signalGroup) wantFrozen() bool { return g.held || g.set && g.limits.CPU == 0 }

// apply stops or continues members as the group is to be.
func (g *signalGroup) apply() {
	stop := g.killing || g.wantFrozen() || g.throttled
	if !stop && !g.set {
		return
	}
	for _, m := range g.members {
		if m.paused == stop || m.zombie() {
			continue
		}
		sig := unix.SIGCONT
		if stop {
			sig = unix.SIGSTOP
		}
		// One that may not be signalled (set-user-ID) runs on: whoever
		// freezes the group is told.
		if m.signal(sig) == nil {
			m.paused = stop
		}
	}
}

func (g *signalGroup) Set(l Limits) error {
	l, err := l.normal()
	if err == nil && l.Memory != 0 {
		err = absent("memory", true)
	}
	if err == nil && l.Pids != 0 {
		err = absent("pids", true)
	}
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	g.tree.mu.Lock()
	err = g.setLocked(l)
	g.tree.mu.Unlock()
	if err == nil && l.CPU == 0 {
		err = g.awaitStop()
	}
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	return nil
}

func (g *signalGroup) setLocked(l Limits) error {
	if c := g.tree.capacity; c >= 0 && l.CPU > 0 && quota(l.CPU) > quota(c) {
		return fmt.Errorf("cpu %v: %w", l.CPU, ErrCapacity)
	}
	if !slices.Equal(l.CPUs, g.limits.CPUs) {
		for pid := range g.members {
			if err := g.pin(pid, l.CPUs); err != nil {
				return err
			}
		}
	}
	if l.CPU > 0 {
		l.CPU = float64(quota(l.CPU)) / periodUS
		if g.budget > 0 && l.CPU < g.rate { // what is saved was given at the old rate
			g.budget *= l.CPU / g.rate
			g.rate = l.CPU
		}
	}
	g.limits, g.set = l, true
	if len(g.members) > 0 {
		g.begin()
	}
	g.apply()
	return nil
}

// pin keeps a process on some processors; its children inherit it.
func (g *signalGroup) pin(pid int, cpus []int) error {
	set := g.tree.cpus
	if cpus != nil {
		set.Zero()
		for _, c := range cpus {
			set.Set(c)
		}
	}
	for _, tid := range threadsOf(pid) {
		if err := unix.SchedSetaffinity(tid, &set); err != nil && !noProcess(err) {
			return fmt.Errorf("process %d on processors %s: %w", pid, cpuList(cpus), err)
		}
	}
	return nil
}

func (g *signalGroup) Adopt(pid int) error {
	t := g.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := readStat(pid)
	if err != nil || s.zombie() {
		return fmt.Errorf("group %s: process %d: %w", g.name, pid, os.ErrProcessDone)
	}
	for _, other := range t.groups {
		if m := other.members[pid]; m != nil && other != g {
			m.close()
			delete(other.members, pid)
		}
	}
	known := g.members[pid] != nil
	m := g.add(s)
	if m == nil {
		return fmt.Errorf("group %s: process %d: %w", g.name, pid, os.ErrProcessDone)
	}
	m.adopted = true
	if !known { // what it did before is not the group's
		m.children = s.children
		if m.own, err = cpuClock(pid); err != nil {
			return fmt.Errorf("group %s: %w", g.name, err)
		}
	}
	if g.limits.CPUs != nil {
		if err := g.pin(pid, g.limits.CPUs); err != nil {
			return fmt.Errorf("group %s: %w", g.name, err)
		}
	}
	g.begin()
	g.apply()
	t.rouse()
	return nil
}

func (g *signalGroup) Freeze() error {
	g.tree.mu.Lock()
	g.held = true
	g.apply()
	g.tree.mu.Unlock()
	if err := g.awaitStop(); err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	return nil
}

func (g *signalGroup) Thaw() error {
	g.tree.mu.Lock()
	defer g.tree.mu.Unlock()
	g.held = false
	if g.set {
		g.apply()
		return nil
	}
	for _, m := range g.members { // found, never set: it runs on unlimited
		if err := m.signal(unix.SIGCONT); err != nil {
			return fmt.Errorf("group %s: process %d: %w", g.name, m.pid, err)
		}
		m.paused = false
	}
	return nil
}

// awaitStop waits until all members have stopped, or are to run again.
func (g *signalGroup) awaitStop() error {
	return await(slowFreeze, func() (bool, error) {
		if err := g.tree.rescan(); err != nil {
			return false, err
		}
		g.tree.mu.Lock()
		defer g.tree.mu.Unlock()
		return !g.wantFrozen() || g.stopped(), nil
	})
}

func (g *signalGroup) stopped() bool {
	for pid, m := range g.members {
		if s, err := readStat(pid); err != nil || s.zombie() || s.start != m.start {
			continue
		}
		for _, tid := range threadsOf(pid) { // each stops in its own time
			if s, err := readStat(tid); err == nil && !s.zombie() && !s.stopped() {
				return false
			}
		}
	}
	return true
}

func (g *signalGroup) Frozen() bool {
	g.tree.mu.Lock()
	defer g.tree.mu.Unlock()
	return (g.wantFrozen() || !g.set) && g.stopped()
}

func (g *signalGroup) Procs() ([]int, error) {
	if err := g.tree.rescan(); err != nil {
		return nil, fmt.Errorf("group %s: %w", g.name, err)
	}
	g.tree.mu.Lock()
	defer g.tree.mu.Unlock()
	var pids []int
	for pid, m := range g.members {
		if !m.zombie() {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, nil
}

func (g *signalGroup) Used() (time.Duration, error) {
	g.tree.mu.Lock()
	defer g.tree.mu.Unlock()
	g.measure()
	return g.used, nil
}

func (g *signalGroup) Usage() (Usage, error) {
	g.tree.mu.Lock()
	g.measure()
	u := Usage{CPU: g.used, Throttled: g.heldBack, Memory: g.memory, PeakMemory: g.peak}
	var tids []int
	for pid := range g.members {
		if !alive(pid) {
			continue
		}
		u.Procs++
		tids = append(tids, threadsOf(pid)...)
	}
	if u.Procs == 0 {
		u.Memory = 0
	}
	have := g.limits.holding()
	g.tree.mu.Unlock()
	u.Waited = g.waited.total(tids, u.CPU, have)
	return u, nil
}
