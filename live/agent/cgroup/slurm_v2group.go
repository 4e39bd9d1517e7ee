package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
	"syscall"
	"time"
)

// slurmV2Group is Slurm's group of a job. It appears when the job starts and is
// gone when it has ended.
type slurmV2Group struct {
	tree      *slurmV2
	name, job string

	mu      sync.Mutex
	wanted  *Limits // nil: nothing
	applied *Limits // nil: nothing, to the group that is there now
	begun   bool    // processes of the job itself were seen in it
	last    Usage   // when the group was last seen
	waited  waiting
}

func (g *slurmV2Group) Name() string { return g.name }

// Set is in force at once where the group is there, and otherwise as soon as
// somebody looks at the group and it has come.
func (g *slurmV2Group) Set(l Limits) error {
	l, err := l.normal()
	if err == nil && l.CPU == 0 {
		err = fmt.Errorf("%w: Slurm waits for ever for what others freeze", ErrLimits)
	}
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted = &l
	_, err = g.locate()
	return err
}

// locate finds the group and makes it have its limits. The empty path is one that
// is not there.
func (g *slurmV2Group) locate() (dir string, err error) {
	dir, there := g.tree.find(g.job)
	if !there {
		g.applied, g.begun = nil, false
		return "", nil
	}
	w := g.wanted
	if w != nil && g.ending(dir) {
		free := *w
		free.CPU = -1
		w = &free
	}
	if w != nil && (g.applied == nil || g.applied.CPU != w.CPU || g.applied.Weight != w.Weight) {
		g.applied = nil
		if err = limitSlurm(dir, *w); err != nil && !noGroup(err) {
			return "", fmt.Errorf("group %s: %w", g.name, err)
		}
		g.applied = w
	}
	return dir, nil
}

// ending reports whether the job's own processes have been there and are gone. What ends it then is
// Slurm's own, in the same group: with next to no share it would take minutes to say so.
func (g *slurmV2Group) ending(dir string) bool {
	pids, err := processes(dir, "cgroup.procs")
	if err != nil || len(pids) > 0 {
		g.begun = g.begun || err == nil
		return false
	}
	return g.begun
}

func limitSlurm(dir string, l Limits) error {
	scope, job := path.Split(dir)
	v := &v2{base: path.Clean(scope), has: []string{"cpu"}}
	if !exists(path.Join(dir, "cpu.max")) {
		if err := v.enable(v.base); err != nil { // Slurm asks for it only where it needs it
			return err
		}
	}
	return errors.Join(v.setQuota(job, quota(l.CPU)), v.setWeight(job, l.Weight))
}

// Gather makes the limits hold if the group has come meanwhile. Everything that
// belongs in it is in it: Slurm sees to that.
func (g *slurmV2Group) Gather() (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := g.locate()
	return 0, err
}

func (g *slurmV2Group) Procs() ([]int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	dir, err := g.locate()
	if err != nil || dir == "" {
		return nil, err
	}
	pids, err := processes(dir, "cgroup.procs")
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", g.name, err)
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return !alive(pid) }), nil
}

func (g *slurmV2Group) Used() (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u, _, err := g.measured()
	return u.CPU, err
}

func (g *slurmV2Group) Usage() (Usage, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u, dir, err := g.measured()
	if err != nil || dir == "" {
		return u, err
	}
	if pids, e := processes(dir, "cgroup.procs"); e == nil {
		u.Procs = len(pids)
	}
	if tids, e := processes(dir, "cgroup.threads"); e == nil && len(tids) > mostLooked {
		u.Waited = g.waited.skip(u.CPU)
	} else if e == nil {
		var have Limits
		if g.wanted != nil {
			have = *g.wanted
		}
		u.Waited = g.waited.total(tids, u.CPU, have.holding())
	}
	g.last = u
	return u, nil
}

// measured is what the kernel counts for the job as a whole, and where that is; "": it
// is not there. What cannot be read is as it was.
func (g *slurmV2Group) measured() (Usage, string, error) {
	dir, err := g.locate()
	if err != nil {
		return g.last, "", err
	}
	u := Usage{CPU: g.last.CPU, Waited: g.last.Waited, Throttled: g.last.Throttled, PeakMemory: g.last.PeakMemory, OOMKills: g.last.OOMKills}
	if dir == "" {
		return u, "", nil
	}
	scope, job := path.Split(dir)
	v := &v2{base: path.Clean(scope), has: []string{"cpu", "memory"}}
	if err = v.measure(job, &u); errors.Is(err, fs.ErrNotExist) { // no memory controller, or gone meanwhile
		v.has = v.has[:1]
		err = v.measure(job, &u)
	}
	if err != nil && !noGroup(err) {
		return g.last, "", fmt.Errorf("group %s: %w", g.name, err)
	}
	u.CPU = max(u.CPU, g.last.CPU)
	u.PeakMemory = max(u.PeakMemory, u.Memory, g.last.PeakMemory)
	return u, dir, nil
}

func (g *slurmV2Group) Signal(sig syscall.Signal) error { return signalAll(g.name, sig, g.Procs) }

// Kill ends the job's processes and not Slurm's own, which will tell how the
// job ended. To end takes processor time, so the quota is lifted.
func (g *slurmV2Group) Kill(ctx context.Context) error {
	const again = 20 * time.Millisecond
	for {
		pids, err := g.Procs()
		if err != nil || len(pids) == 0 {
			g.restore()
			return err
		}
		if err = killEach(func() ([]int, error) { return pids, nil }); err != nil {
			return fmt.Errorf("kill group %s: %w", g.name, err)
		}
		g.lift()
		select {
		case <-ctx.Done():
			return fmt.Errorf("kill group %s: %d processes left: %w", g.name, len(pids), context.Cause(ctx))
		case <-time.After(again):
		}
	}
}

func (g *slurmV2Group) lift() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if dir, there := g.tree.find(g.job); there {
		scope, job := path.Split(dir)
		_ = (&v2{base: path.Clean(scope)}).setQuota(job, noQuota) // only to end sooner
	}
}

// restore makes the next look set the limits again, for whoever enters next.
func (g *slurmV2Group) restore() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.applied = nil
}

// Remove forgets the group. Slurm removes it.
func (g *slurmV2Group) Remove() error {
	if pids, err := g.Procs(); err == nil && len(pids) > 0 {
		return fmt.Errorf("group %s: %w", g.name, syscall.EBUSY)
	}
	g.tree.forget(g.name)
	return nil
}

func (g *slurmV2Group) Enter() EnterSpec { return EnterSpec{} }
func (g *slurmV2Group) Thaw() error      { return nil }

// Frozen reports whether Slurm has suspended the job.
func (g *slurmV2Group) Frozen() bool {
	job, there := g.tree.find(g.job)
	if !there {
		return false
	}
	for _, dir := range within(job) {
		if s, err := read(path.Join(dir, "cgroup.freeze")); err == nil && s == "1" {
			return true
		}
	}
	return false
}

func (g *slurmV2Group) Freeze() error {
	return fmt.Errorf("group %s: freeze what is Slurm's: %w", g.name, ErrMissing)
}

// Adopt: only Slurm puts a process into its groups.
func (g *slurmV2Group) Adopt(int) error {
	return fmt.Errorf("group %s: adopt into what is Slurm's: %w", g.name, ErrMissing)
}
