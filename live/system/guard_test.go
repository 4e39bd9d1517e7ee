package system_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// dirVar names the directory of a run of the tests. The guard sets it for the
// tests, so who finds it set is those.
const dirVar = "LIBRA_SYSTEM_DIR"

// The test binary is three programs: the guard, the tests inside it, and what
// jobs run to be busy.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == busyWord {
		os.Exit(beBusy(os.Args[2]))
	}
	if os.Getenv(dirVar) != "" {
		os.Exit(m.Run())
	}
	code, err := guard()
	if err != nil {
		fmt.Fprintln(os.Stderr, "system:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// guard builds the binary, runs the tests in a process of their own, and clears
// away what they have left, however they ended. To have left something is a
// failure too.
func guard() (code int, err error) {
	dir, err := os.MkdirTemp("", "libra-system-")
	if err != nil {
		return 1, err
	}
	// What is left is cleared away before its directory is.
	defer func() { err = errors.Join(err, clearAway(dir), os.RemoveAll(dir)) }()
	if err = prepare(dir); err != nil {
		return 1, err
	}
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	tests := exec.Command(self, os.Args[1:]...)
	tests.Env = append(os.Environ(), dirVar+"="+dir)
	tests.Stdin, tests.Stdout, tests.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err = tests.Start(); err != nil {
		return 1, err
	}
	// Whoever wants this to end wants the tests to end, and the rest cleared away.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	go func() {
		for s := range signals {
			_ = tests.Process.Signal(s) // it may have ended
		}
	}()
	if err = tests.Wait(); tests.ProcessState != nil {
		code = tests.ProcessState.ExitCode()
		if code < 0 {
			return 1, err // a signal ended it
		}
		err = nil
	}
	return code, err
}

// prepare fills the directory: the binary, and a copy of this program that any
// user may execute.
func prepare(dir string) error {
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(bin, 0o755)); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if ready := os.Getenv("LIBRA_BINARY"); ready != "" {
		err = copyProgram(ready, filepath.Join(bin, "libra"))
	} else {
		err = build(filepath.Join(bin, "libra"))
	}
	return errors.Join(err, copyProgram(self, filepath.Join(bin, "work")))
}

func build(to string) error {
	cmd := exec.Command("go", "build", "-o", to, "github.com/libra-market/libra/cmd/libra")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the binary: %w\n%s", err, out)
	}
	return nil
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// runDir is the directory of this run; tag is what all that it makes outside of
// it is called after.
func runDir() string { return os.Getenv(dirVar) }

func tag(dir string) string { return "sys" + strings.TrimPrefix(filepath.Base(dir), "libra-system-") }

func binary() string {
	lookAtSources()
	return filepath.Join(runDir(), "bin", "libra")
}

// lookAtSources looks at every file that the binary may be made of, so that go
// test does not repeat an old verdict about a program that has changed since: it
// cannot know what the guard builds, but it knows what a test has looked at.
var lookAtSources = sync.OnceFunc(func() {
	_ = filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "go.sum")) {
			_, err = os.Stat(path)
		}
		return err
	})
})
