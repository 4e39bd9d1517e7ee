package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// alone is Slurm without a market: nodes are had whole, by who came first or, byDeadline, by who is due first.
type alone struct {
	p          *plan
	c          *slurmtest.Cluster
	byDeadline bool
	begun      time.Time
}

// cpuGroups is where groups are that are held to a part of a processor.
const cpuGroups = "/sys/fs/cgroup/cpu"

func (a *alone) hand(ctx context.Context, j *job) (bool, error) {
	group := filepath.Join(cpuGroups, fmt.Sprintf("libra-deadlines-%d-%d", os.Getpid(), j.number))
	if err := os.Mkdir(group, 0o755); err != nil {
		return false, err
	}
	for name, value := range map[string]float64{"cpu.cfs_period_us": 100_000, "cpu.cfs_quota_us": 100_000 * a.p.capacity} {
		if err := os.WriteFile(filepath.Join(group, name), []byte(strconv.Itoa(int(value))), 0); err != nil {
			return false, err
		}
	}
	args := []string{
		"--parsable", "-p", slurmtest.PlainPartition, "-t", strconv.Itoa(int(j.estimate/time.Minute) + 1), "-D", a.c.Dir, "-o", "/dev/null",
		"--wrap", strings.Join(a.p.program(j, group), " "),
	}
	if a.byDeadline {
		due := j.handed.Add(j.within).Sub(a.begun)
		args = append(args, fmt.Sprintf("--priority=%d", 1<<31-due.Milliseconds()))
	}
	out, err := a.c.Run(ctx, "sbatch", args...)
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, out)
	}
	return true, nil
}

// over: nothing stops a job here before it is done.
func (a *alone) over(context.Context, *job) bool { return false }

func (a *alone) check(context.Context, []*job) ([]string, error) { return nil, nil }

// end forgets the groups: their jobs may still be at work.
func (a *alone) end() {
	_, _ = a.c.Run(context.Background(), "scancel", "-u", "root")
	time.Sleep(3 * time.Second)
	made, _ := filepath.Glob(filepath.Join(cpuGroups, fmt.Sprintf("libra-deadlines-%d-*", os.Getpid())))
	for _, group := range made {
		_ = os.Remove(group)
	}
}

// program is what a job runs: what it takes on a node of its own, which has a part of a processor.
func (p *plan) program(j *job, group string) []string {
	own, err := os.Executable()
	if err != nil {
		own = os.Args[0]
	}
	much := time.Duration(float64(j.takes) * p.capacity)
	argv := []string{own, "-burn", much.String(), "-done", j.done}
	if group != "" {
		argv = append(argv, "-group", group)
	}
	return argv
}
