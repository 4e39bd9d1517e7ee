package cgroup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSharesOnly(t *testing.T) {
	kind := kernelKind(t)
	tree, err := Open(treeName(), Options{Kind: kind, SharesOnly: true})
	must(t, err)
	t.Cleanup(func() { clean(t, tree) })
	if got := tree.Missing(); !slices.Equal(got, []string{"cpuset", "memory", "pids"}) {
		t.Errorf("missing are %v", got)
	}
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(t, err)
	if kind == V1 {
		if dirs := g.Enter().Procs; len(dirs) > 2 || slices.ContainsFunc(dirs, func(d string) bool { return strings.Contains(d, "freezer") }) {
			t.Errorf("a process enters %v", dirs)
		}
		if err = g.Freeze(); !errors.Is(err, ErrMissing) || g.Frozen() {
			t.Errorf("frozen: %v", err)
		}
		must(t, g.Thaw())
		if err = g.Set(Limits{CPU: 0}); !errors.Is(err, ErrMissing) {
			t.Errorf("a share of 0: %v", err)
		}
		must(t, g.Set(Limits{CPU: 0.5}))
	}
	if err = g.Set(Limits{CPU: 0.5, Memory: 1 << 20}); !errors.Is(err, ErrMissing) {
		t.Errorf("a limit of memory: %v", err)
	}
	first := start(t, g, "scatter", 3)
	waitFor(t, "processes to scatter", func() bool { p, err := g.Procs(); return err == nil && len(p) >= 5 })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must(t, g.Kill(ctx))
	first.end()
	if p, err := g.Procs(); err != nil || len(p) > 0 {
		t.Errorf("processes %v are left, %v", p, err)
	}
	if used := usage(t, g).CPU; used == 0 {
		t.Error("nothing is known of what was used")
	}
}

// fakeScope is what Slurm has on disk for a job, in the form of cgroup v2: only
// what is written here can be read there.
func fakeScope(t *testing.T, scope, job string, stat string) (dir string) {
	t.Helper()
	dir = filepath.Join(scope, "job_"+job)
	for _, sub := range []string{"step_batch/slurm", "step_batch/user/task_0", "step_0/user/task_0"} {
		must(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return errors.Join(fill(path, "cgroup.procs", ""), fill(path, "cgroup.threads", ""))
	}))
	must(t, fill(scope, "cgroup.subtree_control", "cpu memory"))
	must(t, fill(dir, "cpu.stat", stat))
	must(t, fill(dir, "cpu.max", "max 100000"))
	must(t, fill(dir, "cpu.weight", "100"))
	return dir
}

func fill(dir, file, text string) error {
	return os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600)
}

func says(t *testing.T, want string, file ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(file...))
	must(t, err)
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("%s says %q, want %q", filepath.Join(file...), text, want)
	}
}

// A group that is found, and of which nothing is wanted, is left as it is; and one that is to have
// another weight, or that of another share, has it at once.
func TestLimitsOfSlurmsGroups(t *testing.T) {
	mount := t.TempDir()
	dir := fakeScope(t, filepath.Join(mount, "system.slice", "n1_slurmstepd.scope"), "7", "usage_usec 1500\nuser_usec 1\nthrottled_usec 300\n")
	g, found := newSlurmV2(mount, "n1").Find(SlurmName("7"))
	if !found {
		t.Fatal("it is not there")
	}
	for _, procs := range []string{"", strconv.Itoa(os.Getpid()) + "\n", ""} {
		must(t, fill(dir, "step_0/user/task_0/cgroup.procs", procs))
		usage(t, g)
		says(t, "max 100000", dir, "cpu.max")
		says(t, "100", dir, "cpu.weight")
	}
	for weight, want := range map[float64]string{1: "100", 2: "200", 3: "300"} {
		must(t, g.Set(Limits{CPU: 0.5, Weight: weight}))
		says(t, want, dir, "cpu.weight")
	}
}

// A Slurm with cgroup v2 in a tree of ordinary files: what is written where.
func TestSlurmsOwnGroups(t *testing.T) {
	mount := t.TempDir()
	slice := filepath.Join(mount, "system.slice")
	tree := newSlurmV2(mount, "n1")
	g, err := tree.Make(SlurmName("7"), Limits{CPU: 0.2, Weight: 2})
	must(t, err)
	if p, err := g.Procs(); err != nil || len(p) > 0 {
		t.Errorf("processes %v, %v before it is there", p, err)
	}
	if u := usage(t, g); u.CPU != 0 {
		t.Errorf("used %v before it is there", u.CPU)
	}
	// Another node of this host has a job too; it is none of ours.
	other := fakeScope(t, filepath.Join(slice, "n2_slurmstepd.scope"), "8", "usage_usec 5\nthrottled_usec 0\n")
	dir := fakeScope(t, filepath.Join(slice, "n1_slurmstepd.scope"), "7", "usage_usec 1500\nuser_usec 1\nthrottled_usec 300\n")
	self := strconv.Itoa(os.Getpid())
	must(t, fill(dir, "step_0/user/task_0/cgroup.procs", self+"\n"))
	must(t, fill(dir, "step_batch/slurm/cgroup.procs", "1\n"))
	procs, err := g.Procs()
	if err != nil || !slices.Equal(procs, []int{os.Getpid()}) {
		t.Errorf("processes %v, %v; want those of the job and not Slurm's own", procs, err)
	}
	says(t, "20000 100000", dir, "cpu.max")
	says(t, "200", dir, "cpu.weight")
	says(t, "max", other, "cpu.max")
	if u := usage(t, g); u.CPU != 1500*time.Microsecond || u.Throttled != 300*time.Microsecond || u.Procs != 1 {
		t.Errorf("used %+v", u)
	}
	must(t, g.Set(Limits{CPU: 0.55}))
	says(t, "55000 100000", dir, "cpu.max")
	for _, suspended := range []string{"0", "1", "0"} {
		must(t, fill(dir, "step_0/user/cgroup.freeze", suspended))
		if g.Frozen() != (suspended == "1") {
			t.Errorf("with cgroup.freeze at %s it is frozen: %v", suspended, g.Frozen())
		}
	}
	if err = g.Set(Limits{CPU: 0}); !errors.Is(err, ErrLimits) {
		t.Errorf("frozen: %v", err)
	}
	if err = g.Remove(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("forgotten while it runs: %v", err)
	}
	if names, err := tree.List(); err != nil || !slices.Equal(names, []string{"slurm_7"}) {
		t.Errorf("lists %v, %v", names, err)
	}
	if _, found := tree.Find(SlurmName("8")); found {
		t.Error("found a job of another node")
	}

	// When the job's own processes are gone, Slurm's are not held up; a further step is.
	must(t, fill(dir, "step_0/user/task_0/cgroup.procs", ""))
	usage(t, g)
	says(t, "max 100000", dir, "cpu.max")
	must(t, fill(dir, "step_0/user/task_0/cgroup.procs", self+"\n"))
	usage(t, g)
	says(t, "55000 100000", dir, "cpu.max")
	must(t, fill(dir, "step_0/user/task_0/cgroup.procs", ""))

	// Its end takes the group away; what was last seen stays. Another one with its number is held before it begins.
	must(t, os.RemoveAll(dir))
	usage(t, g)
	dir = fakeScope(t, filepath.Join(slice, "n1_slurmstepd.scope"), "7", "usage_usec 1500\nuser_usec 1\nthrottled_usec 300\n")
	must(t, fill(dir, "step_batch/slurm/cgroup.procs", "1\n"))
	usage(t, g)
	says(t, "55000 100000", dir, "cpu.max")
	must(t, os.RemoveAll(dir))
	if u := usage(t, g); u.CPU != 1500*time.Microsecond || u.Procs != 0 {
		t.Errorf("used %+v after its end", u)
	}
	must(t, g.Remove())
	if names, err := tree.List(); err != nil || len(names) > 0 {
		t.Errorf("lists %v, %v", names, err)
	}
	if _, err = tree.Make("12.0.1", Limits{CPU: 1}); !errors.Is(err, ErrName) {
		t.Errorf("made a group of no job: %v", err)
	}
	if err = tree.SetCapacity(0.5); !errors.Is(err, ErrMissing) {
		t.Errorf("a capacity: %v", err)
	}
	must(t, tree.SetCapacity(-1))
}

// The same with the groups of a real kernel, where the host has cgroup v2; the
// groups are made here as Slurm makes them.
func TestCgroupOfSlurmWithV2(t *testing.T) {
	_, mounts, err := detectHere()
	must(t, err)
	if kernelKind(t) != V2 {
		lacking(t, "cgroup2", "Slurm's own groups of cgroup v2 are limited for real only there")
	}
	slice := filepath.Join(mounts.V2, "system.slice")
	scope := filepath.Join(slice, "n1_slurmstepd.scope")
	job := filepath.Join(scope, "job_7")
	all := []string{slice, scope, job, job + "/step_batch", job + "/step_batch/user", job + "/step_batch/slurm"}
	t.Cleanup(func() {
		for _, dir := range slices.Backward(all) {
			_ = os.Remove(dir)
		}
	})
	tree := newSlurmV2(mounts.V2, "n1")
	g, err := tree.Make(SlurmName("7"), Limits{CPU: 0.2})
	must(t, err)
	for _, dir := range all {
		_, err = makeDir(dir)
		must(t, err)
	}
	for _, dir := range []string{mounts.V2, slice} { // the scope itself is the agent's to ask
		must(t, write(filepath.Join(dir, "cgroup.subtree_control"), "+cpu"))
	}
	step := func(sub string) Group { return &enteredAt{g, filepath.Join(job, "step_batch", sub, "cgroup.procs")} }
	stepd := start(t, step("slurm"), "idle", 1)
	busy := start(t, step("user"), "busy", 1)
	if found, err := tree.groups[SlurmName("7")].Gather(); err != nil || found != 0 {
		t.Errorf("gathered %d, %v", found, err)
	}
	says(t, "20000 100000", job, "cpu.max")
	hold(t, world{kind: V2, share: 0.25, window: 3 * time.Second}, "a job of Slurm's", []float64{0.2}, g)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must(t, g.Kill(ctx))
	busy.end()
	if !alive(stepd.Process.Pid) {
		t.Error("Slurm's own process was killed")
	}
	must(t, stepd.Process.Kill())
	stepd.end()
	if used := usage(t, g).CPU; used == 0 {
		t.Error("nothing is known of what was used")
	}
}

// enteredAt is a group whose processes are started into a place in it.
type enteredAt struct {
	Group
	procs string
}

func (e *enteredAt) Enter() EnterSpec { return EnterSpec{Procs: []string{e.procs}} }
