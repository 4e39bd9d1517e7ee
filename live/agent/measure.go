package agent

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// measure finds out what the node has to offer.
func measure(c Config, groups Groups) (task.Hello, error) {
	hello := task.Hello{
		Node: c.Node, Processors: len(c.CPUs), Agent: c.Version,
		MemoryMB: c.MemoryMB, DiskMB: c.DiskMB, GPUs: c.GPUs, GPUKind: c.GPUKind, Features: c.Features, Partition: c.Partition, Speed: c.Rating,
		Limits: groups.Kind(), Missing: groups.Missing(), Holds: groups.Kind() != cgroup.Signals,
	}
	whole := 1.0 // of a processor of the host is one of the node
	if c.Control != "" {
		hello.Holds = false // it is slowed down when it has had that, and must not be stopped
		hello.Elements = groups.Kind() == cgroup.V1
		hello.Runs, hello.Missing = c.Control, nil // what else is limited is up to the batch system
		hello.Processors, whole = c.emulated()
	}
	var err error
	if hello.Boot, err = c.Machine.Boot(); err != nil {
		return hello, err
	}
	if hello.User, err = c.Machine.User(); err != nil {
		return hello, err
	}
	if hello.MemoryMB == 0 {
		if hello.MemoryMB, err = offeredMemoryMB(); err != nil {
			return hello, err
		}
	}
	if hello.DiskMB == 0 {
		if hello.DiskMB, err = offeredDiskMB(c.StateDir); err != nil {
			return hello, err
		}
	}
	if hello.Speed == 0 {
		if hello.Speed, err = speedOf(c); err != nil {
			return hello, err
		}
	}
	hello.Rating = hello.Speed * whole * (1 - c.Headroom)
	return hello, nil
}

// emulated is how many processors the batch system takes the node for, and how
// much of one of the host's each of them is: a node may be a part of its host.
func (c Config) emulated() (processors int, each float64) {
	processors, have := len(c.CPUs), float64(len(c.CPUs))
	if c.Processors > 0 {
		processors = c.Processors
	}
	if c.Capacity > 0 {
		have = min(have, c.Capacity)
	}
	return processors, min(1, have/float64(processors))
}

// bootID names this run of the machine.
func bootID() (string, error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("boot of the machine: %w", err)
	}
	return strings.TrimSpace(string(id)), nil
}

// offeredMemoryMB is the memory of the machine without a twentieth of it, and
// at least 256 MB, for the system.
func offeredMemoryMB() (int64, error) {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	defer file.Close() // it was only read
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "MemTotal:" {
			continue
		}
		kb, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/meminfo: %w", err)
		}
		total := kb / 1024
		return max(total-max(total/20, 256), 0), nil
	}
	return 0, errors.Join(errors.New("/proc/meminfo does not tell the memory of the machine"), lines.Err())
}

// roomForProcesses is three quarters of the processes and threads that the machine
// can have: the rest is for whoever has to put it in order.
func roomForProcesses() (int64, error) {
	least := int64(math.MaxInt64)
	for _, name := range []string{"pid_max", "threads-max"} {
		text, err := os.ReadFile("/proc/sys/kernel/" + name)
		if err != nil {
			return 0, fmt.Errorf("processes of the machine: %w", err)
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("processes of the machine: %w", err)
		}
		least = min(least, n)
	}
	return least / 4 * 3, nil
}

// offeredDiskMB is what was free when the node was new. What is free changes all
// the time, and a node that offered something else at every start would be
// another node each time, with all that ran on the one before lost.
func offeredDiskMB(stateDir string) (int64, error) {
	path := filepath.Join(stateDir, "disk.json")
	var before int64
	if err := readJSON(path, &before); err == nil && before >= 0 {
		return before, nil
	}
	free, err := freeDiskMB(stateDir)
	if err != nil {
		return 0, err
	}
	if err = writeReserved(path+".room", path, free); err != nil {
		return 0, fmt.Errorf("remember the disk: %w", err)
	}
	return free, nil
}

func freeDiskMB(path string) (int64, error) {
	var disk unix.Statfs_t
	if err := uninterrupted(func() error { return unix.Statfs(path, &disk) }); err != nil {
		return 0, fmt.Errorf("free disk at %s: %w", path, err)
	}
	return market.Signed(min(disk.Bavail, math.MaxInt64/(1<<20))) * disk.Bsize / (1 << 20), nil
}
