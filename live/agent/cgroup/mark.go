package cgroup

import (
	"bytes"
	"strconv"
	"time"
)

// groupMark is the variable in the environment of a job that names its group:
// a process whose parent has ended can be told by it, and after a restart every
// process can.
const groupMark = "LIBRA_GROUP"

// mark is what stands in the environment of the jobs of a group.
func (t *signalTree) mark(group string) string {
	return groupMark + "=" + t.name + "/" + group
}

// readMark looks for the mark of a process, once in its life. It does so on its own:
// the environment of a process that is just executing another program cannot be
// read until that has been loaded, and while shares are not kept, that may not
// happen for long. After a restart the mark also makes the group.
func (t *signalTree) readMark(s stat, restart bool) {
	if start, ok := t.stranger[s.pid]; ok && start == s.start {
		return
	}
	t.stranger[s.pid] = s.start
	answered := make(chan struct{})
	t.asked = append(t.asked, answered)
	go func() {
		defer close(answered)
		name := t.marked(s.pid)
		if name == "" {
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		g := t.groups[name]
		if g == nil && restart && checkName(name) == nil {
			g = t.newGroup(name)
		}
		if g == nil || t.closed || g.add(s) == nil {
			return
		}
		if restart {
			t.reapers[s.parent] = true // other orphans will fall to it too
		}
		delete(t.stranger, s.pid)
		g.begin()
		g.apply()
		t.rouse()
	}()
}

// recover finds the groups that an earlier process has left.
func (t *signalTree) recover() error {
	const patience = 2 * time.Second
	all, err := allStats()
	if err != nil {
		return err
	}
	t.mu.Lock()
	for pid, s := range all {
		if pid != t.self && !s.zombie() {
			t.readMark(s, true)
		}
	}
	asked := t.asked
	t.asked = nil
	t.mu.Unlock()
	over := time.After(patience)
	for _, answered := range asked {
		select {
		case <-answered:
		case <-over: // who answers later is found later
			return t.rescan()
		}
	}
	return t.rescan()
}

// marked is the group that stands in the environment of a process, if any.
func (t *signalTree) marked(pid int) string {
	var buf [8192]byte
	env, err := readInto("/proc/"+strconv.Itoa(pid)+"/environ", buf[:])
	if err != nil {
		return "" // not ours to look at
	}
	prefix := []byte(t.mark(""))
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if name, ok := bytes.CutPrefix(v, prefix); ok {
			return string(name)
		}
	}
	return ""
}
