package socket

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// trust is whose places are believed: root's, one's own, and those of one more
// user, if one was named.
type trust struct{ self, named int }

func (t trust) in(uid int) bool {
	return uid == 0 || uid == t.self || uid == t.named && t.named != Nobody
}

// place resolves where a socket is and checks that none but trusted users could
// have put something else there. It returns the path without links, whose every
// part was looked at, and the owner of the directory.
func (t trust) place(path string) (clean string, owner int, err error) {
	dir, err := t.follow(filepath.Dir(path))
	if err != nil {
		return "", Nobody, err
	}
	owner, err = t.directories(dir, true)
	return filepath.Join(dir, filepath.Base(path)), owner, err
}

// follow is a directory without links, of which none is a stranger's: who made one
// says where it leads, and may say something else tomorrow.
func (t trust) follow(dir string) (string, error) {
	const most = 40 // as the kernel has it
	clean, rest := "/", filepath.Clean(dir)
	for links := 0; ; {
		first, more, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		if first == "" {
			return clean, nil
		}
		at := filepath.Join(clean, first) // of .. too: there are no links in what is before it
		about, err := os.Lstat(at)
		switch {
		case err != nil:
			return "", err
		case about.Mode().Type() != fs.ModeSymlink:
			clean, rest = at, more
			continue
		case !t.in(ownerOf(about)):
			return "", fmt.Errorf("%s: %w: it is a link of user %d, and not of root or you: remove it", at, ErrStranger, ownerOf(about))
		}
		if links++; links > most {
			return "", fmt.Errorf("%s: %w", dir, syscall.ELOOP)
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			clean = "/"
		}
		rest = to + "/" + more
	}
}

// above looks at where a directory is to be made: nobody else may have a say there but
// in what is his own.
func (t trust) above(dir string) error {
	clean, err := t.follow(dir)
	if err != nil {
		return err
	}
	_, err = t.directories(clean, false)
	return err
}

// directories looks at a directory and all above it. Those that everybody can
// write to are good where they are sticky, as /tmp is: nobody can replace there
// what is another's. One that is to be private, the last, must be writable by its owner
// alone.
func (t trust) directories(last string, private bool) (owner int, err error) {
	owner = Nobody
	for dir := last; ; dir = filepath.Dir(dir) {
		about, err := os.Lstat(dir)
		if err != nil {
			return Nobody, err
		}
		uid := ownerOf(about)
		switch {
		case !about.IsDir():
			return Nobody, fmt.Errorf("%s: %w: it is no directory", dir, ErrStranger)
		case !t.in(uid):
			return Nobody, fmt.Errorf("%s: %w: it belongs to user %d, and not to root or to you", dir, ErrStranger, uid)
		case about.Mode().Perm()&0o022 != 0 && (dir == last && private || about.Mode()&fs.ModeSticky == 0):
			return Nobody, fmt.Errorf("%s: %w: others can write to it (mode %04o): chmod go-w %s", dir, ErrStranger, about.Mode().Perm(), dir)
		}
		if dir == last {
			owner = uid
		}
		if dir == "/" {
			return owner, nil
		}
	}
}

func ownerOf(about fs.FileInfo) int { return int(about.Sys().(*syscall.Stat_t).Uid) } //nolint:forcetypeassert // on Linux it is

// peer is the user number of the process at the other end: of a client when it
// connected, of a server when it began to listen.
func peer(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Nobody, err
	}
	var found *syscall.Ucred
	var asked error
	err = raw.Control(func(fd uintptr) {
		found, asked = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = asked
	}
	if err != nil {
		return Nobody, fmt.Errorf("who is at the other end: %w", err)
	}
	return int(found.Uid), nil
}

// mostPath is how long the path of a socket may be for the kernel.
const mostPath = 107

// openPath is O_PATH, which package syscall does not have: a directory that one may
// enter and not read can be named by it.
const openPath = 0x200000

// short is a path of a socket that the kernel takes, and what to close when it is
// no longer needed.
func short(path string) (string, func(), error) {
	if len(path) <= mostPath {
		return path, func() {}, nil
	}
	dir, err := os.OpenFile(filepath.Dir(path), openPath|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)), func() { _ = dir.Close() }, nil
}
