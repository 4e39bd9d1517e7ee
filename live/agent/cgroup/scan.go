package cgroup

import (
	"os"
	"slices"
	"strconv"
	"time"
)

// rescan scans, and waits a little for what marks tell about processes that
// nothing else tells about. The lock must not be held.
func (t *signalTree) rescan() error {
	const rounds, patience = 4, 100 * time.Millisecond
	for range rounds {
		t.mu.Lock()
		err := t.scan()
		asked := t.asked
		t.asked = nil
		t.mu.Unlock()
		if err != nil || len(asked) == 0 {
			return err
		}
		over := time.After(patience)
		for _, answered := range asked {
			select {
			case <-answered:
			case <-over:
				return nil
			}
		}
	}
	return nil
}

// scan looks at all processes of the host: which members are left, what they
// used, and who has joined them.
func (t *signalTree) scan() error {
	all, err := allStats()
	if err != nil {
		return err
	}
	owner := map[int]*signalGroup{}
	for _, g := range t.groups {
		g.refresh(all)
		for pid, m := range g.members {
			owner[pid] = g
			t.lead(g, m.stat)
		}
	}
	t.prune(all, owner)
	var others []stat
	for pid, s := range all {
		if owner[pid] == nil && pid != t.self && !s.zombie() {
			others = append(others, s)
		}
	}
	// Each pass finds the children of those found in the one before.
	for found := true; found; {
		found = false
		others = slices.DeleteFunc(others, func(s stat) bool {
			g := t.belongs(s, owner)
			if g == nil {
				return false
			}
			if g.add(s) != nil {
				owner[s.pid] = g
				found = true
			}
			return true
		})
	}
	for _, s := range others {
		if t.reapers[s.parent] {
			t.readMark(s, false)
		}
	}
	for _, g := range t.groups {
		g.account(all)
		g.reap()
		g.apply()
	}
	return nil
}

// add takes a process in; nil is one that has ended since.
func (g *signalGroup) add(s stat) *member {
	if m := g.members[s.pid]; m != nil {
		return m
	}
	m, ok := newMember(s)
	if !ok {
		return nil
	}
	g.members[s.pid] = m
	g.tree.lead(g, s)
	return m
}

// lead remembers the session and the process group that a member leads:
// whoever is in them later is of the group, even if its parent has ended.
func (t *signalTree) lead(g *signalGroup, s stat) {
	if s.session == s.pid {
		t.sessions[s.pid] = g
	}
	if s.pgrp == s.pid {
		t.pgrps[s.pid] = g
	}
}

// prune forgets what no process refers to any more. The kernel gives the number
// of a session or a process group to no other process while anybody is in it:
// a process of that number that is no member is a new one.
func (t *signalTree) prune(all map[int]stat, owner map[int]*signalGroup) {
	sessions, pgrps := map[int]bool{}, map[int]bool{}
	for _, s := range all {
		sessions[s.session], pgrps[s.pgrp] = true, true
	}
	drop := func(led map[int]*signalGroup, used map[int]bool) {
		for id := range led {
			if _, taken := all[id]; !used[id] || taken && owner[id] == nil {
				delete(led, id)
			}
		}
	}
	drop(t.sessions, sessions)
	drop(t.pgrps, pgrps)
	for pid, start := range t.stranger {
		if s, ok := all[pid]; !ok || s.start != start {
			delete(t.stranger, pid)
		}
	}
}

// belongs tells which group a process is of that has not been seen before.
func (t *signalTree) belongs(s stat, owner map[int]*signalGroup) *signalGroup {
	for _, g := range []*signalGroup{owner[s.parent], t.sessions[s.session], t.pgrps[s.pgrp]} {
		if g != nil {
			return g
		}
	}
	return nil
}

// allStats reads all of /proc.
func allStats() (map[int]stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make(map[int]stat, len(names))
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil {
			all[pid] = s
		}
	}
	return all, nil
}
