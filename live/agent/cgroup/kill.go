package cgroup

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (g *kernelGroup) Kill(ctx context.Context) error {
	struck := map[int]uint64{} // start by process
	for {
		if left, err := g.dying(struck); err != nil || left == 0 {
			if err != nil {
				return fmt.Errorf("kill group %s: %w", g.name, err)
			}
			break
		}
		if err := g.strike(); err != nil {
			return fmt.Errorf("kill group %s: %w", g.name, err)
		}
		// Usually they are gone within a few milliseconds.
		for pause := time.Millisecond; pause < 200*time.Millisecond; pause *= 2 {
			left, err := g.dying(struck)
			if err != nil || left == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("kill group %s: %d processes left: %w", g.name, left, context.Cause(ctx))
			case <-time.After(pause):
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known&fieldCPU != 0 { // the limits are those that were set, for whoever enters next
		return g.set(g.last)
	}
	return g.applyFreeze(false)
}

// dying counts what is left of the group, and remembers it in struck: a process
// is no longer listed as soon as it begins to end, but still holds its memory.
func (g *kernelGroup) dying(struck map[int]uint64) (left int, err error) {
	pids, err := g.listed()
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		if s, e := readStat(pid); e == nil {
			struck[pid] = s.start
		}
	}
	for pid, start := range struck {
		if s, e := readStat(pid); e != nil || s.zombie() || s.start != start {
			delete(struck, pid)
		}
	}
	tids, err := g.inFirst(g.tree.threads())
	return max(len(struck), len(tids)), err
}

// strike kills what there is now. The quota is lifted once nothing can fork
// any more: to end takes processor time too, and at one percent a hundred
// processes would need seconds for it.
func (g *kernelGroup) strike() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.frozen = unknown
	g.known &^= fieldQuota
	return g.tree.kill(g.path, g.listed)
}

// signalAll signals until a look finds no process that has not had the signal:
// processes may fork while the list is read.
func signalAll(name string, sig syscall.Signal, list func() ([]int, error)) error {
	const passes = 16
	had := map[int]bool{}
	for range passes {
		pids, err := list()
		if err != nil {
			return err
		}
		pids = slices.DeleteFunc(pids, func(pid int) bool { return had[pid] })
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			had[pid] = true
			if err := unix.Kill(pid, sig); err != nil && !noProcess(err) {
				return fmt.Errorf("group %s: %s to process %d: %w", name, unix.SignalName(sig), pid, err)
			}
		}
	}
	return nil
}
