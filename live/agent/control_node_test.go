package agent

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
	"github.com/libra-market/libra/live/agent/cgroup/cgrouptest"
)

// newControlNode makes a node whose tasks a batch system runs: this test.
func newControlNode(t testing.TB) *node {
	t.Helper()
	n := newNode(t)
	if err := n.tree.Remove(); err != nil {
		t.Fatal(err)
	}
	n.config.Control, n.config.Weight = ControlSlurm, 100
	tree, err := cgroup.OpenSlurm(n.config.Tree, n.config.Node)
	if err != nil {
		t.Fatal(err)
	}
	n.tree = tree
	return n
}

// newStoodInNode makes one without a Slurm: with v2 the groups would have to be a real Slurm's.
func newStoodInNode(t testing.TB) *node {
	t.Helper()
	n := newControlNode(t)
	require(t, "cgroup v1", n.tree.Kind() == cgroup.V1)
	return n
}

// batch is the order to hold a job to a share.
func (n *node) batch(job int64, rank int, cpu float64) task.Order {
	order := n.shell(job, "")
	order.Batch = strconv.FormatInt(5000+job, 10)
	order.Spec.Rank, order.CPU, order.Weight = rank, cpu, max(cpu, 0.01)
	return order
}

// standIn starts a program as the plugin does: in the groups of the job, by
// their place on disk, before it begins.
func (n *node) standIn(id, script string) *exec.Cmd {
	n.t.Helper()
	enter := ""
	for _, controller := range []string{"cpu", "cpuacct"} {
		enter += fmt.Sprintf("echo $$ >/sys/fs/cgroup/%s/%s/slurm_%s/cgroup.procs || exit 9\n", controller, n.config.Tree, id)
	}
	return n.process(enter + "exec sh -c '" + script + "'")
}

// process starts a shell that ends with the test at the latest.
func (n *node) process(script string) *exec.Cmd {
	n.t.Helper()
	command := exec.Command("sh", "-c", script)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		n.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // a zombie would look like a process of the job
		close(ended)
	}()
	n.t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	return command
}

const spin = "while :; do :; done"

// quota reads from the disk what a job is held to.
func (n *node) quota(id string) float64 {
	n.t.Helper()
	content, err := os.ReadFile(filepath.Join("/sys/fs/cgroup/cpu", n.config.Tree, "slurm_"+id, "cpu.cfs_quota_us"))
	if err != nil {
		n.t.Fatal(err)
	}
	us, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		n.t.Fatal(err)
	}
	return float64(us) / 100_000
}

// spent is what the kernel says that a job has used.
func (n *node) spent(id string) time.Duration { n.t.Helper(); return n.usage(id).CPU }

func (n *node) usage(id string) cgroup.Usage {
	n.t.Helper()
	group, ok := n.tree.Find("slurm_" + id)
	if !ok {
		n.t.Fatalf("job %s has no group", id)
	}
	usage, err := group.Usage()
	if err != nil {
		n.t.Fatal(err)
	}
	return usage
}

func (n *node) gone(id string) {
	n.t.Helper()
	until(n.t, "the group of "+id+" to go", func() bool { return !n.listed("slurm_" + id) })
}

// listed looks without a hand in it: Find completes a group that is there by
// half, and one that another process is about to remove would stay.
func (n *node) listed(name string) bool {
	n.t.Helper()
	names, err := n.tree.List()
	if err != nil {
		n.t.Fatal(err)
	}
	return slices.Contains(names, name)
}

// withdraw takes all orders back.
func (n *node) withdraw() { n.change(func(d *task.Desired) { d.Orders = nil }) }

// slurmJob makes groups as Slurm has them for a job, without our plugin, and
// starts a script in the first step.
func (n *node) slurmJob(id, script string) (step string) {
	n.t.Helper()
	top := path.Join("/sys/fs/cgroup/freezer", "slurm_"+n.config.Node)
	step = path.Join(top, "uid_1000", "job_"+id, "step_batch")
	if err := os.MkdirAll(step, 0o755); err != nil {
		n.t.Fatal(err)
	}
	n.process("echo $$ >" + step + "/cgroup.procs || exit 9\n" + script)
	n.t.Cleanup(func() {
		_ = os.WriteFile(step+"/freezer.state", []byte("THAWED"), 0)
		until(n.t, "Slurm's groups to go", func() bool {
			procs, _ := os.ReadFile(step + "/cgroup.procs")
			for _, text := range strings.Fields(string(procs)) {
				if pid, err := strconv.Atoi(text); err == nil {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			for _, dir := range []string{step, path.Dir(step), path.Dir(path.Dir(step)), top} {
				_ = syscall.Rmdir(dir) // those above may have another job in them
			}
			_, err := os.Stat(path.Dir(step))
			return os.IsNotExist(err)
		})
	})
	return step
}

// alone waits until nobody else on this machine measures shares: the suite of
// package cgroup takes the same lock.
func alone(t testing.TB) {
	t.Helper()
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "libra-cgroup-suite.lock"), os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

// rate is what a job used over a time, and for how much of it others were in
// its way, both in processors.
type rate struct{ used, starved float64 }

// rates fits lines through readings: the difference of two is off by up to what
// the kernel grants at a time.
func (n *node) rates(over time.Duration, ids []string) []rate {
	n.t.Helper()
	at, used := make([][]float64, len(ids)), make([][]float64, len(ids))
	first, last := make([]cgroup.Usage, len(ids)), make([]cgroup.Usage, len(ids))
	stolen, began := totalSteal(), awake()
	for next := time.Duration(0); next <= over; next += 50 * time.Millisecond {
		time.Sleep(began + next - awake())
		for i, id := range ids {
			before := awake()
			last[i] = n.usage(id)
			at[i] = append(at[i], (before+awake()-2*began).Seconds()/2)
			used[i] = append(used[i], last[i].CPU.Seconds())
		}
		if next == 0 {
			copy(first, last)
		}
	}
	took := (awake() - began).Seconds()
	lost := (totalSteal() - stolen).Seconds() / took
	rates := make([]rate, len(ids))
	for i := range ids {
		waited := last[i].Waited - first[i].Waited - (last[i].Throttled - first[i].Throttled)
		rates[i] = rate{cgrouptest.Slope(at[i], used[i]), lost + waited.Seconds()/took}
	}
	return rates
}

func totalSteal() (sum time.Duration) {
	for _, s := range readSteal() {
		sum += s.stolen
	}
	return sum
}

// hold compares shares with what they should be. More than its share a job must
// not get. Less is wrong unless others, here or on the machine's own host, kept
// the processor from it; such a window is no evidence. Two wrong windows of
// three are needed to fail: what is wrong all the time is found at the second.
func (n *node) hold(what string, want map[string]float64) {
	n.t.Helper()
	const slack, windows = 0.02, 9
	ids := slices.Sorted(maps.Keys(want))
	right, wrong := 0, 0
	for range windows {
		time.Sleep(200 * time.Millisecond) // a quota that is written begins a period
		met, off, line := true, false, ""
		for i, r := range n.rates(5*time.Second, ids) {
			share := want[ids[i]]
			e := r.used/share - 1
			line += fmt.Sprintf("  %.4f of %.2f (%+.2f %%, starved for %.3f)", r.used, share, 100*e, r.starved)
			off = off || e > slack || e < -slack && r.starved < slack/2*share
			met = met && e > -slack
		}
		n.t.Logf("%s:%s", what, line)
		switch {
		case off:
			wrong++
		case met:
			right++
		}
		switch {
		case wrong == 2:
			n.t.Errorf("%s: wrong twice:%s", what, line)
			return
		case right > wrong:
			return
		}
	}
	n.t.Logf("%s: others kept the processor from the jobs all the time", what)
	require(n.t, "cgroup", false)
}

// killAll ends what is in a group.
func (n *node) killAll(id string) {
	n.t.Helper()
	group, ok := n.tree.Find("slurm_" + id)
	if !ok {
		n.t.Fatalf("job %s has no group", id)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := group.Kill(ctx); err != nil {
		n.t.Fatal(err)
	}
}
