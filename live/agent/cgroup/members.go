package cgroup

import (
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// member is a process of a group that signals keep.
type member struct {
	stat
	handle  int  // a pidfd: its number may be given to another process meanwhile
	adopted bool // whoever adopted it waits for it
	paused  bool // it has been told to stop

	own time.Duration // its processor time when last seen
	// Two looks at /proc are not one instant: a child may be seen after its
	// parent has waited for it, or be missed before. So what does not match is
	// kept for one more look.
	credit    time.Duration // counted of children that are gone, not yet told by the parent
	oldCredit time.Duration // the part of it from the look before
	pending   time.Duration // told by the parent, of nobody known
}

// newMember takes hold of a process; false is one that has ended since. All
// time it has used is still to be counted.
func newMember(s stat) (*member, bool) {
	m := &member{stat: s, handle: -1, paused: s.stopped()}
	m.children = 0
	fd, err := unix.PidfdOpen(s.pid, 0)
	switch {
	case err == nil:
		m.handle = fd
	case noProcess(err):
		return nil, false
	}
	// On kernels before 5.3 the number alone must do.
	if again, err := readStat(s.pid); err != nil || again.start != s.start {
		m.close()
		return nil, false
	}
	return m, true
}

func (m *member) close() {
	if m.handle >= 0 {
		_ = unix.Close(m.handle)
		m.handle = -1
	}
}

// signal sends a signal. That the process has ended is no error.
func (m *member) signal(sig unix.Signal) error {
	var err error
	if m.handle >= 0 {
		err = unix.PidfdSendSignal(m.handle, sig, nil, 0)
	} else {
		err = unix.Kill(m.pid, sig)
	}
	if noProcess(err) {
		return nil
	}
	return err
}

// update takes over what can change in the life of a process.
func (m *member) update(s stat) {
	m.parent, m.pgrp, m.session = s.parent, s.pgrp, s.session
	m.state, m.threads, m.resident = s.state, s.threads, s.resident
	if m.paused && !s.stopped() {
		m.paused = false // somebody else has continued it
	}
}

// refresh drops members that are gone and brings the others up to date.
func (g *signalGroup) refresh(all map[int]stat) {
	for pid, m := range g.members {
		if s, ok := all[pid]; ok && s.start == m.start {
			m.update(s)
			continue
		}
		// Its parent, where that is a member, will tell what it used in
		// the end; what has been counted must not be counted again.
		if parent := g.members[m.parent]; parent != nil {
			parent.credit += m.own + m.children
		}
		g.used += m.pending
		m.close()
		delete(g.members, pid)
	}
}

// account counts the time of children that members have waited for.
func (g *signalGroup) account(all map[int]stat) {
	g.memory = 0
	for pid, m := range g.members {
		g.memory += m.resident
		told := all[pid].children - m.children
		m.children += max(0, told)
		m.deductCredit(&m.pending)
		g.used += m.pending
		m.pending = max(0, told)
		m.deductCredit(&m.pending)
		// A parent that does not care for its children is never told their
		// time. Only what rounding can hold back is kept for longer.
		m.credit -= max(0, m.oldCredit-2*clockTick)
		m.oldCredit = m.credit
	}
	g.peak = max(g.peak, g.memory)
	g.measure()
}

// deductCredit takes what has been counted already off what the parent was told.
func (m *member) deductCredit(told *time.Duration) {
	paid := min(*told, m.credit)
	*told -= paid
	m.credit -= paid
	m.oldCredit = max(0, m.oldCredit-paid)
}

// measure counts what members have used themselves.
func (g *signalGroup) measure() {
	for pid, m := range g.members {
		now, err := cpuClock(pid)
		if err != nil || now < m.own {
			continue
		}
		g.used += now - m.own
		m.own = now
	}
}

// reap buries orphans that fell to this process. Those that were adopted are
// left to whoever started them and wants to know how they ended.
func (g *signalGroup) reap() {
	for pid, m := range g.members {
		if !m.zombie() || m.adopted || m.parent != g.tree.self {
			continue
		}
		var status unix.WaitStatus
		if _, err := unix.Wait4(pid, &status, unix.WNOHANG, nil); err == nil || errors.Is(err, unix.ECHILD) {
			m.close()
			delete(g.members, pid)
		}
	}
}

// living is the number of members that are not zombies.
func (g *signalGroup) living() int {
	n := 0
	for _, m := range g.members {
		if !m.zombie() {
			n++
		}
	}
	return n
}

// threadsOf lists the threads of a process.
func threadsOf(pid int) []int {
	entries, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return nil // ended since
	}
	tids := make([]int, 0, len(entries))
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids
}
