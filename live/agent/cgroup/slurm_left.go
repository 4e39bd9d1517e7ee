package cgroup

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Sweeper is a group of a job that somebody else ends, who may have missed some of its processes.
type Sweeper interface {
	// Sweep counts what goes on of a job that is over, and ends it if it is to. As long as the batch
	// system looks after the job on this node itself nothing is ended: it is spared.
	Sweep(end bool) (left int, spared bool, err error)
}

// Slurm ends what is in its freezer group of a step, and in no group below that: those belong to the
// job's user, who may make some and put their processes there. So a process that moved itself goes on
// when its job is over, in groups of any controller, frozen perhaps. It is the job's as long as one
// controller still says so; the one of ours says so of all that did not have another group of cpu to go to.

// Sweep ends all of the job's processes once none of Slurm's looks after it. Those of root it leaves
// alone, unless the job is root's. One that its user has put back may be begun once more, under the same
// number and in the same groups, while this goes on: what is of that is spared.
func (g *slurmV1Group) Sweep(end bool) (left int, spared bool, err error) {
	dirs := g.places()
	pids, err := g.leftIn(dirs)
	switch {
	case err != nil:
		return 0, false, err
	case len(pids) == 0:
		if g.swept && !g.tended(dirs) {
			g.tidy(dirs)
		}
		return 0, false, nil
	case !end || g.tended(dirs):
		return len(pids), true, nil
	}
	left, g.swept = len(pids), true
	const most = 64 * time.Millisecond // what is left then, or has forked on, is seen to at the next look
	for pause := time.Millisecond; ; pause *= 2 {
		if err = g.strikeStill(dirs, pids); err != nil {
			return left, false, err
		}
		time.Sleep(pause)
		if pids, err = g.leftIn(dirs); err != nil || len(pids) == 0 || pause >= most || g.tended(dirs) {
			return left, false, err
		}
	}
}

// strikeStill kills what there is while nothing of it moves: who forks and exits all the time has another
// number by the time that one is struck. Signals arrive when all go on.
func (g *slurmV1Group) strikeStill(dirs []string, pids []int) (err error) {
	held := g.hold(dirs)
	defer g.letGo(dirs)
	if held {
		if g.tended(dirs) { // it was begun again this moment
			return nil
		}
		if pids, err = g.leftIn(dirs); err != nil {
			return err
		}
	}
	return g.strike(dirs, pids)
}

// standsStill is how long a job may take to stand still. What waits for a disk does not: the others do.
const standsStill = 500 * time.Millisecond

// hold stops all of the job that is in Slurm's freezer groups, or in those that its user has made below
// them, and reports whether there are such.
func (g *slurmV1Group) hold(dirs []string) (some bool) {
	tops := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !g.tree.freezes(dir) || !strings.HasPrefix(path.Base(dir), "job_") })
	_ = await(standsStill, func() (bool, error) {
		all := true
		for _, dir := range tops {
			state := path.Join(dir, "freezer.state")
			if write(state, "FROZEN") != nil {
				continue // it has gone
			}
			s, err := read(state)
			all = all && (err != nil || s == "FROZEN")
		}
		return all, nil
	})
	return len(tops) > 0
}

// letGo lets it go on, and what its user has stopped there, too: so it ends.
func (g *slurmV1Group) letGo(dirs []string) {
	for _, dir := range dirs {
		if !g.tree.freezes(dir) {
			continue
		}
		if s, err := read(path.Join(dir, "freezer.state")); err == nil && s != "THAWED" {
			_ = write(path.Join(dir, "freezer.state"), "THAWED") // gone, or done again at the next look
		}
	}
}

// freezes reports whether a group is one of the freezer.
func (t *slurmV1) freezes(dir string) bool {
	return t.freezer != "" && strings.HasPrefix(dir, t.freezer+"/")
}

// resume lets jobs go on that an agent was holding when it was killed: Slurm itself stops steps, and no
// jobs.
func (t *slurmV1) resume() {
	for _, top := range t.tops {
		states, err := filepath.Glob(path.Join(top, "uid_*", "job_*", "freezer.self_freezing"))
		if err != nil {
			continue // a bad pattern: the name of a node is none
		}
		for _, self := range states {
			if s, err := read(self); err == nil && s == "1" {
				_ = write(path.Join(path.Dir(self), "freezer.state"), "THAWED") // gone since
			}
		}
	}
}

// places are all groups that the job has anywhere beside ours, the deepest last.
func (g *slurmV1Group) places() []string {
	var all []string
	for _, top := range g.tree.homes() {
		jobs, err := filepath.Glob(path.Join(top, "uid_*", "job_*"))
		if err != nil {
			continue // a bad pattern: the name of a node is none
		}
		for _, dir := range jobs {
			if g.is(strings.TrimPrefix(path.Base(dir), "job_")) {
				all = append(all, within(dir)...)
			}
		}
	}
	return all
}

// is reports whether a number of Slurm's is the job's, or was one of its elements'.
func (g *slurmV1Group) is(job string) bool { return job == g.job || g.ever[job] }

// homes are Slurm's groups on this node, of all controllers. Those without the name of a node are
// another Slurm's where some have it.
func (t *slurmV1) homes() []string {
	var named, others []string
	for _, point := range t.points {
		if top := path.Join(point, "slurm_"+t.node); isDir(top) {
			named = append(named, top)
		}
		others = append(others, path.Join(point, "slurm"))
	}
	if len(named) > 0 {
		return named
	}
	return others
}

// leftIn lists what lives of the job in these groups and in ours, and is its own.
func (g *slurmV1Group) leftIn(dirs []string) ([]int, error) {
	pids, err := g.Procs()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if pids, err = readPids(path.Join(dir, "cgroup.procs"), pids); err != nil && !noGroup(err) {
			return nil, err
		}
	}
	slices.Sort(pids)
	rooted := slices.ContainsFunc(dirs, func(dir string) bool { return strings.Contains(dir, "/uid_0/") })
	return slices.DeleteFunc(slices.Compact(pids), func(pid int) bool {
		return pid == os.Getpid() || !alive(pid) || keeper(pid) || roots(pid) && !rooted
	}), nil
}

// strike kills some of them. A number may be another process's by now: only what is still listed after
// the kernel was asked for a hold on it is meant.
func (g *slurmV1Group) strike(dirs []string, pids []int) error {
	handles := make(map[int]int, len(pids))
	defer func() {
		for _, fd := range handles {
			_ = unix.Close(fd)
		}
	}()
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		switch {
		case err == nil:
			handles[pid] = fd
		case errors.Is(err, unix.ENOSYS): // before 5.3 the number alone must do
			fd = -1
			handles[pid] = fd
		}
	}
	still, err := g.leftIn(dirs)
	if err != nil {
		return err
	}
	for _, pid := range still {
		fd, held := handles[pid]
		switch {
		case !held: // it came between
			continue
		case fd >= 0:
			err = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		default:
			err = unix.Kill(pid, unix.SIGKILL)
		}
		if err != nil && !noProcess(err) {
			return err
		}
	}
	g.letGo(dirs)
	for _, pid := range still {
		if fd, held := handles[pid]; held {
			g.wake(pid, fd)
		}
	}
	return nil
}

// wake takes a process that is to end out of a frozen group that is not its job's, where it would stay:
// to thaw that would wake others.
func (g *slurmV1Group) wake(pid, fd int) {
	freezer := g.tree.freezer
	if freezer == "" {
		return
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil || fd >= 0 && unix.PidfdSendSignal(fd, 0, nil, 0) != nil {
		return // it has ended, and the number may be another's
	}
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(line, ":")
		controllers, at, _ := strings.Cut(strings.TrimSpace(rest), ":")
		if !slices.Contains(strings.Split(controllers, ","), "freezer") || at == "/" {
			continue
		}
		if state, e := read(path.Join(freezer, at, "freezer.state")); e != nil || state != "THAWED" {
			_ = write(path.Join(freezer, "cgroup.procs"), strconv.Itoa(pid)) // it is struck again if that did not help
		}
	}
}

// tended reports whether Slurm itself looks after the job on this node: then it is not over here.
func (g *slurmV1Group) tended(dirs []string) bool {
	for _, dir := range dirs {
		pids, err := readPids(path.Join(dir, "cgroup.procs"), nil)
		if err != nil && !noGroup(err) || slices.ContainsFunc(pids, keeper) {
			return true // nothing is ended on a guess
		}
	}
	all, err := allStats()
	if err != nil {
		return true
	}
	for pid := range all {
		if keeper(pid) && g.keeps(pid) {
			return true
		}
	}
	return false
}

// keeps reports whether one of Slurm's processes is this job's by the name that it gives itself, as
// slurmstepd: [4711.batch]. One that has none yet may be.
func (g *slurmV1Group) keeps(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return false // it has ended
	}
	_, named, found := bytes.Cut(line, []byte("["))
	job, _, _ := strings.Cut(string(named), ".")
	return g.is(job) || !found && !bytes.Contains(line, []byte("infinity")) // that is of no job
}

// tidy takes away the groups that were the job's: Slurm has given up those with others below them.
func (g *slurmV1Group) tidy(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir) // one that is in use stays
	}
}

// roots reports whether a process was started by root. What a user has become root by, as with su,
// is still theirs.
func roots(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false // it has ended
	}
	_, rest, _ := strings.Cut(string(text), "\nUid:")
	fields := strings.Fields(rest)
	return len(fields) > 0 && fields[0] == "0"
}
