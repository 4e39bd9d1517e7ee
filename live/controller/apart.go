package controller

import (
	"time"

	"github.com/libra-market/libra/core/task"
)

// apart is by how much a clock of the controller is ahead of one of a node, none of
// which anybody can set: what took least time on its way tells most of it. So it is
// known of what takes long that it did, and how a job ended is not later for that.
type apart struct {
	known bool
	by    time.Duration
	said  time.Duration // when the node last spoke, by its clock
	heard time.Duration // and when that was heard
}

// mostWay is how long the word of an end can be on its way: an agent gives up a call after
// ten seconds. More than that is a clock that stood still.
const mostWay = 15 * time.Second

// drift is by which part one clock may go faster than another.
const drift = 5000

// way is how long something was on its way beyond what that takes at the least, which
// was said at a time of the node and is heard now.
func (a *apart) way(said, now time.Duration) time.Duration {
	least := now - said // if it was not on its way at all
	switch {
	case !a.known:
		a.known, a.by = true, least
	case said <= a.said: // it was overtaken, or is heard again
		return max(0, least-a.by)
	default:
		a.by = min(a.by+(now-a.heard)/drift, least)
		// A node speaks again when it has been heard, or has given up. If its clock stood
		// still meanwhile, as that of a machine that was suspended, that is not the way.
		a.by = max(a.by, a.heard-said)
	}
	a.said, a.heard = said, now
	return max(0, least-a.by)
}

// mostSaid is longer than any machine has run: what is added to less does not overflow.
const mostSaid = 100 * 366 * 24 * time.Hour

// onItsWay is how long a report was on its way, as far as that is known.
func (f *fleet) onItsWay(r *task.Report, now time.Duration) time.Duration {
	if r.SaidUS <= 0 || r.SaidUS > mostSaid.Microseconds() {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.nodes[r.Node]
	if m == nil {
		return 0
	}
	return m.apart.way(time.Duration(r.SaidUS)*time.Microsecond, now)
}

// apartAnew forgets the clock of a node that was started anew.
func (f *fleet) apartAnew(node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.nodes[node]; m != nil {
		m.apart = apart{}
	}
}
