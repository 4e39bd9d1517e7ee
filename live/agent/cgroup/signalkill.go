package cgroup

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (g *signalGroup) Signal(sig syscall.Signal) error {
	return signalAll(g.name, sig, g.Procs)
}

func (g *signalGroup) Kill(ctx context.Context) error {
	t := g.tree
	t.mu.Lock()
	g.killing = true
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		g.killing = false
		t.mu.Unlock()
	}()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left, err := g.strike()
		if err != nil {
			return fmt.Errorf("kill group %s: %w", g.name, err)
		}
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kill group %s: %d processes left: %w", g.name, left, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// strike stops what there is until a look finds nobody new, so that nothing
// forks any more, and kills it.
func (g *signalGroup) strike() (left int, err error) {
	const passes = 20
	for range passes {
		before := g.count()
		if err = g.tree.rescan(); err != nil { // stops them, for killing is set
			return 0, err
		}
		if g.count() <= before {
			break
		}
	}
	g.tree.mu.Lock()
	defer g.tree.mu.Unlock()
	for _, m := range g.members {
		if m.zombie() {
			continue
		}
		left++
		err = errors.Join(err, m.signal(unix.SIGKILL))
	}
	return left, err
}

func (g *signalGroup) count() int {
	g.tree.mu.Lock()
	defer g.tree.mu.Unlock()
	return g.living()
}

func (g *signalGroup) Remove() error {
	t := g.tree
	err := await(time.Second, func() (bool, error) {
		if err := t.rescan(); err != nil {
			return false, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if g.living() > 0 {
			return false, nil
		}
		for _, m := range g.members {
			m.close()
		}
		delete(t.groups, g.name)
		for _, led := range []map[int]*signalGroup{t.sessions, t.pgrps} {
			for id, of := range led {
				if of == g {
					delete(led, id)
				}
			}
		}
		return true, nil
	})
	if errors.Is(err, errSlow) {
		err = unix.EBUSY
	}
	if err != nil {
		return fmt.Errorf("group %s: remove: %w", g.name, err)
	}
	return nil
}
