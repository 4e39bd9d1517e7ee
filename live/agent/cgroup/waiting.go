package cgroup

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// turns is what the kernel says of how a thread came by its processor time.
type turns struct {
	ran, delay time.Duration // on a processor; ready to run, until it did
	count      int64         // of the times it was put on one
}

func readTurns(tid int) (turns, error) {
	var buf [96]byte
	path := "/proc/" + strconv.Itoa(tid) + "/schedstat"
	b, err := readInto(path, buf[:])
	if err != nil {
		return turns{}, err
	}
	var n [3]int64
	fields := bytes.Fields(b)
	if len(fields) < len(n) {
		return turns{}, fmt.Errorf("%s: cannot read %q", path, b)
	}
	for i := range n {
		if n[i], err = strconv.ParseInt(string(fields[i]), 10, 64); err != nil {
			return turns{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return turns{ran: time.Duration(n[0]), delay: time.Duration(n[1]), count: n[2]}, nil
}

// eager is whether a thread runs or wants to, and how often it has gone to sleep by
// itself.
type eager struct {
	ready  bool
	sleeps int64
}

func readEager(tid int) eager {
	var buf [4096]byte
	b, err := readInto("/proc/"+strconv.Itoa(tid)+"/status", buf[:])
	if err != nil {
		return eager{} // it has ended
	}
	const slept = "\nvoluntary_ctxt_switches:"
	at := bytes.Index(b, []byte(slept))
	if at < 0 {
		return eager{}
	}
	number, _, _ := bytes.Cut(b[at+len(slept):], []byte{'\n'})
	n, err := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64)
	return eager{ready: err == nil && bytes.Contains(b, []byte("\nState:\tR")), sleeps: n}
}

// look is what was seen of a thread, and what was made of it.
type look struct {
	at time.Duration // by the clock that stands still while the machine sleeps
	turns
	eager

	pinned pinning
}

// wanted is what a thread made of the time between two looks: it ran, or was ready to.
type wanted struct {
	tid         int
	ran, waited time.Duration
}

func (w wanted) all() time.Duration { return w.ran + w.waited }

// since is what a thread wanted since a look before.
//
// The kernel adds to what a thread waited when the wait is over, so that of one that
// waits at the moment of a look (for tens of milliseconds, on a machine with much to
// do) a part would seem not to be wanted, and the part is never made good: what was
// not wanted in one second is not wanted more in the next. But a thread that wants to
// run at two looks and has not gone to sleep between them has waited whenever it did
// not run. Nor has it waited for longer than it was between the looks, though a wait
// that began before the first of them is told with the second.
func (l *look) since(before *look) (w wanted) {
	passed := l.at - before.at
	w.ran, w.waited = l.ran-before.ran, l.delay-before.delay
	if l.ready && before.ready && l.sleeps == before.sleeps {
		w.waited = max(w.waited, passed-w.ran)
	}
	w.waited = max(0, min(w.waited, passed-w.ran))
	return w
}

// monotonic is the clock that stands still while the machine sleeps.
func monotonic() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // it exists on every kernel
	return time.Duration(now.Nano())
}

// lookAt looks at a thread. One that has not run since it was seen asleep is not
// asked how it is: most threads sleep.
func lookAt(tid int, before look, known bool) (look, error) {
	now := monotonic()
	t, err := readTurns(tid)
	if err != nil {
		return look{}, err
	}
	l := look{at: now, turns: t, pinned: before.pinned}
	if !known || before.ready || t.count != before.count {
		l.eager = readEager(tid)
	}
	return l, nil
}

// mostLooked is of how many threads a group may be to be looked at one by one. To look
// at ten thousand takes longer than it takes them to use up what they paid for; a group
// of more has no excuse for what it does not use.
const mostLooked = 256

// waiting adds up what a group of threads that come and go waited for others.
type waiting struct {
	mu   sync.Mutex
	sum  time.Duration
	used time.Duration // by the whole group, at the last look
	at   time.Duration // when that was; 0: there was none
	cpus []int         // that it had then
	last map[int]look
	lost bool // nobody looked at the threads the last time: what they did until now is not known
}

// skip notes what a group has used that nobody looks at closely, and is the sum so far.
func (w *waiting) skip(used time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.used, w.last, w.lost = monotonic(), max(w.used, used), nil, true
	return w.sum
}

// total is the sum so far, given the threads that there are now, what the group has
// used, and what it may have. Of threads that have ended only that is known, what the
// group has used.
func (w *waiting) total(tids []int, used time.Duration, have holding) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := make(map[int]look, len(tids))
	began, passed := monotonic(), time.Duration(0)
	if w.at > 0 {
		passed = began - w.at
	}
	moved := !slices.Equal(w.cpus, have.cpus) // and with it, whoever kept to some of them
	var wants []wanted
	for _, tid := range tids {
		before, known := w.last[tid]
		l, err := lookAt(tid, before, known)
		if err != nil {
			continue // ended since it was listed
		}
		known = known && l.ran >= before.ran && l.delay >= before.delay // else the number has been given to another thread
		if !known || moved {
			l.pinned = pinning{}
		}
		want := wanted{ran: l.ran, waited: l.delay}
		switch {
		case known:
			want = l.since(&before)
		case w.lost:
			want = wanted{}
		}
		want.tid = tid
		if want.all() > 0 {
			wants = append(wants, want)
		}
		now[tid] = l
	}
	w.sum += have.others(wants, max(0, used-w.used), passed, func(tid int) *unix.CPUSet {
		l := now[tid]
		l.pinned.look(tid)
		now[tid] = l
		return &l.pinned.to
	})
	w.at, w.used, w.cpus, w.last = began, max(w.used, used), have.cpus, now
	w.lost = false
	return w.sum
}
