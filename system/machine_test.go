package system_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	run := exec.Command("../.ci/vmtest", program, "-test.v", "-test.timeout", "8m", "-test.run", "^TestPromisesAreKeptByTheKernel$")
	run.Env = append(os.Environ(), "VMTEST_FILES="+binary(), "LIBRA_BINARY=/libra", "LIBRA_REQUIRE=cgroup", dirVar+"=")
	out, err := run.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
