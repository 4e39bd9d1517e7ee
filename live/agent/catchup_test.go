package agent

import (
	"testing"
	"time"
)

// An agent that hears of one change after the other is never quite up to date, and
// that is no reason to cut the call short by which it hears of them.
func TestWhoHearsOfChangesIsNotCutShort(t *testing.T) {
	a, err := New(Config{Node: "n", StateDir: "/none", CPUs: []int{0}, Self: "/none"}, newBoard(), newFakeGroups(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	a.again = func() { cut++ }
	for version := range int64(5) {
		a.version = version
		a.catchUp(version + 1)
		a.behind -= 2 * behindTime // so much later
	}
	if cut != 0 {
		t.Errorf("cut short %d times while it heard of changes", cut)
	}
	a.catchUp(9)
	if cut != 1 {
		t.Errorf("cut short %d times when it heard of none", cut)
	}
	if a.behind > time.Second {
		t.Errorf("and counts on: %v", a.behind)
	}
}
