package system_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/agent/cgroup"
)

// require skips a test that needs a part that this machine does not have, and
// fails where LIBRA_REQUIRE says that it should be there.
func require(t testing.TB, part string, there bool) {
	t.Helper()
	if there {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), part) {
		t.Fatalf("this machine has no %s, and LIBRA_REQUIRE asks for it", part)
	}
	t.Skipf("this machine has no %s", part)
}

// requireCgroup is for tests of what only root and the kernel's groups can do.
func requireCgroup(t testing.TB) {
	t.Helper()
	require(t, "cgroup", os.Geteuid() == 0 && groupKind() != cgroup.Signals)
}

func groupKind() string {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return cgroup.Signals
	}
	defer file.Close()
	kind, _, err := cgroup.Detect(file)
	if err != nil {
		return cgroup.Signals
	}
	return kind
}

// requireHosts is for tests of several hosts, which are network namespaces here.
func requireHosts(t testing.TB) {
	t.Helper()
	requireCgroup(t)
	there := true
	for _, tool := range []string{"ip", "nsenter"} {
		_, err := exec.LookPath(tool)
		there = there && err == nil
	}
	if there {
		probe := fresh("probe")
		there = exec.Command("ip", "netns", "add", probe).Run() == nil
		if there {
			_ = exec.Command("ip", "netns", "del", probe).Run() // the guard tries again
		}
	}
	require(t, "netns", there)
}

// long reports whether there is time for more.
func long() bool { return os.Getenv("LIBRA_LONG") != "" }
