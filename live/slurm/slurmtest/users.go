package slurmtest

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"syscall"
	"testing"
)

// Users of the host whom tests run jobs as.
const (
	Alice = "libra-alice"
	Bob   = "libra-bob"
)

// User makes a user of the host if there is none of the name, and is the name. It stays:
// tests of other packages may be about to use it.
func User(t testing.TB, name string) string {
	t.Helper()
	turn, err := os.OpenFile(filepath.Join(os.TempDir(), "libra-users.lock"), os.O_RDONLY|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Close()
	if err = syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err = user.Lookup(name); err == nil {
		return name
	}
	if out, err := exec.Command("useradd", "--create-home", "--shell", "/bin/sh", name).CombinedOutput(); err != nil {
		t.Fatalf("make the user %s: %v: %s", name, err, out)
	}
	return name
}
