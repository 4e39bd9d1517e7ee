package cgroup

import (
	"os"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const line = "12 (a b) c) S 3 4 5 0 -1 4194304 9 0 0 0 700 300 20 30 20 0 6 0 987 1000 25 18446744073709551615 1 1 0\n"
	s, ok := parseStat([]byte(line))
	want := stat{
		pid: 12, parent: 3, pgrp: 4, session: 5, state: 'S', threads: 6,
		children: 500 * time.Millisecond, start: 987, resident: 25 * int64(os.Getpagesize()),
	}
	if !ok || s != want {
		t.Errorf("read %+v %v, want %+v", s, ok, want)
	}
	for _, wrong := range []string{"", "12", "12 (a", "x (a) S 1", "12 (a) S 1 2 3", ") ("} {
		if s, ok := parseStat([]byte(wrong)); ok {
			t.Errorf("read %+v from %q", s, wrong)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a b) c) S 3 4 5 0 -1 4194304 9 0 0 0 700 300 20 30 20 0 6 0 987 1000 25 1 1 1 0\n"))
	f.Fuzz(func(_ *testing.T, b []byte) { parseStat(b) })
}

func TestOwnStat(t *testing.T) {
	s, err := readStat(os.Getpid())
	must(t, err)
	if s.pid != os.Getpid() || s.parent != os.Getppid() || s.zombie() || s.resident == 0 {
		t.Errorf("of this process: %+v", s)
	}
	if !alive(os.Getpid()) || alive(4_194_303) {
		t.Error("who is alive?")
	}
}

func TestAZombieWhoseOtherThreadsRunIsNone(t *testing.T) {
	for _, c := range []struct {
		state   byte
		threads int
		want    bool
	}{{'Z', 1, true}, {'Z', 3, false}, {'R', 1, false}, {'X', 0, true}} {
		if got := (stat{state: c.state, threads: c.threads}).zombie(); got != c.want {
			t.Errorf("state %c with %d threads: zombie %v", c.state, c.threads, got)
		}
	}
}

// TestChildrenAreCountedOnce: what a member was seen to use, and what its
// parent is told later, is the same time.
func TestChildrenAreCountedOnce(t *testing.T) {
	const tick = clockTick
	const parentPid, childPid = 4_194_302, 4_194_303 // the last that there can be
	for _, c := range []struct {
		name  string
		seen  time.Duration   // of the child, before it was gone
		told  []time.Duration // to the parent, look by look; the child is gone at the first
		want  time.Duration   // counted beside what was seen
		early bool            // the parent is told a look before the child is gone
	}{
		{name: "all seen", seen: 5 * tick, told: []time.Duration{5 * tick, 5 * tick, 5 * tick}},
		{name: "more at the end", seen: 5 * tick, told: []time.Duration{8 * tick, 8 * tick, 8 * tick}, want: 3 * tick},
		{name: "told late", seen: 5 * tick, told: []time.Duration{0, 6 * tick, 6 * tick, 6 * tick}, want: tick},
		{name: "told early", seen: 5 * tick, told: []time.Duration{6 * tick, 6 * tick, 6 * tick}, want: tick, early: true},
		{name: "never told", seen: 5 * tick, told: []time.Duration{0, 0, 0}},
		{name: "nobody knew it", told: []time.Duration{4 * tick, 4 * tick}, want: 4 * tick},
	} {
		parent := &member{stat: stat{pid: parentPid, start: 1}, handle: -1}
		child := &member{stat: stat{pid: 1 << 28, parent: parentPid, start: 2}, handle: -1, own: c.seen}
		g := &signalGroup{members: map[int]*member{parent.pid: parent, child.pid: child}}
		for i, told := range c.told {
			all := map[int]stat{parent.pid: {pid: parent.pid, start: 1, children: told}}
			if c.early && i == 0 {
				all[child.pid] = child.stat
			}
			g.refresh(all)
			g.account(all)
		}
		if g.used != c.want {
			t.Errorf("%s: counted %v more, want %v", c.name, g.used, c.want)
		}
	}
}
