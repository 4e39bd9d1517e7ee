package cgroup

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

	"golang.org/x/sys/unix"
)

// stranger is a user without any privilege.
const stranger = 65534

// expectVar says which kind a test that was started by another must find.
const expectVar = "LIBRA_CGROUP_TEST_EXPECT"

// TestOpenTakesTheBest is what others start as somebody else, or elsewhere.
func TestOpenTakesTheBest(t *testing.T) {
	want := os.Getenv(expectVar)
	if want == "" {
		t.Skip("started by other tests")
	}
	tree, err := Open(treeName(), Options{})
	must(t, err)
	t.Cleanup(func() { clean(t, tree) })
	t.Logf("user %d: %s, missing %v", os.Getuid(), tree.Kind(), tree.Missing())
	if tree.Kind() != want {
		t.Errorf("opened %s, want %s", tree.Kind(), want)
	}
}

// shelterVar holds the way into a group that this process is to enter first.
const shelterVar = "LIBRA_CGROUP_TEST_SHELTER"

// sheltered runs the test in another process, in a group that outweighs what
// else runs on the host: signals cannot give what others have taken. False is
// no such group, or in it already.
func sheltered(t *testing.T) bool {
	t.Helper()
	if os.Getenv(shelterVar) != "" || os.Getuid() != 0 {
		return false
	}
	tree, err := Open(treeName(), Options{})
	must(t, err)
	t.Cleanup(func() { clean(t, tree) })
	if tree.Kind() == Signals {
		return false
	}
	favour(t, tree)
	g, err := tree.Make("shelter", Limits{CPU: -1})
	must(t, err)
	spec, err := json.Marshal(g.Enter())
	must(t, err)
	again(t, "^"+t.Name()+"$", []string{shelterVar + "=" + string(spec)}, nil)
	return true
}

// enterShelter is called before anything else is done. Who is not root any more
// is in it since before.
func enterShelter(spec string) error {
	if os.Getuid() != 0 {
		return nil
	}
	var enter EnterSpec
	if err := json.Unmarshal([]byte(spec), &enter); err != nil {
		return err
	}
	return enter.Join()
}

// again runs tests of this binary in another process, and shows what they say.
func again(t *testing.T, tests string, env []string, attr *syscall.SysProcAttr) {
	t.Helper()
	if os.Getuid() != 0 {
		lacking(t, "root", "only root can become somebody else")
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run", tests)
	cmd.Args = append(cmd.Args, "-test.timeout", "15m", "-test.short="+strconv.FormatBool(testing.Short()))
	if attr != nil {
		cmd.Dir = "/" // somebody else may not be let in here
	}
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "--- PASS") {
		t.Error("nothing was tested")
	}
}

func TestWithoutPrivilegeSignalsMustDo(t *testing.T) {
	if sheltered(t) {
		return
	}
	again(t, "^TestOpenTakesTheBest$", []string{expectVar + "=" + Signals},
		&syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}})
	again(t, "^TestSignals$/^(Shares|KillScattered)$", nil,
		&syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}})
}

// TestDelegated: a user who was given a group of cgroup v2 needs no privilege.
func TestDelegated(t *testing.T) {
	if kernelKind(t) != V2 {
		t.Skip("only cgroup v2 can be delegated")
	}
	root := v2Root(t)
	dir := filepath.Join(root, fmt.Sprintf("libra-test-%d-delegated", os.Getpid()))
	must(t, write(filepath.Join(root, "cgroup.subtree_control"), "+cpu +memory +pids +cpuset"))
	must(t, os.Mkdir(dir, 0o755))
	t.Cleanup(func() {
		for _, d := range []string{dir + "/" + agentLeaf, dir} {
			must(t, os.Remove(d))
		}
	})
	for _, f := range []string{"", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"} {
		must(t, os.Chown(filepath.Join(dir, f), stranger, stranger))
	}
	handle, err := os.Open(dir)
	must(t, err)
	defer handle.Close()
	as := func() *syscall.SysProcAttr {
		return &syscall.SysProcAttr{
			Credential:  &syscall.Credential{Uid: stranger, Gid: stranger},
			UseCgroupFD: true, CgroupFD: int(handle.Fd()),
			AmbientCaps: []uintptr{unix.CAP_SYS_NICE}, // to notice losses, see watch
		}
	}
	again(t, "^TestOpenTakesTheBest$", []string{expectVar + "=" + V2}, as())
	// The group has a leaf now, and children with limits: a restarted agent is
	// started in the leaf.
	handle.Close()
	handle, err = os.Open(filepath.Join(dir, agentLeaf))
	must(t, err)
	again(t, "^TestCgroup$/^(Freeze|KillBomb|Memory|Pinned|Restart)$", []string{"LIBRA_REQUIRE=cgroup2"}, as())
}

func v2Root(t *testing.T) string {
	t.Helper()
	f, err := os.Open("/proc/self/mountinfo")
	must(t, err)
	defer f.Close()
	_, mounts, err := Detect(f)
	must(t, err)
	return mounts.V2
}

// TestInAMachineWithCgroup2 runs the suite where cgroup v2 is all there is. It
// takes minutes, so it runs only where it is required, and not under the race
// detector, which does not get into the machine.
func TestInAMachineWithCgroup2(t *testing.T) {
	if !required("vm") || testing.Short() {
		t.Skip("LIBRA_REQUIRE does not name vm, or short")
	}
	if sheltered(t) {
		return
	}
	program := filepath.Join(t.TempDir(), "cgroup.test")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command("../../../.ci/vmtest", program, "-test.v", "-test.timeout", "8m", "-test.skip", "^Test(Signals|WithoutPrivilege.*|InAMachine.*)$")
	run.Env = append(os.Environ(), "LIBRA_REQUIRE=cgroup,cgroup2", expectVar+"="+V2, shelterVar+"=")
	out, err := run.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
