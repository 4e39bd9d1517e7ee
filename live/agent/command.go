package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// openScript opens the task's script while this is still the agent's user: the
// state directory may be one that the task's user cannot get to.
func (p *program) openScript() (fd int, err error) {
	if p.Script == "" {
		return -1, nil
	}
	fd, err = openFile(p.Script, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("script: %w", err)
	}
	return fd, nil
}

// name is what the user calls the program.
func (p *program) name() string {
	if p.Script != "" {
		return "the script"
	}
	return p.Argv[0]
}

// command is what to execute. Everything that is open, but for a script that
// cannot be had by its name and the line to the shepherd, is closed then.
func (p *program) command(script int) (path string, argv []string, err error) {
	if err = closeAllOnExec(); err != nil {
		return "", nil, err
	}
	if p.Says {
		if _, err = unix.FcntlInt(saidFD, unix.F_SETFD, 0); err != nil {
			return "", nil, fmt.Errorf("line to the shepherd: %w", err)
		}
	}
	if p.Script == "" {
		path, err = lookPath(p.Argv[0], variable(p.Env, "PATH"))
		return path, p.Argv, err
	}
	path = p.Script
	if unix.Access(path, unix.R_OK|unix.X_OK) != nil {
		// Its user owns the file, and may open it anew through the open one.
		path = fmt.Sprintf("/proc/self/fd/%d", script)
		if _, err = unix.FcntlInt(uintptr(script), unix.F_SETFD, 0); err != nil {
			return "", nil, fmt.Errorf("script: %w", err)
		}
	}
	var head [2]byte
	if err = uninterrupted(func() (err error) { _, err = unix.Pread(script, head[:], 0); return }); err != nil {
		return "", nil, fmt.Errorf("script: %w", err)
	}
	argv = append([]string{path}, p.Argv...)
	if string(head[:]) == "#!" {
		return path, argv, nil
	}
	return "/bin/sh", append([]string{"/bin/sh"}, argv...), nil
}

// lookPath finds a program as a shell does: a name with a slash is a path, another
// one is looked for in the directories of the task's own PATH.
func lookPath(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	reason := error(unix.ENOENT)
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		file := filepath.Join(dir, name)
		if !strings.Contains(file, "/") {
			file = "./" + file
		}
		stat, err := os.Stat(file)
		if err != nil || stat.IsDir() {
			continue
		}
		if err = unix.Access(file, unix.X_OK); err == nil {
			return file, nil
		}
		reason = err
	}
	if errors.Is(reason, unix.ENOENT) {
		return "", troubled(codeNotFound, "no such program: %s (looked for in %s)", name, path)
	}
	return "", troubled(codeNotStarted, "program %s: %v", name, reason)
}

// noDirectory says why a task cannot be where it is to run.
func noDirectory(dir string, err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return troubled(codeNotStarted, "no such directory: %s", dir)
	}
	return troubled(codeNotStarted, "directory %s: %v", dir, cause(err))
}

// cause is what the kernel said: names are said before.
func cause(err error) error {
	var number unix.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// execute replaces this process, or says why not, by the name its user knows. A file that was written a moment ago may still
// be open in a process about to become another program.
func execute(name, path string, argv, env []string) error {
	const wait, tries = 10 * time.Millisecond, 100
	err := unix.Exec(path, argv, env)
	for n := 0; n < tries && errors.Is(err, unix.ETXTBSY); n++ {
		time.Sleep(wait)
		err = unix.Exec(path, argv, env)
	}
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) {
		return troubled(codeNotStarted, "program %s: %v", name, err)
	}
	if _, absent := os.Stat(path); absent != nil {
		return troubled(codeNotFound, "no such program: %s", name)
	}
	return troubled(codeNotFound, "no such program: the interpreter that %s names", name)
}
