package agent

import (
	"errors"

	"golang.org/x/sys/unix"
)

// uninterrupted makes a call of the system again as long as a signal cuts it short.
// The runtime sends its own threads signals, and a file system in memory, over the
// network or of a user's program gives up at one; package os sees to that for the
// calls it makes, here it is for those that go past it.
func uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// openFile is unix.Open, uninterrupted.
func openFile(path string, flags int, mode uint32) (fd int, err error) {
	err = uninterrupted(func() error {
		fd, err = unix.Open(path, flags, mode)
		return err
	})
	return fd, err
}
