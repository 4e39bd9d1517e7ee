package cgroup

import (
	"os"
	"testing"
	"time"
)

// A group that was too large to be looked at closely, and is no longer, is not excused
// for what its threads waited meanwhile or before: nobody knows when that was.
func TestACrowdHasNoExcuse(t *testing.T) {
	w := waiting{at: 1, sum: time.Second}
	if got := w.skip(2 * time.Second); got != time.Second || w.used != 2*time.Second {
		t.Errorf("waited %v, used %v", got, w.used)
	}
	one, own := holding{processors: 1}, os.Getpid()
	before, err := readTurns(own)
	if err != nil || before.ran == 0 {
		t.Skipf("no figures of the kernel: %v", err)
	}
	if got := w.total([]int{own}, 2*time.Second, one); got != time.Second {
		t.Errorf("waited %v, want what was known before", got)
	}
	if _, known := w.last[own]; !known || w.lost {
		t.Error("from here on it is looked at")
	}
	fresh := waiting{at: 1, sum: time.Second}
	if got := fresh.total([]int{own}, 0, one); got < time.Second {
		t.Errorf("a thread that is new since the last look: %v", got)
	}
}
