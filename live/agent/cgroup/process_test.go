package cgroup

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The processes under test are this very binary, started again with a role.
const (
	roleVar   = "LIBRA_CGROUP_TEST_ROLE"
	numberVar = "LIBRA_CGROUP_TEST_NUMBER"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(shelterVar); spec != "" {
		if err := enterShelter(spec); err != nil {
			fmt.Fprintln(os.Stderr, "shelter:", err)
			os.Exit(1)
		}
	}
	if role := os.Getenv(roleVar); role != "" {
		n, _ := strconv.Atoi(os.Getenv(numberVar))
		if err := play(role, n); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play enters the group that is named on descriptor 3, as a starter's small
// init would, says so, and becomes the job.
func play(role string, n int) error {
	if role == "doze" { // where it is
		time.Sleep(time.Hour)
		return nil
	}
	var spec EnterSpec
	pipe := os.NewFile(3, "spec")
	if err := json.NewDecoder(pipe).Decode(&spec); err != nil {
		return err
	}
	if err := spec.Join(); err != nil {
		return err
	}
	held := make([]byte, 0)
	if role == "hold" {
		held = touch(n)
	}
	if _, err := os.Stdout.WriteString("in\n"); err != nil {
		return err
	}
	switch role {
	case "busy":
		spin(n)
	case "herd":
		herd(n)
	case "gulp":
		held = touch(n)
	case "work": // for n milliseconds of processor time
		until := ownTime() + time.Duration(n)*time.Millisecond
		for ownTime() < until {
		}
		return nil
	case "bomb":
		bomb()
	case "scatter":
		scatter(n)
	case "forks": // children for n milliseconds in all, one after another
		return childrenInTurn(n)
	}
	time.Sleep(time.Hour)
	runtime.KeepAlive(held)
	return nil
}

func ownTime() time.Duration {
	d, _ := cpuClock(os.Getpid())
	return d
}

func spin(threads int) {
	for range threads - 1 {
		go func() {
			for { //nolint:staticcheck // spinning is its purpose
			}
		}()
	}
	for { //nolint:staticcheck // spinning is its purpose
	}
}

// herd is threads that wake together ten times a second, and work for 2 ms each.
func herd(threads int) {
	for range threads {
		go func() {
			runtime.LockOSThread()
			for {
				now := monotonic()
				next := unix.NsecToTimespec(int64((now/dutyPeriod + 1) * dutyPeriod))
				_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &next, nil) // sooner does no harm
				for until := threadTime() + 2*time.Millisecond; threadTime() < until; {
				}
			}
		}()
	}
}

func threadTime() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now)
	return time.Duration(now.Nano())
}

// touch takes n MiB and writes to every page.
func touch(n int) []byte {
	b := make([]byte, n<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return b
}

func childrenInTurn(n int) error {
	const each = 50
	for done := 0; done < n; done += each {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), roleVar+"=work", numberVar+"="+strconv.Itoa(each))
		in, out, err := os.Pipe()
		if err != nil {
			return err
		}
		cmd.ExtraFiles = []*os.File{in}
		if err := cmd.Start(); err != nil {
			return err
		}
		if _, err := out.WriteString("{}"); err != nil {
			return err
		}
		_, _ = in.Close(), out.Close()
		if err := cmd.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// fork is the bare system call. The child has one thread and no Go runtime to
// speak of: it may do nothing but system calls.
//
//go:norace
func fork() uintptr {
	pid, _, _ := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	return pid
}

// bomb forks for ever, as do all its children, each in its own session.
//
//go:norace
func bomb() {
	for {
		fork()
		syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	}
}

// scatter makes 2^n processes that nobody is the living parent of, each in its
// own session, and all of them spin.
//
//go:norace
func scatter(n int) {
	for depth := range n {
		a, b := fork(), uintptr(1)
		if a != 0 {
			b = fork()
		}
		if a != 0 && b != 0 { // a parent of two
			if depth == 0 {
				return // the first one stays
			}
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
		syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
		// Daemons take their time: signals look ten times a second.
		pause := syscall.Timespec{Nsec: 300_000_000}
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
	}
	for { //nolint:staticcheck // spinning is its purpose
	}
}

// process is one that was started into a group.
type process struct {
	*exec.Cmd
	t    testing.TB
	done chan struct{}
}

// start starts a process in a role, and returns when it is in the group.
func start(t testing.TB, g Group, role string, n int) *process {
	t.Helper()
	spec := g.Enter()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVar+"="+role, numberVar+"="+strconv.Itoa(n), "GOMAXPROCS="+strconv.Itoa(max(1, n)))
	if role != "busy" {
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	}
	cmd.Env = append(cmd.Env, spec.Env...)
	cmd.Stderr = os.Stderr
	in, out, err := os.Pipe()
	must(t, err)
	cmd.ExtraFiles = []*os.File{in}
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	in.Close()
	p := &process{Cmd: cmd, t: t, done: make(chan struct{})}
	if len(spec.Procs) == 0 {
		must(t, g.Adopt(cmd.Process.Pid))
	}
	must(t, json.NewEncoder(out).Encode(spec))
	out.Close()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "in\n" && role != "hold" {
		t.Fatalf("%s did not get in: %q %v", role, line, err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait()
		close(p.done)
	}()
	return p
}

// end waits for the process to end by itself.
func (p *process) end() {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(3 * time.Minute):
		p.t.Fatalf("process %d does not end", p.Process.Pid)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// required reports whether LIBRA_REQUIRE names a real part of the host.
func required(part string) bool {
	for p := range strings.SplitSeq(os.Getenv("LIBRA_REQUIRE"), ",") {
		if strings.TrimSpace(p) == part {
			return true
		}
	}
	return false
}

// lacking skips, or fails where the part is required.
func lacking(t testing.TB, part, why string) {
	t.Helper()
	if required(part) {
		t.Fatalf("LIBRA_REQUIRE names %s: %s", part, why)
	}
	t.Skipf("no %s: %s", part, why)
}
