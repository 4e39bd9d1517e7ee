package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// v1 is the older interface: every controller has a hierarchy of its own, or
// shares one with others, and a group is a directory in each of them.
type v1 struct {
	mounts map[string]string // by controller
	points []string          // each mount point once, in the order of entering
	absent []string
}

// The order is that in which a process enters: the cpu first, for it is what
// the group is known by, and the freezer last, for in a frozen group the
// process stops right there.
var (
	v1Needed   = []string{"cpu", "cpuacct", "freezer"}
	v1Optional = []string{"cpuset", "memory", "pids"}
	v1Order    = []string{"cpu", "cpuacct", "cpuset", "memory", "pids", "freezer"}
	v1Shares   = []string{"cpu", "cpuacct"}
)

// newV1 leaves out controllers that may not be written to.
func newV1(m Mounts, name string, sharesOnly bool) (*v1, error) {
	l := &v1{mounts: map[string]string{}}
	needed, order := v1Needed, v1Order
	if sharesOnly {
		needed, order = v1Shares, v1Shares
		l.absent = slices.Clone(v1Optional)
	}
	for _, c := range needed {
		if m.V1[c] == "" {
			return nil, fmt.Errorf("controller %s is not mounted: %w", c, ErrMissing)
		}
	}
	for _, c := range order {
		point := m.V1[c]
		optional := slices.Contains(v1Optional, c)
		if point == "" {
			l.absent = append(l.absent, c)
			continue
		}
		if err := makeDirs(path.Join(point, name)); err != nil {
			if optional && notAllowed(err) {
				l.absent = append(l.absent, c)
				continue
			}
			return nil, err
		}
		l.mounts[c] = point
		if !slices.Contains(l.points, point) {
			l.points = append(l.points, point)
		}
	}
	return l, nil
}

func (l *v1) kind() string      { return V1 }
func (l *v1) missing() []string { return slices.Clone(l.absent) }
func (l *v1) threads() string   { return "tasks" }

func (l *v1) dirs(p string) []string {
	dirs := make([]string, len(l.points))
	for i, point := range l.points {
		dirs[i] = path.Join(point, p)
	}
	return dirs
}

func (l *v1) file(controller, p, name string) string {
	return l.mounts[controller] + "/" + p + "/" + name
}

// prepare: a new cpuset has neither processors nor memory, and no process may
// enter it.
func (l *v1) prepare(p string, _ bool) error {
	if l.mounts["cpuset"] == "" {
		return nil
	}
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		have, err := read(l.file("cpuset", p, name))
		if err != nil {
			return err
		}
		if have != "" {
			continue
		}
		if err := l.inherit(p, name); err != nil {
			return err
		}
	}
	return nil
}

func (l *v1) inherit(p, name string) error {
	value, err := read(l.file("cpuset", path.Dir(p), name))
	if err != nil {
		return err
	}
	return write(l.file("cpuset", p, name), value)
}

func (l *v1) quota(p string) (int64, error) {
	q, err := readInt(l.file("cpu", p, "cpu.cfs_quota_us"))
	if err != nil || q < 0 {
		return noQuota, err
	}
	period, err := readInt(l.file("cpu", p, "cpu.cfs_period_us"))
	if err != nil || period <= 0 {
		return noQuota, err
	}
	return q * periodUS / period, nil
}

func (l *v1) setQuota(p string, us int64) error {
	period := l.file("cpu", p, "cpu.cfs_period_us")
	file := l.file("cpu", p, "cpu.cfs_quota_us")
	have, err := readInt(period)
	if err != nil {
		return err
	}
	if have != periodUS {
		// With a quota in force, the kernel could refuse a period that is
		// right together with the new one.
		if err = write(file, "-1"); err != nil {
			return err
		}
		if err = write(period, strconv.Itoa(periodUS)); err != nil {
			return err
		}
	}
	err = write(file, strconv.FormatInt(us, 10))
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("%w: %w", ErrCapacity, err)
	}
	return err
}

const (
	v1Weight      = 1024 // the default
	v1SharesLeast = 2
	v1SharesMost  = 1 << 18
)

func (l *v1) weight(p string) (float64, error) {
	n, err := readInt(l.file("cpu", p, "cpu.shares"))
	return float64(n) / v1Weight, err
}

func (l *v1) setWeight(p string, weight float64) error {
	n := scaled(weight, v1Weight, v1SharesLeast, v1SharesMost)
	return write(l.file("cpu", p, "cpu.shares"), strconv.FormatInt(n, 10))
}

func (l *v1) setMemory(p string, bytes int64) error {
	if l.mounts["memory"] == "" {
		return absent("memory", bytes != 0)
	}
	if bytes == 0 {
		bytes = -1
	}
	return write(l.file("memory", p, "memory.limit_in_bytes"), strconv.FormatInt(bytes, 10))
}

func (l *v1) setPids(p string, most int64) error {
	if l.mounts["pids"] == "" {
		return absent("pids", most != 0)
	}
	return write(l.file("pids", p, "pids.max"), orMax(most))
}

func (l *v1) countPids(p string) int64 {
	if l.mounts["pids"] == "" {
		return 0
	}
	n, _ := readInt(l.file("pids", p, "pids.current")) // 0: the group is gone
	return n
}

func (l *v1) setCPUs(p string, cpus []int) error {
	if l.mounts["cpuset"] == "" {
		return absent("cpuset", cpus != nil)
	}
	if cpus == nil {
		return l.inherit(p, "cpuset.cpus")
	}
	return write(l.file("cpuset", p, "cpuset.cpus"), cpuList(cpus))
}

// absent is the answer of a controller that is not there: fine unless wanted.
func absent(controller string, wanted bool) error {
	if !wanted {
		return nil
	}
	return fmt.Errorf("%s: %w", controller, ErrMissing)
}

func orMax(n int64) string {
	if n == 0 {
		return "max"
	}
	return strconv.FormatInt(n, 10)
}

func (l *v1) freeze(p string, frozen bool) error {
	if l.mounts["freezer"] == "" {
		return absent("freezer", frozen)
	}
	state := "THAWED"
	if frozen {
		state = "FROZEN"
	}
	return write(l.file("freezer", p, "freezer.state"), state)
}

func (l *v1) frozen(p string) (frozen, thawed bool, err error) {
	if l.mounts["freezer"] == "" {
		return false, true, nil
	}
	state, err := read(l.file("freezer", p, "freezer.state"))
	return state == "FROZEN", state == "THAWED", err
}

// kill freezes first, so that nothing forks while the list is read. Signals
// arrive only after the thaw.
func (l *v1) kill(p string, pids func() ([]int, error)) error {
	if l.mounts["freezer"] == "" {
		// What forks on is struck the next time: the caller goes on until
		// nothing is left.
		return errors.Join(killEach(pids), l.setQuota(p, noQuota))
	}
	if err := l.freeze(p, true); err != nil {
		return err
	}
	if err := l.setQuota(p, noQuota); err != nil {
		return err
	}
	const patience = 500 * time.Millisecond
	err := await(patience, func() (bool, error) {
		if err := l.freeze(p, true); err != nil {
			return false, err
		}
		frozen, _, err := l.frozen(p)
		return frozen, err
	})
	if err != nil && !errors.Is(err, errSlow) {
		return err
	}
	err = killEach(pids)
	return errors.Join(err, l.freeze(p, false))
}

func killEach(pids func() ([]int, error)) error {
	list, err := pids()
	if err != nil {
		return err
	}
	for _, pid := range list {
		if err := unix.Kill(pid, unix.SIGKILL); err != nil && !noProcess(err) {
			return fmt.Errorf("process %d: %w", pid, err)
		}
	}
	return nil
}

func (l *v1) measure(p string, u *Usage) error {
	ns, err := readInt(l.file("cpuacct", p, "cpuacct.usage"))
	if err != nil {
		return err
	}
	u.CPU = time.Duration(ns)
	stat, err := readKeys(l.file("cpu", p, "cpu.stat"), "throttled_time")
	if err != nil {
		return err
	}
	u.Throttled = time.Duration(stat[0])
	if l.mounts["memory"] == "" {
		return nil
	}
	if u.Memory, err = readInt(l.file("memory", p, "memory.usage_in_bytes")); err != nil {
		return err
	}
	if u.PeakMemory, err = readInt(l.file("memory", p, "memory.max_usage_in_bytes")); err != nil {
		return err
	}
	oom, err := readKeys(l.file("memory", p, "memory.oom_control"), "oom_kill")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	u.OOMKills = oom[0]
	failed, err := readInt(l.file("memory", p, "memory.failcnt"))
	u.AtLimit = failed > 0
	return err
}
