package cgroup

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// inside is a group that has some processes.
type inside struct {
	Group
	pids []int
}

func (g *inside) Procs() ([]int, error) { return g.pids, nil }

func (g *inside) Adopt(pid int) error {
	g.pids = append(g.pids, pid)
	return nil
}

func (g *inside) Kill(context.Context) error { return nil }

// The processes of all elements of an array are looked for, and of nobody else.
func TestElementsAreAssembled(t *testing.T) {
	top := t.TempDir()
	freezer := func(user, job, state string, pids ...int) {
		dir := filepath.Join(top, user, "job_"+job, "step_batch")
		must(t, os.MkdirAll(dir, 0o755))
		text := ""
		for _, pid := range pids {
			text += strconv.Itoa(pid) + "\n"
		}
		for _, at := range []string{dir, filepath.Dir(dir)} {
			must(t, fill(at, "freezer.state", state))
			must(t, fill(at, "cgroup.procs", ""))
		}
		must(t, fill(dir, "cgroup.procs", text))
	}
	var pids []int
	for range 4 {
		sleeper := exec.Command("sleep", "1000")
		must(t, sleeper.Start())
		t.Cleanup(func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() })
		pids = append(pids, sleeper.Process.Pid)
	}
	freezer("uid_1", "40", "THAWED\n", pids[0])
	freezer("uid_1", "41", "THAWED\n", pids[1])
	freezer("uid_2", "42", "THAWED\n", pids[2])
	freezer("uid_2", "50", "THAWED\n", pids[3])
	g := &slurmV1Group{Group: &inside{}, tree: &slurmV1{tops: []string{filepath.Join(top, "none"), top}}, job: "40"}
	found := func(what string, want ...int) {
		t.Helper()
		got, err := g.outside()
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: outside are %v, want %v: %v", what, got, want, err)
		}
	}
	found("one job", pids[0])
	g.Assemble([]string{"40", "41", "42", "43", "../uid_2/job_50", "1/../job_50", ""})
	found("an array", pids[:3]...)
	if !slices.Equal(g.jobs, []string{"40", "41", "42", "43"}) {
		t.Errorf("elements are %q", g.jobs)
	}
	g.Group = &inside{pids: pids[1:2]}
	found("one is there", pids[0], pids[2])
	frozen := func(what string, want bool) {
		t.Helper()
		if g.Frozen() != want {
			t.Errorf("%s: frozen is %t", what, !want)
		}
	}
	frozen("none", false)
	freezer("uid_1", "40", "FROZEN\n")
	frozen("one element", false)
	freezer("uid_1", "41", "FREEZING\n")
	freezer("uid_2", "42", "FROZEN\n")
	frozen("all elements", true)
	g.Assemble(nil)
	freezer("uid_1", "40", "THAWED\n")
	frozen("a job", false)
	must(t, fill(filepath.Join(top, "uid_1", "job_40", "step_batch"), "freezer.state", "FROZEN\n"))
	frozen("a step of a job", true)
	all := &inside{}
	g.Group = all
	g.Assemble([]string{"41", "42"})
	freezer("uid_1", "41", "FROZEN\n", pids[1])
	freezer("uid_2", "42", "FROZEN\n", pids[2])
	must(t, g.Kill(t.Context()))
	if !slices.Equal(all.pids, pids[1:3]) {
		t.Errorf("killed were %v of %v", all.pids, pids)
	}
	frozen("after the end", false)
	must(t, fill(filepath.Join(top, "uid_1", "job_41", "step_batch"), "cgroup.procs", "what?\n"))
	if _, err := g.Gather(); err == nil {
		t.Error("a list that cannot be read is none of nobody")
	}
}
