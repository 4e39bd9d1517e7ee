package cgroup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// slurmV1 is a tree of shares beside the groups that Slurm makes. Slurm's
// freezer is where all processes of a job are known, daemons included.
type slurmV1 struct {
	*kernelTree
	tops    []string // of Slurm's freezer groups on this node, the most likely first
	node    string
	points  []string // where the controllers are mounted, each once
	freezer string   // that of them; empty: there is none
}

func openSlurmV1(name, node string, m Mounts) (*slurmV1, error) {
	if err := checkName(node); err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	opened, err := Open(name, Options{Kind: V1, SharesOnly: true})
	if err != nil {
		return nil, err
	}
	tree, ok := opened.(*kernelTree)
	if !ok {
		return nil, fmt.Errorf("open %s: %w", name, ErrMissing)
	}
	points := slices.Compact(slices.Sorted(maps.Values(m.V1)))
	t := &slurmV1{kernelTree: tree, node: node, points: points, freezer: m.V1["freezer"]}
	if freezer := t.freezer; freezer != "" {
		// Where several nodes may share a host, Slurm is built to name the
		// node; elsewhere it does not.
		t.tops = []string{path.Join(freezer, "slurm_"+node), path.Join(freezer, "slurm")}
	}
	t.resume()
	return t, nil
}

func (t *slurmV1) Make(name string, l Limits) (Group, error) {
	g, err := t.kernelTree.Make(name, l)
	if err != nil {
		return nil, err
	}
	return t.wrap(name, g), nil
}

func (t *slurmV1) Find(name string) (Group, bool) {
	g, ok := t.kernelTree.Find(name)
	if !ok {
		return nil, false
	}
	return t.wrap(name, g), true
}

func (t *slurmV1) wrap(name string, g Group) Group {
	job, ok := SlurmJob(name)
	if !ok {
		return g
	}
	return &slurmV1Group{Group: g, tree: t, job: job}
}

// slurmV1Group is a group of ours, and what Slurm knows about its processes.
type slurmV1Group struct {
	Group
	tree *slurmV1
	job  string
	jobs []string // elements of it, where it is an array

	ever  map[string]bool // all that were said to be elements of it
	swept bool            // something was left of it when it was over
}

// Assemble says which elements of an array are jobs of their own. What is no number names no job of
// Slurm's, and might another directory.
func (g *slurmV1Group) Assemble(jobs []string) {
	g.jobs = slices.DeleteFunc(slices.Clone(jobs), func(job string) bool {
		_, err := strconv.ParseUint(job, 10, 32)
		return err != nil
	})
	if g.ever == nil {
		g.ever = map[string]bool{}
	}
	for _, job := range g.jobs {
		g.ever[job] = true
	}
}

// freezers are Slurm's freezer groups of the job, or of the elements of an array: one for each step.
func (g *slurmV1Group) freezers() []string {
	all := g.freezersOf(g.job)
	for _, job := range g.jobs {
		if job != g.job {
			all = append(all, g.freezersOf(job)...)
		}
	}
	return all
}

func (g *slurmV1Group) freezersOf(job string) []string {
	for _, top := range g.tree.tops {
		users, err := filepath.Glob(path.Join(top, "uid_*"))
		if err != nil {
			continue // a bad pattern: the name of a node is none
		}
		for _, user := range users {
			if dir := path.Join(user, "job_"+job); isDir(dir) {
				return within(dir)
			}
		}
	}
	return nil
}

// Gather repeats itself until a look finds nobody new: processes fork while the
// list is read, and only what is forked inside is inside.
func (g *slurmV1Group) Gather() (found int, err error) {
	const passes = 16
	for range passes {
		outside, err := g.outside()
		if err != nil || len(outside) == 0 {
			return found, err
		}
		for _, pid := range outside {
			err = g.Adopt(pid)
			switch {
			case errors.Is(err, os.ErrProcessDone):
			case err != nil:
				return found, err
			default:
				found++
			}
		}
	}
	return found, nil
}

// outside lists the processes of the job that are not in the group.
func (g *slurmV1Group) outside() ([]int, error) {
	var all []int
	for _, dir := range g.freezers() {
		var err error
		if all, err = readPids(path.Join(dir, "cgroup.procs"), all); err != nil && !noGroup(err) {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	inside, err := g.Procs()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(pid int) bool {
		return slices.Contains(inside, pid) || !alive(pid) || keeper(pid)
	}), nil
}

// keeper reports whether a process is the one by which Slurm looks after the
// job: a share that is nearly nothing must not hold that up. A program of a user's may
// have the same name, and is none of root's.
func keeper(pid int) bool {
	exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return err == nil && strings.HasPrefix(path.Base(exe), "slurmstepd") && roots(pid)
}

// Frozen reports whether Slurm has suspended the job, or all elements of it that run: nobody else
// can freeze what is Slurm's. Groups below those of its steps are its user's, who is not suspended by
// freezing one.
func (g *slurmV1Group) Frozen() bool {
	frozen := false
	for _, dir := range g.freezers() {
		if up := path.Base(path.Dir(dir)); !strings.HasPrefix(path.Base(dir), "job_") && !strings.HasPrefix(up, "job_") {
			continue
		}
		s, err := read(path.Join(dir, "freezer.state"))
		switch {
		case err != nil:
		case s != "THAWED":
			frozen = true
		case len(g.jobs) > 0:
			return false
		}
	}
	return frozen
}

// Kill also ends what was not put in, and what Slurm has suspended: a process in
// a frozen group of v1 ends only when that is thawed.
func (g *slurmV1Group) Kill(ctx context.Context) error {
	_, err := g.Gather()
	return errors.Join(err, g.thaw(), g.Group.Kill(ctx))
}

// thaw lets everything of the job go on that is frozen.
func (g *slurmV1Group) thaw() (err error) {
	for _, dir := range g.freezers() {
		state := path.Join(dir, "freezer.state")
		if s, e := read(state); e != nil || s == "THAWED" {
			continue // gone since, or nothing to do
		}
		if e := write(state, "THAWED"); e != nil && !noGroup(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}
