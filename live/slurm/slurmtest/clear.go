package slurmtest

import (
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
)

const (
	groupRoot = "/sys/fs/cgroup"
	freezer   = groupRoot + "/freezer"
)

// unified reports whether this host has cgroup v2 and nothing else.
func unified() bool {
	_, err := os.Stat(groupRoot + "/cgroup.controllers")
	return err == nil
}

// clearAway ends what is left of a run and removes what it made on the host: its
// daemons by their mark, its jobs by their groups, then groups, network
// namespaces and the directory.
func clearAway(dir, prefix string) error {
	var left []string
	for range 100 { // what is killed may have left children
		thaw(prefix)
		pids := append(marked(dir), members(prefix)...)
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
		if left = removeGroups(prefix); len(pids) == 0 && len(left) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	var wrong error
	if len(left) > 0 {
		wrong = fmt.Errorf("groups that do not go away: %s", strings.Join(left, " "))
	}
	return errors.Join(wrong, clearSpaces(prefix), os.RemoveAll(dir))
}

// marked lists the live daemons of a run, and their children that Slurm started.
func marked(dir string) []int {
	var found []int
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range entries {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if slices.Contains(strings.Split(string(env), "\x00"), mark+dir) {
			found = append(found, pid)
		}
	}
	return found
}

// groups lists the groups of a run's nodes, a group before what is in it: Slurm's
// own and those that the agent and the plugin make.
func groups(prefix string) []string { return groupsOf(prefix + "[0-9]*") }

// groupsOf lists those of nodes by a pattern of their names.
func groupsOf(nodes string) []string {
	var found []string
	tops, _ := filepath.Glob(groupRoot + "/*/slurm_" + nodes)
	ours, _ := filepath.Glob(groupRoot + "/*/libra/" + nodes)
	for _, top := range append(tops, ours...) {
		_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				found = append(found, path)
			}
			return nil // a group that goes away meanwhile is what we want
		})
	}
	return found
}

func members(prefix string) []int { return processesIn(groups(prefix)) }

func processesIn(groups []string) []int {
	var pids []int
	for _, group := range groups {
		text, _ := os.ReadFile(filepath.Join(group, "cgroup.procs")) // it may be gone
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && pid != os.Getpid() {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func thaw(prefix string) {
	for _, group := range groups(prefix) {
		if strings.HasPrefix(group, freezer+"/") {
			_ = os.WriteFile(filepath.Join(group, "freezer.state"), []byte("THAWED"), 0) // it may be gone
		}
	}
}

func removeGroups(prefix string) (left []string) {
	for _, group := range slices.Backward(groups(prefix)) {
		if err := os.Remove(group); err != nil && !os.IsNotExist(err) {
			left = append(left, group)
		}
	}
	return left
}

// clearSpaces removes the network namespaces of a run, and with them their links.
func clearSpaces(prefix string) error {
	entries, _ := os.ReadDir("/run/netns") // it is not there if there are none
	var wrong error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			wrong = errors.Join(wrong, exec.Command("ip", "netns", "del", entry.Name()).Run())
		}
	}
	return wrong
}
