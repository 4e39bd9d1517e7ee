package system_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// patience is how long a test waits for what should take a moment: the machine
// may be busy with anything else.
const patience = 3 * time.Minute

// until waits for something that other processes do.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}

// scene is a place for one test: a directory that every user can get to.
func scene(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(runDir(), "scene-") //nolint:usetesting // t.TempDir is closed to other users
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var freshNames atomic.Int64

// fresh is a name that nobody else on this machine has.
func fresh(name string) string {
	return fmt.Sprintf("%s-%d-%s", tag(runDir()), freshNames.Add(1), name)
}

// freePort is a port that nobody listened on a moment ago.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// daemon is a process that a test has started and that runs until it is told to
// end.
type daemon struct {
	t    testing.TB
	cmd  *exec.Cmd
	log  string // file with all it says
	done chan struct{}
}

// launch starts a program with a home of its own. Whatever happens, it has ended
// when the test has.
func launch(t testing.TB, home string, argv ...string) *daemon {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(home, "log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	d := &daemon{t: t, cmd: exec.Command(argv[0], argv[1:]...), log: log.Name(), done: make(chan struct{})}
	d.cmd.Dir, d.cmd.Env = home, environment(home)
	d.cmd.Stdout, d.cmd.Stderr = log, log
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // signals of a terminal are for the tests
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = d.cmd.Wait() // ProcessState has it
		close(d.done)
	}()
	t.Cleanup(func() {
		if d.running() && d.end(syscall.SIGINT, patience) < 0 {
			t.Errorf("%s did not end when it was asked to", strings.Join(argv, " "))
			d.kill()
		}
		if _, told := logsTold.LoadOrStore(d.log, true); t.Failed() && !told {
			t.Logf("%s said:\n%s", filepath.Base(home), d.said(4000))
		}
	})
	return d
}

// logsTold are those that a failed test has shown: one process may follow
// another in the same place.
var logsTold sync.Map

// environment is that of a user who has just come.
func environment(home string) []string {
	return []string{"HOME=" + home, "PATH=" + slurmtest.Programs() + filepath.Join(runDir(), "bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG=C", "TZ=UTC"}
}

func (d *daemon) running() bool {
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// kill ends the process without a warning.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may have ended
	<-d.done
}

// end asks the process to end and returns its exit code; -1 if it does not end,
// or ends by the signal.
func (d *daemon) end(sig syscall.Signal, within time.Duration) int {
	_ = d.cmd.Process.Signal(sig) // it may have ended
	select {
	case <-d.done:
		return d.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		return -1
	}
}

// said is the end of what the process has said.
func (d *daemon) said(most int) string {
	text, err := os.ReadFile(d.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// ran is how a command ended.
type ran struct {
	out, err string
	code     int
}

// run runs a command to its end.
func run(t testing.TB, home string, argv ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = home, environment(home)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", strings.Join(argv, " "), err)
	}
	return ran{out.String(), wrong.String(), cmd.ProcessState.ExitCode()}
}

// good runs a command that must succeed and returns what it printed.
func good(t testing.TB, home string, argv ...string) string {
	t.Helper()
	r := run(t, home, argv...)
	if r.code != 0 {
		t.Fatalf("%s: exit code %d: %s%s", strings.Join(argv, " "), r.code, r.out, r.err)
	}
	return r.out
}
