package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// bundle makes what an OCI runtime takes for a container, by hand: a shell, directories for what is
// mounted, of which /var/run/slurm is newer Slurms', and a file by which it is known.
func bundle(t *testing.T, dir string, as account) {
	t.Helper()
	busybox, err := os.ReadFile("/bin/busybox")
	require(t, "runc", err == nil)
	bin := filepath.Join(dir, "rootfs", "bin")
	for _, make := range []string{"bin", "proc", "dev", "sys", "tmp", "var/run/slurm"} {
		if err = os.MkdirAll(filepath.Join(dir, "rootfs", make), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err = os.WriteFile(filepath.Join(bin, "sh"), busybox, 0o755); err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(filepath.Join(dir, "rootfs", "mark"), []byte("contained\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err = os.Chown(dir, as.UID, as.GID); err != nil {
		t.Fatal(err)
	}
	spec := exec.Command("runc", "spec", "--rootless", "--bundle", dir)
	spec.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(as.UID), Gid: uint32(as.GID)}}
	out, err := spec.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(dir, "config.json")
	var config map[string]any
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	config["root"] = map[string]any{"path": filepath.Join(dir, "rootfs"), "readonly": true}
	if text, err = json.Marshal(config); err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a script starts by srun --container is in the job's control group, held to its share, though its
// runtime makes a group of its own for it below Slurm's; and nothing of it is left when the job is
// cancelled: Slurm itself leaves it running, where it ends the runtime first.
func TestAContainerInARealSlurmJobIsHeldAndEnded(t *testing.T) {
	_, err := exec.LookPath("runc")
	require(t, "runc", err == nil)
	state := t.TempDir()
	if err = os.Chmod(state, 0o1777); err != nil {
		t.Fatal(err)
	}
	runc := "runc --rootless=true --root=" + state
	s := newSlurmNode(t, cgroup.V1, slurmtest.Options{Containers: fmt.Sprintf(`RunTimeQuery="%[1]s state %[2]s"
RunTimeKill="%[1]s kill -a %[2]s"
RunTimeDelete="%[1]s delete --force %[2]s"
RunTimeRun="%[1]s run %[2]s -b %%b"
`, runc, "%n.%u.%j.%s.%t")})
	dir := filepath.Join(s.dir, "bundle")
	bundle(t, dir, s.user)
	order := s.submit(1, 0.2, fmt.Sprintf(`srun --overlap --ntasks=1 --container=%s /bin/sh -c "read mark </mark; echo \$mark; while :; do :; done"`, dir))
	s.order(order)
	s.state(t, order.Spec.Key, task.Starting)
	s.command("scontrol", "release", order.Batch)
	s.state(t, order.Spec.Key, task.Running)
	until(t, "the container to run", func() bool {
		text, e := os.ReadFile(filepath.Join(s.dir, "out-1"))
		if e == nil && strings.Contains(string(text), "srun: error") {
			t.Fatalf("it says %s", text)
		}
		return e == nil && strings.Contains(string(text), "contained")
	})
	contained := func() (pids []string) {
		group, ok := s.tree.Find("slurm_" + order.Batch)
		if !ok {
			t.Fatal("the job has no group")
		}
		procs, e := group.Procs()
		if e != nil {
			t.Fatal(e)
		}
		for _, pid := range procs {
			if _, e = os.Stat(fmt.Sprintf("/proc/%d/root/mark", pid)); e == nil {
				pids = append(pids, strconv.Itoa(pid))
			}
		}
		return pids
	}
	pids := contained()
	if len(pids) != 1 {
		t.Fatalf("in the container and in the job's group are %v", pids)
	}
	group, err := os.ReadFile("/proc/" + pids[0] + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("it is in %s", strings.ReplaceAll(string(group), "\n", " "))
	if got := s.quota(order.Batch); got != 0.2 {
		t.Errorf("held to %v", got)
	}
	before := s.spent(order.Batch)
	until(t, "it to be measured", func() bool { return s.spent(order.Batch) > before })
	s.command("scancel", order.Batch)
	s.ended(order.Batch)
	t.Logf("Slurm has ended the job, and the container runs: %v", runs(pids[0]))
	s.withdraw()
	until(t, "the container to end", func() bool { return !runs(pids[0]) })
	s.gone(order.Batch)
}
