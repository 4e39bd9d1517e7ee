package agent

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// connect opens the files of the program, with the user's rights: the user
// cannot aim them where the user could not write.
func (p *program) connect() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	out, err := p.Output.open(null)
	if err != nil {
		return err
	}
	errs := out
	if p.Error != p.Output {
		if errs, err = p.Error.open(null); err != nil {
			return err
		}
	}
	for fd, from := range []int{null, out, errs} {
		if err := unix.Dup3(from, fd, 0); err != nil {
			return err
		}
	}
	return nil
}

// open opens a regular file or a device such as /dev/null. Without O_NONBLOCK a
// pipe with nobody at the other end would hold the task up for ever.
func (t target) open(null int) (int, error) {
	if t.Path == "" {
		return null, nil
	}
	flags := unix.O_WRONLY | unix.O_CREAT | unix.O_APPEND | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	if !t.Append {
		flags |= unix.O_TRUNC
	}
	fd, err := unix.Open(t.Path, flags, 0o644)
	if errors.Is(err, unix.ELOOP) {
		return -1, fmt.Errorf("output %s: it is a symbolic link", t.Path)
	}
	if err != nil {
		return -1, fmt.Errorf("output %s: %w", t.Path, err)
	}
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err != nil {
		return -1, fmt.Errorf("output %s: %w", t.Path, err)
	}
	if kind := stat.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFCHR {
		return -1, fmt.Errorf("output %s: it is not a file", t.Path)
	}
	if err = unix.SetNonblock(fd, false); err != nil {
		return -1, fmt.Errorf("output %s: %w", t.Path, err)
	}
	if t.Note != "" {
		if _, err = unix.Write(fd, []byte(t.Note)); err != nil {
			return -1, fmt.Errorf("output %s: %w", t.Path, err)
		}
	}
	return fd, nil
}
