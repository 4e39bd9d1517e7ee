package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// The test binary is also the shepherd, the init, and an agent that can be
// killed.
func TestMain(m *testing.M) {
	if code, done := Reexec(os.Args[1:]); done {
		os.Exit(code)
	}
	if len(os.Args) == 2 && os.Args[1] == agentWord {
		os.Exit(runAgentProcess())
	}
	os.Exit(m.Run())
}

// require skips a test that needs a part that this machine does not have, and
// fails where LIBRA_REQUIRE says that it should.
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
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kind, _, err := cgroup.Detect(file)
	require(t, "cgroup", os.Geteuid() == 0 && err == nil && kind != cgroup.Signals)
}

var makingUsers sync.Mutex

// unixUser is a user that the test made, or found.
func unixUser(t testing.TB, name string) account {
	t.Helper()
	makingUsers.Lock()
	defer makingUsers.Unlock()
	if _, err := user.Lookup(name); err != nil {
		if err = addUser(name); err != nil {
			t.Fatalf("make the user %s: %v", name, err)
		}
	}
	acc, err := lookupAccount(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return acc
}

// addUser makes a user. A machine without useradd is one made for the test.
func addUser(name string) error {
	if _, err := exec.LookPath("useradd"); err == nil {
		return exec.Command("useradd", "--create-home", "--shell", "/bin/sh", name).Run()
	}
	id := 5000 + len(name)
	for file, line := range map[string]string{
		"/etc/passwd": fmt.Sprintf("%s:x:%d:%d::/tmp:/bin/sh\n", name, id, id),
		"/etc/group":  fmt.Sprintf("%s:x:%d:\n", name, id),
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err = os.WriteFile(file, append(content, line...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func alice(t testing.TB) account { return unixUser(t, "libra-alice") }
func bob(t testing.TB) account   { return unixUser(t, "libra-bob") }

// openDir is a directory that other users can get to.
func openDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{filepath.Dir(dir), dir} { // both are the test's own
		if err := os.Chmod(path, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// home is a directory of a user's own.
func home(t testing.TB, owner account) string {
	t.Helper()
	dir := filepath.Join(openDir(t), "home")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, owner.UID, owner.GID)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// patience is how long a test waits for what should take a moment: the machine
// may be busy with anything else.
const patience = 3 * time.Minute

// until waits for something that another process does.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := awake(); !ok(); time.Sleep(10 * time.Millisecond) {
		if awake()-began > patience {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// owner is who owns a file.
func owner(t testing.TB, path string) int {
	t.Helper()
	stat, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(stat.Sys().(*syscall.Stat_t).Uid)
}

// show is a status as people can read it.
func show(status task.Status) string {
	content, err := json.Marshal(status)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// spawnSleeper starts a process in a group.
func spawnSleeper(group cgroup.Group) (int, error) {
	command := exec.Command("sleep", "1000")
	if err := command.Start(); err != nil {
		return 0, err
	}
	return command.Process.Pid, group.Adopt(command.Process.Pid)
}
