package system_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/libra-market/libra/live/agent/cgroup"
)

// clearAway removes all that a run of the tests has made outside of its
// directory, and the mounts in it. Processes that are still there are an error:
// a test that passed has let nothing run on.
func clearAway(dir string) error {
	var left []string
	for range 100 { // what is killed may have left children
		pids := processesOf(dir)
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			left = append(left, describe(pid))
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
		time.Sleep(50 * time.Millisecond)
	}
	err := errors.Join(clearGroups(dir), clearMounts(dir), clearHosts(dir))
	if len(left) > 0 {
		slices.Sort(left)
		err = errors.Join(err, fmt.Errorf("processes were left behind:\n%s", strings.Join(slices.Compact(left), "\n")))
	}
	return err
}

// processesOf lists the processes that belong to a run: by their program, by
// where they are, or by their group.
func processesOf(dir string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		proc := filepath.Join("/proc", entry.Name())
		groups, _ := os.ReadFile(filepath.Join(proc, "cgroup"))
		exe, alive := os.Readlink(filepath.Join(proc, "exe"))
		cwd, _ := os.Readlink(filepath.Join(proc, "cwd"))
		if alive == nil && (under(exe, dir) || under(cwd, dir) || strings.Contains(string(groups), "/"+tag(dir))) {
			found = append(found, pid)
		}
	}
	return found
}

func under(path, dir string) bool { return strings.HasPrefix(path, dir+"/") || path == dir }

func describe(pid int) string { return fmt.Sprintf("  %d: %s", pid, commandLine(pid)) }

func commandLine(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
	return strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " ")
}

// The tests write down, in files of the run's directory, what the guard could
// not know by name.
const madeTrees = "trees"

func writeDown(dir, file, line string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

func writtenDown(dir, file string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, file)) // it is not there if nothing was
	return strings.Fields(string(text))
}

// clearGroups ends what is in the trees of the run and removes them.
func clearGroups(dir string) error {
	var wrong error
	for _, name := range writtenDown(dir, madeTrees) {
		wrong = errors.Join(wrong, clearTree(name))
	}
	return wrong
}

func clearTree(name string) error {
	if os.Geteuid() != 0 || groupKind() == cgroup.Signals {
		return nil
	}
	tree, err := cgroup.Open(name, cgroup.Options{Kind: groupKind()})
	if err != nil {
		return err
	}
	names, err := tree.List()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, n := range names {
		if group, ok := tree.Find(n); ok {
			err = errors.Join(err, group.Kill(ctx))
		}
	}
	return errors.Join(err, tree.Remove(), tree.Close())
}

func clearMounts(dir string) error {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 1 && under(fields[1], dir) {
			err = errors.Join(err, syscall.Unmount(fields[1], syscall.MNT_DETACH))
		}
	}
	return err
}

func clearHosts(dir string) error {
	entries, _ := os.ReadDir("/run/netns") // it is not there if there are none
	var wrong error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), tag(dir)) {
			wrong = errors.Join(wrong, exec.Command("ip", "netns", "del", entry.Name()).Run())
		}
	}
	return wrong
}
