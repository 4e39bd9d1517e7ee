package cgroup

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// slurmV2 is not a tree of ours: it holds Slurm's own groups to a share.
type slurmV2 struct {
	slice string // the group that Slurm's scopes are in
	node  string

	mu     sync.Mutex
	groups map[string]*slurmV2Group
}

func newSlurmV2(mount, node string) *slurmV2 {
	return &slurmV2{slice: path.Join(mount, "system.slice"), node: node, groups: map[string]*slurmV2Group{}}
}

// find looks for Slurm's group of a job. Where several nodes may share a host,
// Slurm is built to name the scope after the node; elsewhere there is one.
func (t *slurmV2) find(job string) (dir string, found bool) {
	scopes := []string{path.Join(t.slice, t.node+"_slurmstepd.scope"), path.Join(t.slice, "slurmstepd.scope")}
	// A node's name with letters that systemd does not take is written otherwise.
	if others, err := filepath.Glob(path.Join(t.slice, "*slurmstepd.scope")); err == nil && len(others) == 1 {
		scopes = append(scopes, others[0])
	}
	for _, scope := range scopes {
		if dir = path.Join(scope, "job_"+job); isDir(dir) {
			return dir, true
		}
	}
	return "", false
}

// Make only notes what is wanted while Slurm has not made its group.
func (t *slurmV2) Make(name string, l Limits) (Group, error) {
	job, ok := SlurmJob(name)
	if err := checkName(name); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("make group %s: %w: not of a job of Slurm", name, ErrName), err)
	}
	t.mu.Lock()
	g := t.groups[name]
	if g == nil {
		g = &slurmV2Group{tree: t, name: name, job: job}
		t.groups[name] = g
	}
	t.mu.Unlock()
	return g, g.Set(l)
}

// Find finds what was made here before or what Slurm has made, whoever asked
// for that: a caller has to know which jobs are its own.
func (t *slurmV2) Find(name string) (Group, bool) {
	job, ok := SlurmJob(name)
	if checkName(name) != nil || !ok {
		return nil, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.groups[name]
	if g == nil {
		if _, there := t.find(job); !there {
			return nil, false
		}
		g = &slurmV2Group{tree: t, name: name, job: job}
		t.groups[name] = g
	}
	return g, true
}

// List names what was asked for here. Slurm has other jobs, which are none of
// our business.
func (t *slurmV2) List() ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := make([]string, 0, len(t.groups))
	for name := range t.groups {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (t *slurmV2) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.groups, name)
}

// SetCapacity: the node is the host. That is what Slurm made its groups for.
func (t *slurmV2) SetCapacity(cpu float64) error {
	if err := checkCapacity(cpu); err != nil || cpu < 0 {
		return err
	}
	return fmt.Errorf("capacity of a node whose groups are Slurm's: %w", ErrMissing)
}

// Processes are Slurm's to bound.
func (t *slurmV2) Processes() int64 { return 0 }

// SetRoom is Slurm's to set.
func (t *slurmV2) SetRoom(memory, pids int64) error {
	return errors.Join(absent("memory", memory != 0), absent("pids", pids != 0))
}

func (t *slurmV2) SetWeight(float64) error {
	return fmt.Errorf("weight of a node whose groups are Slurm's: %w", ErrMissing)
}

func (t *slurmV2) Kind() string      { return V2 }
func (t *slurmV2) Missing() []string { return []string{"cpuset", "memory", "pids", "weight"} }
func (t *slurmV2) Remove() error     { return nil }
func (t *slurmV2) Close() error      { return nil }

// processes lists, for a group of Slurm's and those in it, what the given file
// lists, without what Slurm keeps for itself: the group called slurm of a step.
func processes(job, file string) (pids []int, err error) {
	for _, dir := range within(job) {
		inside := strings.TrimPrefix(dir, job)
		if slices.Contains(strings.Split(inside, "/"), "slurm") {
			continue
		}
		if pids, err = readPids(path.Join(dir, file), pids); err != nil && !noGroup(err) {
			return nil, err
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}
