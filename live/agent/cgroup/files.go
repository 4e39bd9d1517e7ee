package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The kernel's control files are small and read often, so they are opened
// without the bookkeeping that package os adds to a file.

func open(path string, flags int) (int, error) {
	for {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			if err != nil {
				return -1, &fs.PathError{Op: "open", Path: path, Err: err}
			}
			return fd, nil
		}
	}
}

// write gives the kernel one value, in one write: only so does its answer tell
// whether it was taken.
func write(path, value string) error {
	fd, err := open(path, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		_, err = unix.Write(fd, []byte(value))
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("write %q to %s: %w", value, path, err)
	}
	return nil
}

// readInto reads a whole file, into buf where that is large enough.
func readInto(path string, buf []byte) ([]byte, error) {
	fd, err := open(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for {
		if n == len(buf) {
			buf = append(buf, make([]byte, max(4096, len(buf)))...)
		}
		m, err := unix.Read(fd, buf[n:])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case m == 0:
			return buf[:n], nil
		default:
			n += m
		}
	}
}

func read(path string) (string, error) {
	var buf [512]byte
	b, err := readInto(path, buf[:])
	return strings.TrimSpace(string(b)), err
}

// readInt reads a number; "max" is noQuota, as -1 is.
func readInt(path string) (int64, error) {
	s, err := read(path)
	if err != nil {
		return 0, err
	}
	if s == "max" {
		return noQuota, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// readKeys reads lines of "key number" and returns the numbers of those keys;
// a key that is not there is zero.
func readKeys(path string, keys ...string) ([]int64, error) {
	var buf [1024]byte
	b, err := readInto(path, buf[:])
	if err != nil {
		return nil, err
	}
	values := make([]int64, len(keys))
	for line := range bytes.Lines(b) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		for i, k := range keys {
			if k != key {
				continue
			}
			if values[i], err = strconv.ParseInt(value, 10, 64); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, key, err)
			}
		}
	}
	return values, nil
}

// readPids appends the process (or thread) numbers in a file. Zero stands for
// one of another pid namespace and is left out.
func readPids(path string, pids []int) ([]int, error) {
	var buf [4096]byte
	b, err := readInto(path, buf[:])
	if err != nil {
		return pids, err
	}
	for line := range bytes.Lines(b) {
		pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
		if err != nil {
			return pids, fmt.Errorf("%s: %w", path, err)
		}
		if pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func exists(path string) bool {
	return unix.Access(path, unix.F_OK) == nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// makeDir makes a directory that may exist already. In a cgroup a name can be
// taken by a file of the kernel's.
func makeDir(path string) (made bool, err error) {
	err = os.Mkdir(path, 0o755)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist) && isDir(path):
		return false, nil
	case errors.Is(err, fs.ErrExist):
		return false, fmt.Errorf("%w: %s is a file of the kernel", ErrName, path)
	default:
		return false, err
	}
}

// makeDirs makes a directory and those above it. Another tree beside it, when it goes,
// takes empty ones above it along, perhaps between two steps of this one.
func makeDirs(path string) error {
	var err error
	for range 100 {
		if err = os.MkdirAll(path, 0o755); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// subdirs names the directories in a cgroup. Its link count tells at once that
// there are none, which is what nearly always holds.
func subdirs(path string) ([]string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Nlink == 2 {
		return nil, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// within lists a directory and all below it, the deepest last. A job that is
// root can make groups inside its own.
func within(path string) []string {
	all := []string{path}
	for i := 0; i < len(all); i++ {
		names, err := subdirs(all[i])
		if err != nil {
			continue // gone since
		}
		for _, n := range names {
			all = append(all, all[i]+"/"+n)
		}
	}
	return all
}
