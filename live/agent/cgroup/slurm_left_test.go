package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// aJob is a number of a job that no Slurm on this host has, nor another run of these tests: whose
// slurmstepd is whose is looked for among all processes.
func aJob() int { return 100_000_000 + os.Getpid() }

// named is this very binary under some name, where everybody can start it.
func named(t *testing.T, name string) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, os.Chmod(dir, 0o755))
	program := filepath.Join(dir, name)
	must(t, os.WriteFile(program, self, 0o755))
	return program
}

// sleeps is a process that does nothing, of root or of somebody else, by a program of some name. It calls
// itself what slurmstepd would, of the batch step of that job.
func sleeps(t *testing.T, program string, uid uint32) int {
	t.Helper()
	process := exec.Command(program)
	process.Args[0] = fmt.Sprintf("slurmstepd: [%d.batch]", aJob())
	process.Env = append(os.Environ(), roleVar+"=doze")
	if uid != 0 {
		process.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	must(t, process.Start())
	ended := make(chan struct{})
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	t.Cleanup(func() { _ = process.Process.Kill(); <-ended })
	return process.Process.Pid
}

// What is left of a job is ended in whatever controller it sits, once Slurm does not look after the job;
// and nobody else is touched.
func TestWhatIsLeftOfAJobIsEnded(t *testing.T) {
	if os.Geteuid() != 0 {
		lacking(t, "root", "processes of several users want it")
	}
	mount, sleep, stepd := t.TempDir(), named(t, "sleep"), named(t, "slurmstepd-wlm")

	has := func(place string, pids ...int) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Join(mount, place), 0o755))
		text := ""
		for _, pid := range pids {
			text += strconv.Itoa(pid) + "\n"
		}
		must(t, fill(filepath.Join(mount, place), "cgroup.procs", text))
		must(t, fill(filepath.Join(mount, place), "freezer.state", "THAWED\n"))
	}
	const user, other = 1_000_001, 1_000_002
	number := aJob()
	job, element, last := strconv.Itoa(number), strconv.Itoa(number+3), strconv.Itoa(number+4)
	ours := []int{sleeps(t, sleep, user), sleeps(t, sleep, user), sleeps(t, sleep, other), sleeps(t, sleep, user), sleeps(t, stepd, user)}
	others := []int{sleeps(t, sleep, 0), sleeps(t, sleep, user), sleeps(t, sleep, user), sleeps(t, sleep, user), sleeps(t, sleep, user), os.Getpid()}
	has("freezer/slurm_n1/uid_5/job_"+job+"/step_batch/mine", ours[0], others[0], os.Getpid())
	has("memory/slurm_n1/uid_5/job_"+job+"/step_batch/task_0/mine", ours[1], ours[4])
	has("pids/slurm_n1/uid_5/job_"+job, ours[2])
	has("freezer/slurm_n1/uid_5/job_41/step_batch", others[1])
	has("memory/slurm_n1/uid_5/job_"+job[:1], others[2])
	has("freezer/slurm_n2/uid_5/job_"+job+"/step_batch", others[3]) // of another node of this host
	has("freezer/slurm/uid_5/job_"+job+"/step_batch", others[4])    // and of another Slurm
	points := []string{filepath.Join(mount, "freezer"), filepath.Join(mount, "memory"), filepath.Join(mount, "pids")}
	g := &slurmV1Group{Group: &inside{pids: []int{ours[3], others[0]}}, tree: &slurmV1{node: "n1", points: points}, job: job}
	sweep := func(what string, end bool, want int, spares bool) {
		t.Helper()
		left, spared, e := g.Sweep(end)
		for deadline := time.Now().Add(time.Minute); spared && !spares && time.Now().Before(deadline); { // a slurmstepd of another's that has not said whose it is
			time.Sleep(20 * time.Millisecond)
			left, spared, e = g.Sweep(end)
		}
		if e != nil || left != want || spared != spares {
			t.Errorf("%s: %d are left, spared %v: %v; want %d, %v", what, left, spared, e, want, spares)
		}
	}
	sweep("not to be ended yet", false, len(ours), true)
	keeper := sleeps(t, stepd, 0)
	has("freezer/slurm_n1/uid_5/job_"+job, keeper)
	sweep("Slurm looks after it", true, len(ours), true)
	for _, pid := range ours {
		if !alive(pid) {
			t.Errorf("process %d was ended while Slurm looks after its job", pid)
		}
	}
	has("freezer/slurm_n1/uid_5/job_" + job)
	must(t, syscall.Kill(keeper, syscall.SIGKILL))
	waitFor(t, "Slurm's process to be gone", func() bool { return !alive(keeper) })
	sweep("it does not any more", true, len(ours), false)
	waitFor(t, "what is left to end", func() bool { left, _, e := g.Sweep(true); return e == nil && left == 0 })
	for _, pid := range ours {
		if alive(pid) {
			t.Errorf("process %d goes on", pid)
		}
	}
	for _, pid := range others {
		if !alive(pid) {
			t.Errorf("process %d was none of the job's, and was ended", pid)
		}
	}

	// An element that has ended since is still one of the array's.
	has("freezer/slurm_n1/uid_5/job_41/step_batch")
	late := sleeps(t, sleep, user)
	has("freezer/slurm_n1/uid_5/job_"+element+"/step_batch/mine", late)
	g.Assemble([]string{strconv.Itoa(number + 2), element})
	g.Assemble([]string{last})
	sweep("an element", true, 1, false)
	waitFor(t, "it to end", func() bool { return !alive(late) })

	// Without Slurm's groups of a name of the node's they have none.
	must(t, os.RemoveAll(filepath.Join(mount, "freezer", "slurm_n1")))
	must(t, os.RemoveAll(filepath.Join(mount, "memory", "slurm_n1")))
	must(t, os.RemoveAll(filepath.Join(mount, "pids", "slurm_n1")))
	sweep("on a host of one node", true, 1, false)
	waitFor(t, "it to end", func() bool { return !alive(others[4]) })

	// Of a job of root's all is the job's.
	has("freezer/slurm/uid_0/job_"+job+"/step_batch", others[0])
	sweep("root's own job", true, 1, false)
	waitFor(t, "it to end", func() bool { return !alive(others[0]) })
}

// forksOn are processes that each start another and exit, a hundred times faster than anybody looks.
const forksOn = `read go; export S='sh -c "$S" &'; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sh -c "$S"; done`

// What forks and exits all the time is ended at one look: it is stopped where it is, killed, and let go,
// with what its user had stopped; and a job beside it goes on.
func TestWhatForksOnIsEndedAtOneLook(t *testing.T) {
	mountinfo, err := os.Open("/proc/self/mountinfo")
	must(t, err)
	defer mountinfo.Close()
	_, mounts, err := Detect(mountinfo)
	must(t, err)
	if os.Geteuid() != 0 || mounts.V1["freezer"] == "" {
		lacking(t, "cgroup v1", "processes are stopped by its freezer, and users have some of it")
	}
	freezer := mounts.V1["freezer"]
	top := filepath.Join(freezer, fmt.Sprintf("slurm_left%d", os.Getpid()))
	step := filepath.Join(top, "uid_5", fmt.Sprintf("job_%d", aJob()), "step_batch")
	beside := filepath.Join(top, "uid_5", fmt.Sprintf("job_%d", aJob()+1), "step_batch")
	made := []string{top, filepath.Join(top, "uid_5"), filepath.Dir(step), step, filepath.Join(step, "mine"), filepath.Join(step, "still"), filepath.Dir(beside), beside}
	for _, dir := range made {
		must(t, os.Mkdir(dir, 0o755))
		t.Cleanup(func() {
			for tries := 0; os.Remove(dir) != nil && tries < 1000; tries++ {
				time.Sleep(10 * time.Millisecond) // for the last to be gone
			}
		})
	}
	t.Cleanup(func() { // whatever was found out
		must(t, os.WriteFile(filepath.Join(step, "freezer.state"), []byte("FROZEN"), 0))
		for dir := range slices.Values(made[3:6]) {
			pids, e := readPids(filepath.Join(dir, "cgroup.procs"), nil)
			must(t, e)
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			must(t, os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("THAWED"), 0))
		}
		must(t, os.WriteFile(filepath.Join(step, "freezer.state"), []byte("THAWED"), 0))
	})
	const user = 1_000_001
	enter := func(group string, pid int) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0))
	}
	chain := exec.Command("/bin/sh", "-c", forksOn)
	chain.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	chain.Dir = "/"
	start, err := chain.StdinPipe()
	must(t, err)
	must(t, chain.Start())
	enter(filepath.Join(step, "mine"), chain.Process.Pid)
	must(t, start.Close())
	_ = chain.Wait() // the first of them
	sleep := named(t, "sleep")
	still, other := sleeps(t, sleep, user), sleeps(t, sleep, user)
	enter(filepath.Join(step, "still"), still)
	must(t, os.WriteFile(filepath.Join(step, "still", "freezer.state"), []byte("FROZEN"), 0))
	enter(beside, other)

	tree := &slurmV1{node: filepath.Base(top)[len("slurm_"):], points: []string{freezer}, freezer: freezer, tops: []string{top}}
	g := &slurmV1Group{Group: &inside{}, tree: tree, job: strconv.Itoa(aJob())}
	if left, err := g.leftIn(g.places()); err != nil || len(left) == 0 {
		t.Fatalf("nothing forks on: %v", err)
	}
	list := func() []int { all, e := g.leftIn(g.places()); must(t, e); return all }
	hold := func() {
		t.Helper()
		waitFor(t, "all to stand still", func() bool {
			state, e := read(filepath.Join(filepath.Dir(step), "freezer.state"))
			return g.hold(g.places()) && e == nil && state == "FROZEN"
		})
	}
	hold()
	tree.resume() // an agent was killed now, and the next one begins
	if state, e := read(filepath.Join(step, "freezer.state")); e != nil || state != "THAWED" {
		t.Errorf("the job stays stopped: %s, %v", state, e)
	}
	hold()
	for first, looks := list(), 0; looks < 20; looks++ {
		if now := list(); !slices.Equal(first, now) {
			t.Fatalf("there were %v, and then %v", first, now)
		}
	}
	for { // while a slurmstepd of another's has not said whose it is
		_, spared, e := g.Sweep(true)
		if must(t, e); !spared {
			break
		}
	}
	waitFor(t, "all to be gone", func() bool { return len(list()) == 0 })
	if !alive(other) {
		t.Error("a job beside it was ended")
	}
	if s, e := read(filepath.Join(beside, "freezer.state")); e != nil || s != "THAWED" {
		t.Errorf("a job beside it is stopped: %s, %v", s, e)
	}
}

// looked is a group that says what is in it as often as it is asked, and does something before.
type looked struct {
	inside
	looks  int
	before func(look int)
}

func (g *looked) Procs() ([]int, error) {
	g.looks++
	g.before(g.looks)
	return g.inside.Procs()
}

// A job that its user has put back is begun again under its number, in the groups that it had, while what
// was left of it before is ended: nothing of that is touched.
func TestWhatBeginsAgainIsNotWhatIsLeft(t *testing.T) {
	if os.Geteuid() != 0 {
		lacking(t, "root", "processes of several users want it")
	}
	mount, sleep, stepd := t.TempDir(), named(t, "sleep"), named(t, "slurmstepd")
	job := filepath.Join(mount, "freezer", "slurm_n1", "uid_5", "job_"+strconv.Itoa(aJob()))
	must(t, os.MkdirAll(job, 0o755))
	const user = 1_000_001
	before, again := sleeps(t, sleep, user), sleeps(t, sleep, user)
	group := &looked{inside: inside{pids: []int{before}}}
	g := &slurmV1Group{Group: group, tree: &slurmV1{node: "n1", points: []string{filepath.Join(mount, "freezer")}}, job: strconv.Itoa(aJob())}
	group.before = func(look int) {
		if look == 3 { // once what there was has been struck
			group.pids = []int{before, again}
			pid := sleeps(t, stepd, 0)
			waitFor(t, "Slurm to look after the job", func() bool { return keeper(pid) && g.keeps(pid) && g.tended(nil) }) // a job begins after that
		}
	}
	for spared := true; spared; { // while a slurmstepd of another's has not said whose it is
		group.looks = 0
		var err error
		_, spared, err = g.Sweep(true)
		must(t, err)
	}
	if !alive(again) || group.looks < 3 {
		t.Fatalf("what was begun again was killed with what was left before, at %d looks", group.looks)
	}
	waitFor(t, "what was left to end", func() bool { return !alive(before) })

	// And its groups are not taken away under it.
	group.pids = nil
	_, _, err := g.Sweep(true)
	must(t, err)
	if !isDir(job) {
		t.Error("a group of what was begun again was taken away")
	}
}

// Who freezes a group below one of Slurm's, which users can make, is not suspended: what they decline
// meanwhile is theirs to pay.
func TestAUserDoesNotSuspendAJob(t *testing.T) {
	top := t.TempDir()
	step := filepath.Join(top, "uid_1", "job_40", "step_batch")
	must(t, os.MkdirAll(filepath.Join(step, "mine", "deeper"), 0o755))
	for dir, state := range map[string]string{
		filepath.Dir(step): "THAWED\n", step: "THAWED\n", filepath.Join(step, "mine"): "FROZEN\n", filepath.Join(step, "mine", "deeper"): "FROZEN\n",
	} {
		must(t, fill(dir, "freezer.state", state))
	}
	g := &slurmV1Group{Group: &inside{}, tree: &slurmV1{tops: []string{top}}, job: "40"}
	if g.Frozen() {
		t.Error("it counts as suspended")
	}
	must(t, fill(step, "freezer.state", "FROZEN\n"))
	if !g.Frozen() {
		t.Error("suspended by Slurm it does not count as that")
	}
}
