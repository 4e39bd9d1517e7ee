package cgroup

import (
	"slices"
	"time"
)

const (
	dutyPeriod = periodUS * time.Microsecond
	dutyTick   = 10 * time.Millisecond
	// longestStop is the longest that a group is held back in one go, however
	// far it is in debt: nobody is to be stopped for minutes because this
	// process was.
	longestStop = 5 * time.Second
)

// run keeps the shares until the tree is closed. It sleeps while there is
// nothing to keep.
func (t *signalTree) run() {
	defer close(t.done)
	ticker := time.NewTicker(dutyTick)
	defer ticker.Stop()
	for {
		select {
		case <-t.quit:
			return
		case <-ticker.C:
		}
		t.mu.Lock()
		busy := t.step()
		t.mu.Unlock()
		if busy {
			continue
		}
		ticker.Stop()
		select {
		case <-t.quit:
			return
		case <-t.wake:
		}
		ticker.Reset(dutyTick)
	}
}

// step measures what was used since the last one and stops groups that have
// used what they were given. At the start of a period it looks for new
// processes, divides the capacity, and continues those that have something
// again. Periods go by the clock: on a busy host ticks come late or not at all.
func (t *signalTree) step() (busy bool) {
	now := t.now()
	elapsed := min(now.Sub(t.last), longestStop) // more is a sleep of the loop, or of the host
	t.last = now
	start := now.Sub(t.period) >= dutyPeriod
	if start {
		t.period = t.period.Add(dutyPeriod)
		if now.Sub(t.period) >= dutyPeriod {
			t.period = now
		}
		t.asked = slices.DeleteFunc(t.asked, done)
		// An error here is one of reading /proc: the groups keep the
		// members they have, and the next period tries again.
		_ = t.scan()
		t.plan()
	}
	for _, g := range t.groups {
		busy = busy || len(g.members) > 0
		g.duty(elapsed, start)
	}
	return busy
}

func done(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// plan divides the capacity among the groups that have something to run.
func (t *signalTree) plan() {
	var running []*signalGroup
	var claims []claim
	for _, g := range t.ordered() {
		if !g.set || g.wantFrozen() || g.living() == 0 {
			continue
		}
		running = append(running, g)
		claims = append(claims, g.claim())
	}
	for i, rate := range allot(t.capacity, claims) {
		running[i].rate = rate
		running[i].planned = true
	}
}

// begin gives a group whose first process has come what it may have until the
// next plan.
func (g *signalGroup) begin() {
	if g.planned || !g.set || g.limits.CPU == 0 {
		return
	}
	g.rate = g.limits.CPU
	if c := g.tree.capacity; g.rate < 0 && c >= 0 {
		g.rate = c
	}
	g.planned, g.short = true, true
	g.budget = max(0, g.rate*dutyPeriod.Seconds())
	g.charged = g.used
}

// claim is the group's part in the next plan: one that was held back, or has
// something ready to run, wants all it can get.
func (g *signalGroup) claim() claim {
	c := claim{limit: g.limits.CPU, weight: g.limits.Weight, need: -1}
	used := (g.used - g.reckoned).Seconds() / dutyPeriod.Seconds()
	g.reckoned = g.used
	hungry := !g.planned || g.short || g.throttled || used >= 0.9*g.rate
	g.short = false
	for _, m := range g.members {
		hungry = hungry || m.state == 'R'
	}
	if !hungry {
		c.need = max(0.02, 1.25*used) // room to grow until it is hungry
	}
	return c
}

// duty charges what the group used to what it was given. What is overdrawn is
// carried on, so that the share holds over some periods although it is only
// looked at every tick.
func (g *signalGroup) duty(elapsed time.Duration, start bool) {
	g.measure()
	used := g.used - g.charged
	g.charged = g.used
	if !g.set || !g.planned || g.wantFrozen() {
		return
	}
	if g.living() == 0 {
		g.budget, g.planned, g.throttled = 0, false, false
		return
	}
	if g.throttled {
		g.heldBack += elapsed
	}
	if g.rate < 0 {
		g.budget = 0
		g.throttled = false
	} else {
		g.budget += g.rate*elapsed.Seconds() - used.Seconds()
		g.budget = min(g.budget, 2*g.rate*dutyPeriod.Seconds())
		g.budget = max(g.budget, -g.rate*longestStop.Seconds())
		switch {
		case g.budget <= 0 && !g.throttled:
			g.throttled, g.short = true, true
		case g.budget > 0 && g.throttled && start:
			g.throttled = false
		}
	}
	g.apply()
}
