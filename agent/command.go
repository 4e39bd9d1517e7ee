package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// command is what to execute.
func (p *program) command() (path string, argv []string, err error) {
	if p.Script == "" {
		path, err = look(p.Argv[0], variable(p.Env, "PATH"))
		return path, p.Argv, err
	}
	script, err := os.Open(p.Script)
	if err != nil {
		return "", nil, fmt.Errorf("script: %w", err)
	}
	head := make([]byte, 2)
	_, err = io.ReadFull(script, head)
	if err = errors.Join(ignoreEnd(err), script.Close()); err != nil {
		return "", nil, fmt.Errorf("script: %w", err)
	}
	argv = append([]string{p.Script}, p.Argv...)
	if string(head) == "#!" {
		return p.Script, argv, nil
	}
	return "/bin/sh", append([]string{"/bin/sh"}, argv...), nil
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// look finds a program as a shell does: a name with a slash is a path, another
// one is looked for in the directories of the task's own PATH.
func look(name, path string) (string, error) {
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
		return "", troubled(codeNotFound, "program %q: not found in %s", name, path)
	}
	return "", troubled(codeNotStarted, "program %q: %v", name, reason)
}

// execute replaces this process. A file that was written a moment ago may still
// be open in a process about to become another program.
func execute(path string, argv, env []string) error {
	const wait, tries = 10 * time.Millisecond, 100
	err := unix.Exec(path, argv, env)
	for n := 0; n < tries && errors.Is(err, unix.ETXTBSY); n++ {
		time.Sleep(wait)
		err = unix.Exec(path, argv, env)
	}
	if errors.Is(err, unix.ENOENT) {
		return troubled(codeNotFound, "program %s: it, or the interpreter that it names, does not exist", path)
	}
	return troubled(codeNotStarted, "program %s: %v", path, err)
}
