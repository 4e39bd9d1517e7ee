package agent

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// room watches how much a task writes: to its output, and to the disk where it has
// asked for a part of one.
//
// The kernel counts what a process and those it has waited for have written, but not
// how much of that is there; files say how much is there, but not whose it is. A
// task has taken no more than either: so a file that it writes over and over is
// counted once, and what somebody else puts beside its files is not its own.
type room struct {
	spec    task.Spec
	uid     uint32
	limits  roomLimits
	single  []string      // files of the output that are one for all elements
	each    []string      // patterns of those that each element has for itself
	before  map[int]int64 // what was in them that was not the task's, if anything was
	grown   map[int]int64 // what was added, as last seen; an array has more files than are worth a list
	sum     int64         // of what was added
	next    int           // the file to look at first
	opened  map[inode]string
	written int64 // as the kernel counts
	started time.Time
}

// roomLimits are in bytes; 0 is none.
type roomLimits struct{ output, disk int64 }

// inode is a file, whatever it is called.
type inode struct{ dev, number uint64 }

// breach is a limit of its own that a task has come to.
type breach struct {
	Limit task.Limit `json:"limit"`
	Why   string     `json:"why"`
}

// furnish begins to watch what a task writes.
func (r *runner) furnish(rec *record, from time.Time) {
	r.asked = rec.Spec.Memory
	limits := roomLimits{output: max(0, r.agent.config.OutputMB) << 20, disk: rec.Spec.Disk}
	r.room = newRoom(rec.Spec, rec.Account.UID, limits, from.Add(-time.Second)) // the clock of files is a coarse one
}

// newRoom begins to watch a task. Of one that has begun before (an agent was
// started again) what is in files that others write to as well is taken for theirs.
func newRoom(spec task.Spec, uid int, limits roomLimits, now time.Time) *room {
	w := &room{spec: spec, limits: limits, opened: map[inode]string{}, started: now, before: map[int]int64{}, grown: map[int]int64{}}
	if uid >= 0 && uid <= math.MaxUint32 {
		w.uid = market.Uint32(uid)
	}
	for _, pattern := range slices.Compact([]string{spec.Output, spec.Error}) {
		if pattern == "" {
			continue
		}
		if spec.Len() > 0 && task.HasPattern(pattern, 'a') {
			w.each = append(w.each, pattern)
			continue
		}
		path := w.place(pattern, nil)
		if slices.Contains(w.single, path) {
			continue
		}
		if others, _ := appends(pattern, spec, nil); others {
			w.before[len(w.single)] = fileSize(path)
		}
		w.single = append(w.single, path)
	}
	if spec.Attempt == 0 && spec.Size <= 1 {
		return w // the files of its elements are made by the task
	}
	for i := len(w.single); i < w.files(); i++ {
		path, pattern, element := w.file(i)
		if others, _ := appends(pattern, spec, &element); others {
			if has := fileSize(path); has > 0 {
				w.before[i] = has
			}
		}
	}
	return w
}

// place is where a file of the output is.
func (w *room) place(pattern string, element *int) string {
	path := expand(pattern, w.spec.Key, element)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.spec.Dir, path)
	}
	return path
}

// files is how many files the output has.
func (w *room) files() int { return len(w.single) + w.spec.Len()*len(w.each) }

// file is one of them, from 0; and the pattern and the element that it is of, if it
// is of one.
func (w *room) file(i int) (path, pattern string, element int) {
	if i < len(w.single) {
		return w.single[i], "", 0
	}
	i -= len(w.single)
	pattern, element = w.each[i%len(w.each)], w.spec.Element(i/len(w.each))
	return w.place(pattern, &element), pattern, element
}

func fileSize(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// pathsAtOnce bounds how many files of a long array are looked at in one look.
const pathsAtOnce = 256

// check says which limit the task has come to, nil if none. The processes are those
// of its group, and its shepherd, which has buried the others.
func (w *room) check(procs []int, shepherd int) *breach {
	w.written = max(w.written, writtenBy(append([]int{shepherd}, procs...)))
	if most := w.limits.output; most > 0 {
		if has := min(w.output(), w.written); has > most {
			return &breach{task.LimitOutput, fmt.Sprintf("wrote %s to its output, and may write %s", megabytes(has), megabytes(most))}
		}
	}
	if most := w.limits.disk; most > 0 {
		w.noteOpened(procs)
		if w.written > most { // else it cannot have: the files need not be looked at
			if has := min(w.onDisk(), w.written); has > most {
				return &breach{task.LimitDisk, fmt.Sprintf("has %s on disk, and asked for %s", megabytes(has), megabytes(most))}
			}
		}
	}
	return nil
}

// output is how much is in the files of the output.
func (w *room) output() int64 {
	for range min(w.files(), pathsAtOnce) {
		path, _, _ := w.file(w.next)
		if more := max(0, fileSize(path)-w.before[w.next]); more != w.grown[w.next] {
			w.sum += more - w.grown[w.next]
			w.grown[w.next] = more
		}
		w.next = (w.next + 1) % w.files()
	}
	return w.sum
}

// writtenBy is how much processes, and those that they waited for, have written to
// storage, overwritten and deleted or not. Where the kernel does not count, it may
// be anything.
func writtenBy(procs []int) int64 {
	sum := int64(0)
	for i, pid := range procs {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/io")
		if err != nil {
			if i == 0 {
				return math.MaxInt64
			}
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && name == "write_bytes" {
				sum += n
			}
		}
	}
	return sum
}

// noteOpened remembers the files that the task's processes have open for writing,
// wherever they are. What has no name any more is counted while it is open.
func (w *room) noteOpened(procs []int) {
	for _, pid := range procs {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd"
		files, err := os.ReadDir(dir)
		if err != nil {
			continue // it has ended
		}
		for _, file := range files {
			link := dir + "/" + file.Name()
			info, err := os.Lstat(link)
			if err != nil || info.Mode().Perm()&0o200 == 0 { // the link says how it is open
				continue
			}
			var stat unix.Stat_t
			if unix.Stat(link, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
				continue
			}
			path, err := os.Readlink(link)
			if err != nil || strings.HasSuffix(path, " (deleted)") {
				path = link
			}
			w.opened[inode{stat.Dev, stat.Ino}] = path
		}
	}
}

// entriesAtOnce bounds how much of a working directory is looked at.
const entriesAtOnce = 100_000

// onDisk is how much room files take that the task may have written: those it was
// seen to have open, and those of its user that are new in its working directory.
func (w *room) onDisk() int64 {
	sum := int64(0)
	counted := map[inode]bool{}
	count := func(path string, fresh bool) bool {
		var stat unix.Stat_t
		follow := unix.Lstat
		if strings.HasPrefix(path, "/proc/") {
			follow = unix.Stat
		}
		if follow(path, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
			return false
		}
		id := inode{stat.Dev, stat.Ino}
		if fresh && (stat.Uid != w.uid || time.Unix(stat.Ctim.Unix()).Before(w.started)) || counted[id] {
			return true
		}
		counted[id] = true
		sum += stat.Blocks * 512
		return true
	}
	for id, path := range w.opened {
		if !count(path, false) {
			delete(w.opened, id) // it is gone
		}
	}
	entries := 0
	_ = filepath.WalkDir(w.spec.Dir, func(path string, entry fs.DirEntry, err error) error {
		if entries++; err != nil || entries > entriesAtOnce {
			if entries > entriesAtOnce {
				return fs.SkipAll
			}
			return nil
		}
		if entry.Type().IsRegular() {
			count(path, true)
		}
		return nil
	})
	return sum
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20)) }

// watchRoom looks at what the task writes, beside everything else: a file server
// that does not answer holds up nobody but the look.
func (r *runner) watchRoom() {
	if r.room == nil || r.looking || r.group == nil || r.breach != nil || r.phase != tended {
		return
	}
	procs, err := r.group.Procs()
	if err != nil {
		return // the shepherd has ended, or will
	}
	r.looking = true
	go func(w *room, shepherd int) { r.looked <- w.check(procs, shepherd) }(r.room, r.folder.shepherd())
}

// exceeded notes that the task has come to a limit of its own: its end says so.
func (r *runner) exceeded(b *breach) {
	r.looking = false
	if b == nil || r.breach != nil || r.phase != tended {
		return
	}
	r.agent.log.Warn("a task is stopped by its own limit", "task", r.key, "limit", b.Limit, "because", b.Why)
	if err := writeReserved(r.folder.limit()+".room", r.folder.limit(), b); err != nil {
		r.agent.log.Error("limit not written down", "task", r.key, "error", err) // an agent that comes after this one says only that it was killed
	}
	r.breach = b
}

// ownLimit says in the status of a task that has ended which of its own limits
// ended it, if one did.
func (r *runner) ownLimit(s *task.Status) {
	if r.breach == nil && r.folder != "" {
		var b breach
		if readJSON(r.folder.limit(), &b) == nil {
			r.breach = &b
		}
	}
	switch {
	case s.OOM && s.Limit == "":
		s.Limit, s.Error = task.LimitMemory, "used more memory than its limit"
		if r.applied == nil || r.applied.Memory == 0 {
			break
		}
		limit := fmt.Sprintf("%d MB", r.applied.Memory>>20)
		if r.asked > 0 {
			s.Error = "used more memory than it asked for, " + limit
		} else {
			s.Error = fmt.Sprintf("used more memory than its part of the node's, %s: it asked for none (--memory)", limit)
		}
	case r.breach != nil && s.Signal != "":
		s.Limit, s.Error = r.breach.Limit, r.breach.Why
	}
}
