package cgroup

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestWaitingRemembersThreadsThatEnded(t *testing.T) {
	one := holding{processors: 1}
	w := waiting{at: 1, sum: time.Second, last: map[int]look{4_194_303: {at: 1}}}
	if got := w.total([]int{4_194_303}, 0, one); got != time.Second {
		t.Errorf("waited %v, want 1 s of a thread that is gone", got)
	}
	if got := w.total(nil, 0, one); got != time.Second {
		t.Errorf("waited %v, want still 1 s", got)
	}
	// The number was given to another thread, which has waited less.
	own := os.Getpid()
	w = waiting{at: 1, sum: time.Hour, last: map[int]look{own: {turns: turns{delay: time.Hour}}}}
	if got := w.total([]int{own}, 0, one); got < time.Hour || got > time.Hour+time.Minute {
		t.Errorf("waited %v, want an hour and a little", got)
	}
}

// A thread that waits while somebody looks has waited, though the kernel will say so
// only when that is over; one that slept has not.
func TestAWaitThatIsNotOverCounts(t *testing.T) {
	const ms = time.Millisecond
	before := look{at: 0, turns: turns{ran: 10 * ms, delay: 5 * ms, count: 3}, eager: eager{ready: true, sleeps: 7}}
	now := look{at: 100 * ms, turns: turns{ran: 40 * ms, delay: 25 * ms, count: 6}, eager: eager{ready: true, sleeps: 7}}
	for _, c := range []struct {
		name   string
		change func(before, now *look)
		want   time.Duration // since
	}{
		{"it never slept: it waited whenever it did not run", func(_, _ *look) {}, 70 * ms},
		{"it went to sleep once", func(_, l *look) { l.sleeps++ }, 20 * ms},
		{"it sleeps", func(_, l *look) { l.ready = false }, 20 * ms},
		{"it slept at the look before", func(l, _ *look) { l.ready = false }, 20 * ms},
		{"a wait of before is over, and it has waited no longer than it could", func(_, l *look) { l.delay += 75 * ms }, 70 * ms},
	} {
		b, n := before, now
		c.change(&b, &n)
		if got := n.since(&b).waited; got != c.want {
			t.Errorf("%s: waited %v more, want %v", c.name, got, c.want)
		}
	}
}

// What the kernel says is read right: a thread that spins is ready and does not
// sleep, one that sleeps has done so.
func TestReadEager(t *testing.T) {
	runtime.LockOSThread() // and the thread ends with the test
	tid := unix.Gettid()
	before := readEager(tid)
	if !before.ready {
		t.Errorf("a thread that runs: %+v", before)
	}
	nap := unix.NsecToTimespec(int64(time.Millisecond))
	_ = unix.Nanosleep(&nap, nil)
	if after := readEager(tid); !after.ready || after.sleeps <= before.sleeps {
		t.Errorf("after a nap: %+v, before %+v", after, before)
	}
	if gone := readEager(4_194_303); gone != (eager{}) {
		t.Errorf("no such thread: %+v", gone)
	}
}
