package system_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// reading is what a job had used at a time.
type reading struct {
	atUS  int64
	usage time.Duration
}

// usageFiles are where the kernel counts what each job uses.
func usageFiles(w *worker, jobs []*wanted) []string {
	root, name := "/sys/fs/cgroup/cpuacct", "cpuacct.usage"
	if groupKind() == cgroup.V2 {
		root, name = "/sys/fs/cgroup", "cpu.stat"
	}
	var files []string
	for _, j := range jobs {
		files = append(files, filepath.Join(root, w.tree(), fmt.Sprintf("%d.0.0", j.job.ID), name))
	}
	return files
}

// usageIn reads such a file: nanoseconds alone (v1), or microseconds under a name
// (v2).
func usageIn(text string) (time.Duration, bool) {
	unit := time.Nanosecond
	if _, rest, named := strings.Cut(text, "usage_usec "); named {
		unit = time.Microsecond
		text, _, _ = strings.Cut(rest, "\n")
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return time.Duration(n) * unit, err == nil
}

// punctually looks fifty times a second, on a thread that comes before all others
// where it may: a busy machine must not keep the readings from being taken. The
// thread ends with its goroutine.
func punctually(ctx context.Context, look func()) {
	runtime.LockOSThread()
	first := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	_ = unix.SchedSetAttr(0, &first, 0) // it comes in its turn, then
	nap := unix.NsecToTimespec((20 * time.Millisecond).Nanoseconds())
	for ctx.Err() == nil {
		look()
		_ = unix.Nanosleep(&nap, nil)
	}
}

// watchUsage reads them many times a second.
func watchUsage(ctx context.Context, files []string, jobs []*wanted) {
	punctually(ctx, func() {
		for i, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // not yet, or no more
			}
			if used, ok := usageIn(string(text)); ok {
				jobs[i].seen = append(jobs[i].seen, reading{time.Now().UnixMicro(), used})
			}
		}
	})
}

// stolen is how long the host of this machine has kept the first processor from
// it.
func stolen() time.Duration {
	const tick = 10 * time.Millisecond // what /proc counts in, everywhere
	text, _ := os.ReadFile("/proc/stat")
	_, rest, _ := strings.Cut(string(text), "cpu0 ")
	if f := strings.Fields(rest); len(f) > 7 {
		n, _ := strconv.ParseInt(f[7], 10, 64)
		return time.Duration(n) * tick
	}
	return 0
}

// given is the part of what the jobs were to get by their quotas, from first to
// last, that the kernel gave them.
func given(jobs []*wanted, capacity float64) float64 {
	got, asked := 0.0, 0.0
	for _, j := range jobs {
		if n := len(j.seen); n > 1 {
			got += (j.seen[n-1].usage - j.seen[0].usage).Seconds()
			asked += capacity * due(j.job.Timeline, j.seen[0].atUS, j.seen[n-1].atUS)
		}
	}
	return got / asked
}

// due is the integral of a share over time, in seconds.
func due(shares []v1.Point, fromUS, toUS int64) float64 {
	sum := 0.0
	for i, p := range shares {
		until := toUS
		if i+1 < len(shares) {
			until = min(toUS, shares[i+1].AtUS)
		}
		if since := max(fromUS, p.AtUS); until > since {
			sum += p.Share * float64(until-since) / 1e6
		}
	}
	return sum
}
