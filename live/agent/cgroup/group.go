package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// kernelGroup is a group that the kernel keeps.
type kernelGroup struct {
	tree       *kernelTree
	name, path string

	mu     sync.Mutex // over what was written
	last   Limits
	quota  int64  // as written last; last.CPU may be zero since
	known  fields // which of these the kernel has
	held   bool   // by Freeze
	frozen tristate

	waited waiting
	peakMu sync.Mutex
	peak   int64
}

// fields is a set of what Limits are written as.
type fields uint8

const (
	fieldQuota fields = 1 << iota
	fieldWeight
	fieldCPUs
	fieldMemory
	fieldPids
	fieldCPU // whether it is zero: frozen
)

type tristate uint8

const (
	unknown tristate = iota
	no
	yes
)

func (g *kernelGroup) Name() string { return g.name }

func (g *kernelGroup) Set(l Limits) error {
	l, err := l.normal()
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	if capacity := g.tree.capacity.Load(); l.CPU > 0 && capacity != noQuota && quota(l.CPU) > capacity {
		return fmt.Errorf("group %s: cpu %v: %w", g.name, l.CPU, ErrCapacity)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.set(l); err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	return nil
}

func (g *kernelGroup) set(l Limits) error {
	t := g.tree
	if err := g.change(fieldMemory, l.Memory == g.last.Memory, func() error { return t.setMemory(g.path, l.Memory) }); err != nil {
		return err
	}
	g.last.Memory = l.Memory
	if err := g.change(fieldPids, l.Pids == g.last.Pids, func() error { return t.setPids(g.path, l.Pids) }); err != nil {
		return err
	}
	g.last.Pids = l.Pids
	if err := g.change(fieldCPUs, slices.Equal(l.CPUs, g.last.CPUs), func() error { return t.setCPUs(g.path, l.CPUs) }); err != nil {
		return err
	}
	g.last.CPUs, g.last.Processors = l.CPUs, l.Processors
	if err := g.change(fieldWeight, l.Weight == g.last.Weight, func() error { return t.setWeight(g.path, l.Weight) }); err != nil {
		return err
	}
	g.last.Weight = l.Weight
	if l.CPU != 0 {
		// A frozen group keeps its quota, so that a thaw is one write.
		q := quota(l.CPU)
		if err := g.change(fieldQuota, q == g.quota, func() error { return t.setQuota(g.path, q) }); err != nil {
			return err
		}
		g.quota = q
	}
	g.last.CPU = l.CPU
	g.known |= fieldCPU
	return g.applyFreeze(false)
}

// change writes a field unless the kernel has it so already. After an error
// nobody knows what the kernel has.
func (g *kernelGroup) change(f fields, same bool, write func() error) error {
	if g.known&f != 0 && same {
		return nil
	}
	g.known &^= f
	if err := write(); err != nil {
		return err
	}
	g.known |= f
	return nil
}

// applyFreeze freezes or thaws as Freeze and the limits say.
func (g *kernelGroup) applyFreeze(always bool) error {
	want := no
	if g.wantFrozen() {
		want = yes
	}
	if g.frozen == want && !always {
		return nil
	}
	g.frozen = unknown
	if err := g.tree.stop(g.path, want == yes); err != nil {
		return err
	}
	g.frozen = want
	return nil
}

func (g *kernelGroup) wantFrozen() bool {
	return g.held || g.known&fieldCPU != 0 && g.last.CPU == 0
}

func (g *kernelGroup) Freeze() error { return g.hold(true) }
func (g *kernelGroup) Thaw() error   { return g.hold(false) }

func (g *kernelGroup) hold(held bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = held
	if err := g.applyFreeze(true); err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	return nil
}

func (g *kernelGroup) Frozen() bool {
	frozen, _, err := g.tree.layout.frozen(g.path)
	return err == nil && frozen
}

func (g *kernelGroup) Enter() EnterSpec {
	dirs := g.tree.dirs(g.path)
	spec := EnterSpec{Procs: make([]string, len(dirs))}
	for i, dir := range dirs {
		spec.Procs[i] = path.Join(dir, "cgroup.procs")
	}
	if len(dirs) == 1 {
		spec.Dir = dirs[0]
	}
	return spec
}

func (g *kernelGroup) Adopt(pid int) error {
	for _, file := range g.Enter().Procs {
		err := write(file, strconv.Itoa(pid))
		if errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("group %s: process %d: %w", g.name, pid, os.ErrProcessDone)
		}
		if err != nil {
			return fmt.Errorf("group %s: %w", g.name, err)
		}
	}
	return nil
}

// listed is every process that is in any hierarchy of the group: one that is
// just entering is in some of them only.
func (g *kernelGroup) listed() (pids []int, err error) {
	for _, dir := range g.tree.dirs(g.path) {
		if pids, err = readWithin(dir, "cgroup.procs", pids); err != nil {
			return nil, err
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}

// inFirst is what the first hierarchy says, which for counting is enough.
func (g *kernelGroup) inFirst(file string) ([]int, error) {
	return readWithin(g.tree.dirs(g.path)[0], file, nil)
}

// readWithin reads a list of processes or threads of a group and all groups
// inside it.
func readWithin(top, file string, pids []int) ([]int, error) {
	for _, dir := range within(top) {
		var err error
		pids, err = readPids(path.Join(dir, file), pids)
		if err != nil && (dir == top || !noGroup(err)) {
			return nil, err
		}
	}
	return pids, nil
}

// noGroup reports whether an error says that the group is no more: ENODEV
// where a file of it was open when it went.
func noGroup(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV)
}

func (g *kernelGroup) Procs() ([]int, error) {
	pids, err := g.listed()
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", g.name, err)
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return !alive(pid) }), nil
}

func (g *kernelGroup) Signal(sig syscall.Signal) error {
	return signalAll(g.name, sig, g.Procs)
}

func (g *kernelGroup) Used() (time.Duration, error) {
	var u Usage
	if err := g.tree.measure(g.path, &u); err != nil {
		return 0, fmt.Errorf("group %s: %w", g.name, err)
	}
	return u.CPU, nil
}

func (g *kernelGroup) Usage() (Usage, error) {
	var u Usage
	if err := g.tree.measure(g.path, &u); err != nil {
		return Usage{}, fmt.Errorf("group %s: %w", g.name, err)
	}
	if n := g.tree.countPids(g.path); n > mostLooked {
		u.Procs, u.Waited = int(n), g.waited.skip(u.CPU)
	} else if err := g.members(&u); err != nil {
		return Usage{}, err
	}
	g.peakMu.Lock()
	defer g.peakMu.Unlock()
	g.peak = max(g.peak, u.PeakMemory, u.Memory) // old kernels of v2 do not keep a peak
	u.PeakMemory = g.peak
	return u, nil
}

// members looks at processes and threads one by one.
func (g *kernelGroup) members(u *Usage) error {
	pids, err := g.inFirst("cgroup.procs")
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	for _, pid := range pids {
		if alive(pid) {
			u.Procs++
		}
	}
	tids, err := g.inFirst(g.tree.threads())
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	g.mu.Lock()
	have := g.last.holding()
	g.mu.Unlock()
	u.Waited = g.waited.total(tids, u.CPU, have)
	return nil
}

func (g *kernelGroup) Remove() error {
	if err := g.tree.removeDirs(g.path); err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	g.tree.forget(g.name)
	return nil
}
