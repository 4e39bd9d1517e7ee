package mungetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Start runs a munged with a key of its own, and puts a munge and an unmunge first in PATH
// that ask it; the credentials are those of a user by the number, which is another's for root
// alone. Where munge is not installed the test is skipped, unless LIBRA_REQUIRE names slurm,
// which needs it.
func Start(t *testing.T, uid int) {
	t.Helper()
	found := map[string]string{}
	for _, name := range []string{"munged", "munge", "unmunge", "setpriv"} {
		path, err := exec.LookPath(name)
		if err != nil && !strings.Contains(os.Getenv("LIBRA_REQUIRE"), "slurm") {
			t.Skipf("there is no %s here", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		found[name] = path
	}
	dir, err := os.MkdirTemp("", "libra-munge-") //nolint:usetesting // others come to its socket
	if err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 128)
	rand.Read(key)
	as := ""
	if uid != os.Getuid() {
		as = fmt.Sprintf("%s --reuid=%d --clear-groups ", found["setpriv"], uid)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	err = errors.Join(
		os.Chmod(dir, 0o755), // munged wants others to reach its socket
		os.WriteFile(at("key"), key, 0o600),
		os.Mkdir(at("bin"), 0o700),
		program(at("bin/munge"), "exec "+as+found["munge"]+" --socket="+at("socket")+` "$@"`),
		program(at("bin/unmunge"), "exec "+found["unmunge"]+" --socket="+at("socket")+` "$@"`),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	munged := exec.CommandContext(ctx, found["munged"], "--foreground", "--force", "--num-threads=2", "--socket="+at("socket"), "--key-file="+at("key"),
		"--pid-file="+at("pid"), "--log-file="+at("log"), "--seed-file="+at("seed"))
	if err = munged.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = munged.Wait() // it was killed
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("PATH", at("bin")+":"+os.Getenv("PATH"))
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { //nolint:forbidigo // a test, which waits for a real program
		said, err := exec.CommandContext(t.Context(), "munge", "--no-input", "--output=/dev/null").CombinedOutput()
		if err == nil {
			return
		}
		if time.Now().After(end) { //nolint:forbidigo // the same
			t.Fatalf("munged does not answer: %s", said)
		}
	}
}

// program writes a script.
func program(path, line string) error {
	return os.WriteFile(path, []byte("#!/bin/sh\n"+line+"\n"), 0o700)
}
