package agent

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watch waits for the end of a task's shepherd, whoever started it.
type watch struct {
	machine Machine
	folder  folder
	ended   chan struct{} // closed when nobody holds the lock any more
	found   chan struct{} // closed when the process is known, or has ended
	pid     int
	handle  Process
}

// Where a kernel has no handles of processes, the lock is asked so often.
const lockEvery = 50 * time.Millisecond

// newWatch watches the shepherd of a folder; pid is 0 if it was started by an
// agent that is no more. It ends with ctx.
func newWatch(ctx context.Context, m Machine, f folder, pid int) *watch {
	w := &watch{machine: m, folder: f, ended: make(chan struct{}), found: make(chan struct{}), pid: pid}
	if pid > 0 {
		w.handle = m.Process(pid) // our child, so the number is still its own
		close(w.found)
		go w.await(ctx)
		return w
	}
	go func() {
		w.find(ctx)
		close(w.found)
		w.await(ctx)
	}()
	return w
}

// find learns from the lock file who holds the lock. The file is emptied before
// a shepherd is started, so what it says is of the one who holds the lock now.
func (w *watch) find(ctx context.Context) {
	for w.folder.alive() {
		if pid := w.folder.shepherd(); pid > 0 {
			handle := w.machine.Process(pid)
			if w.folder.alive() { // so it was alive when the handle was made
				w.pid, w.handle = pid, handle
				return
			}
			if handle != nil {
				_ = handle.Close() // of some other process
			}
		}
		if !pause(ctx, lockEvery) {
			return
		}
	}
}

// await closes ended when the shepherd has ended.
func (w *watch) await(ctx context.Context) {
	if w.handle != nil {
		w.handle.Await(ctx)
	}
	for w.folder.alive() {
		if !pause(ctx, lockEvery) {
			return
		}
	}
	if ctx.Err() != nil {
		return
	}
	if w.pid > 0 {
		reap(w.pid) // if it was our child
	}
	close(w.ended)
}

// close gives the handle back; the watch must have ended.
func (w *watch) close() {
	if w.handle != nil {
		_ = w.handle.Close() // nothing was written
	}
}

// signal sends a signal to the shepherd. It does nothing if that has ended or is
// not known yet.
func (w *watch) signal(sig unix.Signal) error {
	select {
	case <-w.found:
	default:
		return nil
	}
	var err error
	switch {
	case w.handle != nil:
		err = w.handle.Signal(sig)
	case w.pid > 0 && w.folder.alive():
		err = unix.Kill(w.pid, sig)
	}
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// processHandle is a handle of a process; nil if the kernel has none.
func processHandle(pid int) *os.File {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "process")
}

func signalHandle(handle *os.File, sig unix.Signal) error {
	raw, err := handle.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Control(func(fd uintptr) { sent = unix.PidfdSendSignal(int(fd), sig, nil, 0) })
	return errors.Join(err, sent)
}

// awaitExit returns when the process has ended, or the handle's deadline.
func awaitExit(handle *os.File) {
	raw, err := handle.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool { // the only error is the deadline
		ask := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ask, 0)
		return err == nil && n == 1
	})
}
