package system_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/agent/cgroup"
)

// The same promises where cgroup v2 is all there is: a machine of its own, in
// which the whole program runs. It takes minutes, so it runs only where it is
// required.
func TestPromisesAreKeptInAMachineWithCgroup2(t *testing.T) {
	if !slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), "vm") {
		t.Skip("LIBRA_REQUIRE does not name vm")
	}
	alone(t)
	program := filepath.Join(t.TempDir(), "system.test")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command("sh", append(sheltered(t), "../../.ci/vmtest", program, "-test.v", "-test.timeout", "8m",
		"-test.run", "^TestPromisesAreKeptByTheKernel$/^spare=none$")...) // what differs is the kernel, not who is given what
	run.Env = append(os.Environ(), "VMTEST_FILES="+binary(), "LIBRA_BINARY=/libra", "LIBRA_REQUIRE=cgroup", dirVar+"=")
	out, err := run.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}

// sheltered are the arguments of a shell that runs what follows in a group that
// outweighs whatever else this machine does: to the machine inside, time that it
// does not get is time that somebody in it took.
func sheltered(t *testing.T) []string {
	t.Helper()
	requireCgroup(t)
	name := "libra/" + fresh("shelter")
	tree, err := cgroup.Open(name, cgroup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(tree.Remove(), tree.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := errors.Join(writeDown(runDir(), madeTrees, name), tree.SetWeight(100)); err != nil {
		t.Fatal(err)
	}
	group, err := tree.Make("machine", cgroup.Limits{CPU: -1})
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"-c", `while [ "$1" != -- ]; do echo 0 > "$1"; shift; done; shift; exec "$@"`, "sh"}
	return append(append(argv, group.Enter().Procs...), "--")
}
