package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// v2 is the unified interface: one hierarchy, in which every group says which
// controllers its children have.
type v2 struct {
	base string   // the directory that the tree is below
	has  []string // controllers that the groups of the tree have
}

var v2Controllers = []string{"cpu", "cpuset", "memory", "pids"}

// agentLeaf is where the process goes that opens a tree below its own group.
const agentLeaf = "agent"

// newV2 goes below the mount point where that may be written to, else below
// the own group.
func newV2(m Mounts, sharesOnly bool) (*v2, error) {
	l := &v2{base: m.V2}
	if unix.Access(path.Join(l.base, "cgroup.subtree_control"), unix.W_OK) != nil {
		own, err := ownGroup()
		if err != nil {
			return nil, err
		}
		// A restarted agent may have been started in the leaf.
		own = strings.TrimSuffix(own, "/"+agentLeaf)
		l.base = path.Join(m.V2, own)
	}
	offered, err := read(path.Join(l.base, "cgroup.controllers"))
	if err != nil {
		return nil, err
	}
	for _, c := range strings.Fields(offered) {
		if slices.Contains(v2Controllers, c) && (c == "cpu" || !sharesOnly) {
			l.has = append(l.has, c)
		}
	}
	if !slices.Contains(l.has, "cpu") {
		return nil, fmt.Errorf("controller cpu in %s: %w", l.base, ErrMissing)
	}
	// Only the root of all groups has no type, and may have processes beside
	// children with limits. In a container the mount point is an ordinary
	// group, and we are usually in it.
	if exists(path.Join(l.base, "cgroup.type")) {
		if err := l.vacate(); err != nil {
			return nil, err
		}
	}
	return l, l.enable(l.base)
}

// ownGroup is the path of the group of this process.
func ownGroup() (string, error) {
	const file = "/proc/self/cgroup"
	groups, err := read(file)
	if err != nil {
		return "", err
	}
	for line := range strings.SplitSeq(groups, "\n") {
		if own, ok := strings.CutPrefix(line, "0::"); ok {
			return own, nil
		}
	}
	return "", fmt.Errorf("%s names no group of cgroup v2: %w", file, ErrMissing)
}

// vacate moves this process, and no other, out of the group whose children
// are to have limits.
func (l *v2) vacate() error {
	pids, err := readPids(path.Join(l.base, "cgroup.procs"), nil)
	if err != nil || !slices.Contains(pids, os.Getpid()) {
		return err
	}
	leaf := path.Join(l.base, agentLeaf)
	if _, err := makeDir(leaf); err != nil {
		return err
	}
	return write(path.Join(leaf, "cgroup.procs"), "0")
}

// enable gives the children of a group the controllers that it has.
func (l *v2) enable(dir string) error {
	file := path.Join(dir, "cgroup.subtree_control")
	enabled, err := read(file)
	if err != nil {
		return err
	}
	have := strings.Fields(enabled)
	l.has = slices.DeleteFunc(l.has, func(c string) bool {
		if slices.Contains(have, c) {
			return false
		}
		e := write(file, "+"+c)
		if e != nil && c == "cpu" {
			err = e
		}
		return e != nil
	})
	if errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("other processes are in %s, the agent needs a group of its own: %w", dir, err)
	}
	return err
}

func (l *v2) kind() string            { return V2 }
func (l *v2) threads() string         { return "cgroup.threads" }
func (l *v2) dirs(p string) []string  { return []string{path.Join(l.base, p)} }
func (l *v2) file(p, n string) string { return l.base + "/" + p + "/" + n }
func (l *v2) can(c string) bool       { return slices.Contains(l.has, c) }

func (l *v2) missing() []string {
	return slices.DeleteFunc(slices.Clone(v2Controllers), l.can)
}

func (l *v2) prepare(p string, inner bool) error {
	if !inner {
		return nil
	}
	return l.enable(path.Join(l.base, p))
}

func (l *v2) quota(p string) (int64, error) {
	file := l.file(p, "cpu.max")
	s, err := read(file)
	if err != nil {
		return noQuota, err
	}
	q, period, _ := strings.Cut(s, " ")
	if q == "max" {
		return noQuota, nil
	}
	us, err := strconv.ParseInt(q, 10, 64)
	if err != nil {
		return noQuota, fmt.Errorf("%s: %w", file, err)
	}
	per, err := strconv.ParseInt(period, 10, 64)
	if err != nil || per <= 0 {
		return noQuota, fmt.Errorf("%s: cannot read %q", file, s)
	}
	return us * periodUS / per, nil
}

func (l *v2) setQuota(p string, us int64) error {
	value := "max"
	if us != noQuota {
		value = strconv.FormatInt(us, 10)
	}
	return write(l.file(p, "cpu.max"), value+" "+strconv.Itoa(periodUS))
}

const (
	v2Weight      = 100 // the default
	v2WeightLeast = 1
	v2WeightMost  = 10_000
)

func (l *v2) weight(p string) (float64, error) {
	n, err := readInt(l.file(p, "cpu.weight"))
	return float64(n) / v2Weight, err
}

func (l *v2) setWeight(p string, weight float64) error {
	n := scaled(weight, v2Weight, v2WeightLeast, v2WeightMost)
	return write(l.file(p, "cpu.weight"), strconv.FormatInt(n, 10))
}

func (l *v2) setMemory(p string, bytes int64) error {
	if !l.can("memory") {
		return absent("memory", bytes != 0)
	}
	return write(l.file(p, "memory.max"), orMax(bytes))
}

func (l *v2) setPids(p string, most int64) error {
	if !l.can("pids") {
		return absent("pids", most != 0)
	}
	return write(l.file(p, "pids.max"), orMax(most))
}

func (l *v2) countPids(p string) int64 {
	if !l.can("pids") {
		return 0
	}
	n, _ := readInt(l.file(p, "pids.current")) // 0: the group is gone
	return n
}

func (l *v2) setCPUs(p string, cpus []int) error {
	if !l.can("cpuset") {
		return absent("cpuset", cpus != nil)
	}
	file := l.file(p, "cpuset.cpus")
	if cpus != nil {
		return write(file, cpuList(cpus))
	}
	err := write(file, "\n") // as the parent
	if !errors.Is(err, unix.ENOSPC) {
		return err
	}
	// A group with processes in it may not give up its list: seen with Linux
	// 6.1. All that the parent has is the same, until the parent changes.
	all, err := read(l.file(path.Dir(p), "cpuset.cpus.effective"))
	if err != nil {
		return err
	}
	return write(file, all)
}

func (l *v2) freeze(p string, frozen bool) error {
	value := "0"
	if frozen {
		value = "1"
	}
	return write(l.file(p, "cgroup.freeze"), value)
}

func (l *v2) frozen(p string) (frozen, thawed bool, err error) {
	events, err := readKeys(l.file(p, "cgroup.events"), "frozen")
	if err != nil {
		return false, false, err
	}
	return events[0] == 1, events[0] == 0, nil
}

func (l *v2) kill(p string, pids func() ([]int, error)) error {
	err := write(l.file(p, "cgroup.kill"), "1")
	if errors.Is(err, fs.ErrNotExist) { // before Linux 5.14
		if err = l.freeze(p, true); err == nil {
			err = killEach(pids)
		}
	}
	return errors.Join(err, l.setQuota(p, noQuota), l.freeze(p, false))
}

func (l *v2) measure(p string, u *Usage) error {
	stat, err := readKeys(l.file(p, "cpu.stat"), "usage_usec", "throttled_usec")
	if err != nil {
		return err
	}
	u.CPU = time.Duration(stat[0]) * time.Microsecond
	u.Throttled = time.Duration(stat[1]) * time.Microsecond
	if !l.can("memory") {
		return nil
	}
	if u.Memory, err = readInt(l.file(p, "memory.current")); err != nil {
		return err
	}
	u.PeakMemory, err = readInt(l.file(p, "memory.peak"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // before Linux 5.19
		return err
	}
	// What happened in the tree is counted where it happened: "oom" in the group that
	// was full, "oom_kill" in the one whose process was killed.
	oom, err := readKeys(l.file(p, "memory.events"), "oom_kill", "oom")
	if err != nil {
		return err
	}
	u.OOMKills, u.AtLimit = oom[0], oom[1] > 0
	return nil
}
