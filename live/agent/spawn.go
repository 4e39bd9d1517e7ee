package agent

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawn starts a program with these files and nothing else of ours: not the
// environment, not the directory, no terminal.
func spawn(program, word string, env []string, files []*os.File) (int, error) {
	fds := make([]uintptr, len(files))
	for i, file := range files {
		fds[i] = file.Fd()
	}
	pid, err := syscall.ForkExec(program, []string{"libra", word}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   append([]string{"GOMAXPROCS=1"}, env...),
		Files: fds,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	runtime.KeepAlive(files)
	return pid, err
}

// adoptOrphans makes this process the parent of descendants whose own parent
// has died, so that they can be reaped.
func adoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// reap takes the status of a child that has ended. It reports false if it has
// not, or is not a child.
func reap(pid int) (syscall.WaitStatus, int, bool) {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return status, got, err == nil && got > 0
	}
}
