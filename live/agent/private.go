package agent

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Memory can outlive who took it: as a file in /dev/shm, as a segment of System V's
// or as a queue of messages. Nobody's limit counts it then but that of all tasks
// together, and those who come later have less. So a program has its own of each,
// which end with its last process.

// DefaultPrivate are directories in memory that all users may write to, and in which
// nobody looks for anything after a program's end. Others, such as a /tmp in memory,
// are left to whoever knows what is kept there.
var DefaultPrivate = []string{"/dev/shm", "/run/lock"}

// privacy is what of the machine's memory a program has for itself.
type privacy struct {
	Dirs  []string `json:"dirs,omitempty"`
	Bytes int64    `json:"bytes,omitempty"` // the most in each; 0: as the kernel will
}

// leastPrivate is what fits into a private directory of a task with hardly any memory.
const leastPrivate = 1 << 20

// privacyOf is that of a task with so much memory; 0 is no limit. Half of it is for
// files, as with a machine: then who writes too many is told, and not killed.
func (c Config) privacyOf(memory int64) privacy {
	p := privacy{Dirs: c.Private}
	if memory > 0 {
		p.Bytes = max(memory/2, leastPrivate)
	}
	return p
}

// hide gives the calling thread, and what it becomes, its own. Without the right to
// do that everything is as it was.
func (p privacy) hide() error {
	if len(p.Dirs) == 0 {
		return nil
	}
	err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_NEWIPC)
	if errors.Is(err, unix.EPERM) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("memory of its own: %w", err)
	}
	// What is mounted on the machine later is seen here too, but not the other way.
	if err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	options := "mode=1777"
	if p.Bytes > 0 {
		options += fmt.Sprintf(",size=%d,nr_inodes=%d", p.Bytes, max(1024, p.Bytes>>12)) // empty files take memory too
	}
	for _, dir := range p.Dirs {
		kept, bad := inMemory(dir)
		if bad == nil && kept {
			bad = mount(dir, options)
		}
		if bad != nil {
			return fmt.Errorf("%s of its own: %w", dir, bad)
		}
	}
	return nil
}

func mount(dir, options string) error {
	return unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
}

// inMemory reports whether files in a directory are kept in memory.
func inMemory(dir string) (bool, error) {
	var is unix.Statfs_t
	err := unix.Statfs(dir, &is)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return is.Type == unix.TMPFS_MAGIC || is.Type == unix.RAMFS_MAGIC, err
}
