package cgroup

import (
	"bytes"
	"fmt"
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

	waited time.Duration
}

// since is the next look at a thread, after one at it before.
//
// The kernel adds to what a thread waited when the wait is over, so that of one that
// waits at the moment of a look (for tens of milliseconds, on a machine with much to
// do) a part would seem not to be wanted, and the part is never made good: what was
// not wanted in one second is not wanted more in the next. But a thread that wants to
// run at two looks and has not gone to sleep between them has waited whenever it did
// not run.
func (l look) since(before look) look {
	l.waited = before.waited + l.delay - before.delay
	if l.ready && before.ready && l.sleeps == before.sleeps {
		l.waited = max(l.waited, before.waited+l.at-before.at-(l.ran-before.ran))
	}
	return l
}

// lookAt looks at a thread. One that has not run since it was seen asleep is not
// asked how it is: most threads sleep.
func lookAt(tid int, before look, known bool) (look, error) {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // it exists on every kernel
	t, err := readTurns(tid)
	if err != nil {
		return look{}, err
	}
	l := look{at: time.Duration(now.Nano()), turns: t, waited: t.delay}
	if !known || before.ready || t.count != before.count {
		l.eager = readEager(tid)
	}
	return l, nil
}

// waiting adds up what threads waited that come and go: the kernel tells it of
// living threads only, so what the others had is remembered.
type waiting struct {
	mu   sync.Mutex
	gone time.Duration
	last map[int]look
}

// total is the sum so far, given the threads that there are now.
func (w *waiting) total(tids []int) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := make(map[int]look, len(tids))
	sum := w.gone
	for _, tid := range tids {
		before, known := w.last[tid]
		l, err := lookAt(tid, before, known)
		if err != nil {
			continue // ended since it was listed
		}
		switch {
		case !known:
		case l.ran < before.ran || l.delay < before.delay: // the number has been given to another thread
			w.gone += before.waited
			sum += before.waited
		default:
			l = l.since(before)
		}
		delete(w.last, tid)
		now[tid] = l
		sum += l.waited
	}
	for _, l := range w.last {
		w.gone += l.waited
		sum += l.waited
	}
	w.last = now
	return sum
}
