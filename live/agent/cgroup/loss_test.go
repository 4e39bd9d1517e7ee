package cgroup

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// watch starts to watch the processor that tests crowd on, and returns how to
// learn how much of it was lost: taken by the host of this host. Some kernels
// count that; where they do not (an emulated machine does not know that it
// stands still), a thread that comes before all others notices that it wakes
// up late.
func watch(t testing.TB) (lost func() time.Duration) {
	t.Helper()
	cpu := onlyCPU(t)
	stolen := stolenTime(t, cpu)
	quit, late := make(chan struct{}), make(chan time.Duration)
	go func() { late <- lateness(cpu, quit) }()
	return func() time.Duration {
		close(quit)
		return max(stolenTime(t, cpu)-stolen, <-late)
	}
}

// lateness adds up by how much sleeps on a processor are too long; it is zero
// where this process may not come first.
func lateness(cpu int, quit <-chan struct{}) time.Duration {
	const nap, usual = 10 * time.Millisecond, 2 * time.Millisecond
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, only unix.CPUSet
	only.Set(cpu)
	if unix.SchedGetaffinity(0, &before) != nil || unix.SchedSetaffinity(0, &only) != nil {
		return 0
	}
	defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	policy := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if unix.SchedSetAttr(0, &policy, 0) != nil {
		return 0
	}
	policy.Policy, policy.Priority = unix.SCHED_NORMAL, 0
	defer func() { _ = unix.SchedSetAttr(0, &policy, 0) }()
	ts := unix.NsecToTimespec(int64(nap))
	sum := time.Duration(0)
	for {
		select {
		case <-quit:
			return sum
		default:
		}
		began := time.Now()
		_ = unix.Nanosleep(&ts, nil)
		if over := time.Since(began) - nap; over > usual {
			sum += over
		}
	}
}

// stolenTime is what the kernel knows to have been taken from a processor.
func stolenTime(t testing.TB, cpu int) time.Duration {
	t.Helper()
	b, err := os.ReadFile("/proc/stat")
	must(t, err)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 8 && f[0] == fmt.Sprintf("cpu%d", cpu) {
			ticks, err := strconv.Atoi(f[8])
			must(t, err)
			return time.Duration(ticks) * clockTick
		}
	}
	return 0
}
