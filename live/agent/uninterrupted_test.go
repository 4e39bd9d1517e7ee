package agent

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A file system in memory gives a reservation up at the first signal, and the
// runtime sends itself many: a task was refused for one.
func TestRoomIsReservedAmongSignals(t *testing.T) {
	dir := dirInMemory(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, thread := unix.Getpid(), unix.Gettid()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Tgkill(pid, thread, unix.SIGURG)
			}
		}
	}()
	defer func() { close(stop); <-stopped }()

	// What the kernel says to one try, so that the test says whether it tried anything.
	interrupted := 0
	for i := range 400 {
		path := filepath.Join(dir, "room")
		file, err := os.Create(path + ".once")
		if err != nil {
			t.Fatal(err)
		}
		if unix.Fallocate(int(file.Fd()), 0, 0, 1<<16) == unix.EINTR {
			interrupted++
		}
		_ = file.Close()
		if err := reserve(path, 1<<16); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 400 single tries were interrupted", interrupted)
}

// dirInMemory is a directory of a file system in memory.
func dirInMemory(t *testing.T) string {
	t.Helper()
	for _, parent := range []string{t.TempDir(), "/dev/shm"} {
		if yes, err := inMemory(parent); err == nil && yes {
			dir, err := os.MkdirTemp(parent, "libra-test-") //nolint:usetesting // TempDir may be on a disk
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	t.Skip("this machine has no file system in memory")
	return ""
}

// Whatever it is that is cut short: it is made again, and what it says at last is said.
func TestUninterrupted(t *testing.T) {
	for _, last := range []error{nil, unix.ENOSPC} {
		calls := 0
		err := uninterrupted(func() error {
			if calls++; calls < 4 {
				return unix.EINTR
			}
			return last
		})
		if calls != 4 || !errors.Is(err, last) {
			t.Errorf("%d calls, %v; want 4 and %v", calls, err, last)
		}
	}
}
