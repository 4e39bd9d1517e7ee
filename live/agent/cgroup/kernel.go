package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// layout is what differs between the versions of the kernel's interface. A
// path is the name of a group below all mount points: libra/node7/job1.
type layout interface {
	kind() string
	missing() []string
	// dirs are the directories of a group, one in each hierarchy.
	dirs(path string) []string
	// threads is the name of the file that lists threads, in the first of them.
	threads() string
	// prepare makes a new directory fit for processes, or for groups.
	prepare(path string, inner bool) error

	quota(path string) (int64, error)
	setQuota(path string, us int64) error
	weight(path string) (float64, error)
	setWeight(path string, weight float64) error
	setMemory(path string, bytes int64) error
	setPids(path string, most int64) error
	// countPids counts processes and threads; 0: nobody does.
	countPids(path string) int64
	setCPUs(path string, cpus []int) error

	// freeze gives the order to freeze or to thaw; frozen tells whether it has
	// been carried out: neither, for a moment, may be so.
	freeze(path string, frozen bool) error
	frozen(path string) (frozen, thawed bool, err error)
	// kill strikes once at all processes that there are; pids lists them.
	kill(path string, pids func() ([]int, error)) error
	measure(path string, u *Usage) error
}

// kernelTree is a tree that the kernel keeps.
type kernelTree struct {
	layout
	name     string
	capacity atomic.Int64 // quota in microseconds per period

	mu       sync.Mutex
	groups   map[string]*kernelGroup // those asked for, so that each is one value
	weighted bool                    // SetWeight was called
}

func newKernelTree(name string, l layout) (*kernelTree, error) {
	t := &kernelTree{layout: l, name: name, groups: map[string]*kernelGroup{}}
	for _, p := range append(above(name), name) {
		if _, err := t.makeDirs(p, true); err != nil {
			return nil, err
		}
	}
	q, err := l.quota(name)
	if err != nil {
		return nil, err
	}
	t.capacity.Store(q)
	return t, nil
}

// above lists the paths above a path, the outermost first.
func above(p string) []string {
	var all []string
	for p = path.Dir(p); p != "."; p = path.Dir(p) {
		all = append([]string{p}, all...)
	}
	return all
}

// makeDirs makes the directories of a path that are not there yet.
func (t *kernelTree) makeDirs(p string, inner bool) (made bool, err error) {
	for _, dir := range t.dirs(p) {
		m, err := makeDir(dir)
		if err != nil {
			return made, err
		}
		made = made || m
	}
	return made, t.prepare(p, inner)
}

// removeDirs removes the directories of a path, and what is in them. The
// kernel says busy for a moment after the last process has ended.
func (t *kernelTree) removeDirs(p string) error {
	const wait, most = 5 * time.Millisecond, time.Second
	for waited := time.Duration(0); ; waited += wait {
		err := error(nil)
		for _, top := range t.dirs(p) {
			dirs := within(top)
			slices.Reverse(dirs)
			for _, dir := range dirs {
				if e := unix.Rmdir(dir); e != nil && !errors.Is(e, unix.ENOENT) {
					err = &fs.PathError{Op: "remove", Path: dir, Err: e}
				}
			}
		}
		if err == nil || !errors.Is(err, unix.EBUSY) || waited >= most {
			return err
		}
		time.Sleep(wait)
	}
}

func (t *kernelTree) Kind() string      { return t.kind() }
func (t *kernelTree) Missing() []string { return t.missing() }
func (t *kernelTree) Close() error      { return nil }

func (t *kernelTree) Make(name string, l Limits) (Group, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	p := path.Join(t.name, name)
	made, err := t.makeDirs(p, false)
	if err == nil {
		g := t.group(name)
		if err = g.Set(l); err == nil {
			return g, nil
		}
	}
	if made {
		t.forget(name)
		err = errors.Join(err, t.removeDirs(p))
	}
	return nil, fmt.Errorf("make group %s: %w", name, err)
}

func (t *kernelTree) Find(name string) (Group, bool) {
	if checkName(name) != nil {
		return nil, false
	}
	p := path.Join(t.name, name)
	if !slices.ContainsFunc(t.dirs(p), isDir) {
		return nil, false
	}
	// Whoever made it may have been stopped halfway.
	if _, err := t.makeDirs(p, false); err != nil {
		return nil, false
	}
	return t.group(name), true
}

func (t *kernelTree) group(name string) *kernelGroup {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.groups[name]
	if !ok {
		g = &kernelGroup{tree: t, name: name, path: path.Join(t.name, name)}
		t.groups[name] = g
	}
	return g
}

func (t *kernelTree) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.groups, name)
}

func (t *kernelTree) List() ([]string, error) {
	var all []string
	for _, dir := range t.dirs(t.name) {
		names, err := subdirs(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (t *kernelTree) SetCapacity(cpu float64) error {
	if err := checkCapacity(cpu); err != nil {
		return err
	}
	q := quota(cpu)
	t.mu.Lock()
	defer t.mu.Unlock()
	if q != noQuota {
		// v1 would refuse it, v2 would not: the same word from both.
		names, err := t.List()
		if err != nil {
			return err
		}
		for _, n := range names {
			have, err := t.quota(path.Join(t.name, n))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if have > q {
				return fmt.Errorf("capacity %v: group %s has %d us in %d: %w", cpu, n, have, periodUS, ErrCapacity)
			}
		}
	}
	if err := t.setQuota(t.name, q); err != nil {
		return fmt.Errorf("capacity %v: %w", cpu, err)
	}
	t.capacity.Store(q)
	return nil
}

func (t *kernelTree) SetRoom(memory, pids int64) error {
	l, err := Limits{Memory: memory, Pids: pids}.normal()
	if err != nil {
		return err
	}
	return errors.Join(t.setMemory(t.name, l.Memory), t.setPids(t.name, l.Pids))
}

func (t *kernelTree) Processes() int64 { return t.countPids(t.name) }

// SetWeight also gives the groups above the tree the sum of what is in them:
// the kernel weighs level by level, and a node heavy in a light parent gains
// nothing. Two agents of one host that do this in the same instant may leave a
// sum of before; the next call corrects it.
func (t *kernelTree) SetWeight(weight float64) error {
	if err := checkWeight(weight); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.weighted = true
	if err := t.setWeight(t.name, weight); err != nil {
		return err
	}
	return t.sumWeights()
}

func (t *kernelTree) sumWeights() error {
	parents := above(t.name)
	slices.Reverse(parents)
	for _, p := range parents {
		names, err := subdirs(t.dirs(p)[0])
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed with its last tree
		}
		if err != nil {
			return err
		}
		sum := 0.0
		for _, n := range names {
			w, err := t.weight(path.Join(p, n))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			sum += w
		}
		if err := t.setWeight(p, sum); err != nil {
			return err
		}
	}
	return nil
}

func (t *kernelTree) Remove() error {
	names, err := t.List()
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := t.group(n).Remove(); err != nil {
			return err
		}
	}
	if err := t.removeDirs(t.name); err != nil {
		return err
	}
	parents := above(t.name)
	slices.Reverse(parents)
	for _, p := range parents {
		for _, dir := range t.dirs(p) {
			// Other nodes of this host may live there: then it is not empty.
			_ = os.Remove(dir)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.weighted {
		return t.sumWeights()
	}
	return nil
}
