package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// connect opens the files of the program, with the user's rights: the user
// cannot aim them where the user could not write.
func (p *program) connect() error {
	null, err := openFile(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
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
	fd, err := openFile(t.Path, flags, 0o644)
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
	if planted(t.Path, &stat) {
		return -1, fmt.Errorf("output %s: it is another user's file, in a directory that everybody may write to", t.Path)
	}
	if !t.Append && stat.Mode&unix.S_IFMT == unix.S_IFREG {
		if err = uninterrupted(func() error { return unix.Ftruncate(fd, 0) }); err != nil {
			return -1, fmt.Errorf("output %s: %w", t.Path, err)
		}
	}
	if err = unix.SetNonblock(fd, false); err != nil {
		return -1, fmt.Errorf("output %s: %w", t.Path, err)
	}
	if t.Note != "" {
		if err = uninterrupted(func() (err error) { _, err = unix.Write(fd, []byte(t.Note)); return }); err != nil {
			return -1, fmt.Errorf("output %s: %w", t.Path, err)
		}
	}
	return fd, nil
}

// planted reports whether a file may lie there to be written to by whoever comes: the
// kernel can see to that by itself (fs.protected_regular), and often does not.
func planted(path string, file *unix.Stat_t) bool {
	if file.Mode&unix.S_IFMT != unix.S_IFREG || file.Uid == 0 || int(file.Uid) == os.Geteuid() {
		return false
	}
	var dir unix.Stat_t
	err := unix.Stat(filepath.Dir(path), &dir)
	return err != nil || dir.Mode&unix.S_ISVTX != 0 && dir.Mode&0o022 != 0
}
