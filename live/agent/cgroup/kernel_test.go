package cgroup

import (
	"math"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// What only trees of the kernel's have: directories.

func kernelTreeOf(t testing.TB) *kernelTree {
	t.Helper()
	tree, ok := openTree(t, world{kind: kernelKind(t)}).(*kernelTree)
	if !ok {
		t.Fatal("not a tree of the kernel's")
	}
	return tree
}

// TestWeightReachesTheTop: what is above a tree weighs what is in it.
func TestWeightReachesTheTop(t *testing.T) {
	a := kernelTreeOf(t)
	parent := path.Dir(a.name)
	b, err := newKernelTree(parent+"/beside", a.layout)
	must(t, err)
	weighs := func(want float64) {
		t.Helper()
		if got, err := a.weight(parent); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("the parent weighs %v %v, want %v", got, err, want)
		}
	}
	weighs(1)
	must(t, a.SetWeight(10))
	weighs(11)
	must(t, b.SetWeight(3))
	weighs(13)
	must(t, b.Remove())
	weighs(10)
	must(t, a.SetWeight(1))
	weighs(1)
}

// TestHalfMadeGroupIsMadeWhole: an agent may be killed between two mkdir.
func TestHalfMadeGroupIsMadeWhole(t *testing.T) {
	tree := kernelTreeOf(t)
	dirs := tree.dirs(path.Join(tree.name, "half"))
	must(t, os.Mkdir(dirs[len(dirs)-1], 0o755))
	names, err := tree.List()
	must(t, err)
	if !slices.Equal(names, []string{"half"}) {
		t.Errorf("listed %v, want half", names)
	}
	g, ok := tree.Find("half")
	if !ok {
		t.Fatal("not found")
	}
	must(t, g.Set(Limits{CPU: 0.5}))
	start(t, g, "sleep", 0)
	if n := usage(t, g).Procs; n != 1 {
		t.Errorf("%d processes, want 1", n)
	}
}

// TestGroupsInsideAGroup: a job that is root can make them, and they go with it.
func TestGroupsInsideAGroup(t *testing.T) {
	tree := kernelTreeOf(t)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	p := start(t, g, "busy", 1)
	for _, dir := range tree.dirs(path.Join(tree.name, "job")) {
		must(t, os.MkdirAll(dir+"/x/y", 0o755))
		if strings.Contains(dir, "cpuset") {
			continue // nobody can enter without processors
		}
		must(t, write(dir+"/x/y/cgroup.procs", strconv.Itoa(p.Process.Pid)))
	}
	if got := procs(t, g); !slices.Equal(got, []int{p.Process.Pid}) {
		t.Errorf("processes %v, want %d", got, p.Process.Pid)
	}
	must(t, g.Freeze())
	if used := idle(t, g); used != 0 {
		t.Errorf("frozen, and used %v", used)
	}
	killAll(t, g)
	must(t, g.Remove())
	if _, ok := tree.Find("job"); ok {
		t.Error("still there")
	}
}

// TestStartedInside: where a group is one directory, a process can begin there.
func TestStartedInside(t *testing.T) {
	tree := kernelTreeOf(t)
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	spec := g.Enter()
	if spec.Dir == "" {
		t.Skip("not with " + tree.Kind())
	}
	dir, err := os.Open(spec.Dir)
	must(t, err)
	defer dir.Close()
	cmd := exec.Command("/bin/sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(dir.Fd())}
	must(t, cmd.Start())
	if got := procs(t, g); !slices.Equal(got, []int{cmd.Process.Pid}) {
		t.Errorf("processes %v, want %d", got, cmd.Process.Pid)
	}
	killAll(t, g)
	_ = cmd.Wait()
}

// TestTheQuotaIsInTheKernel reads back what was written.
func TestTheQuotaIsInTheKernel(t *testing.T) {
	tree := kernelTreeOf(t)
	g, err := tree.Make("job", Limits{CPU: 1.0 / 3, Weight: 0.5})
	must(t, err)
	check := func(quota int64, weight float64) {
		t.Helper()
		p := path.Join(tree.name, g.Name())
		if q, err := tree.quota(p); err != nil || q != quota {
			t.Errorf("quota %d %v, want %d", q, err, quota)
		}
		if w, err := tree.weight(p); err != nil || math.Abs(w-weight) > 1e-9 {
			t.Errorf("weight %v %v, want %v", w, err, weight)
		}
	}
	check(33_334, 0.5)
	must(t, g.Set(Limits{CPU: 0.0001, Weight: 2}))
	check(1000, 2)
	must(t, g.Set(Limits{CPU: 0, Weight: 2}))
	check(1000, 2) // kept for the thaw
	must(t, g.Set(Limits{CPU: -1}))
	check(noQuota, 1)
	// A kill lifts the quota, and puts it back.
	must(t, g.Set(Limits{CPU: 0.25}))
	start(t, g, "busy", 1)
	killAll(t, g)
	check(25_000, 1)
}
