package slurmtest

import (
	"os/exec"
	"os/user"
	"testing"
)

// Users of the host whom tests run jobs as.
const (
	Alice = "libra-alice"
	Bob   = "libra-bob"
)

// User makes a user of the host if there is none of the name, and is the name.
func User(t testing.TB, name string) string {
	t.Helper()
	if _, err := user.Lookup(name); err == nil {
		return name
	}
	if out, err := exec.Command("useradd", "--create-home", "--shell", "/bin/sh", name).CombinedOutput(); err != nil {
		t.Fatalf("make the user %s: %v: %s", name, err, out)
	}
	return name
}
