package exchange

import (
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/underway"
)

// within cuts what a node said of a task to the time there was for it, where jobs
// pay by that: since it was placed, and an interval of reports for what took time
// to be heard, its processors cannot have done more than turn. No account pays for
// what cannot have been.
func (x *state) within(j *underway.Job, s *task.Status) {
	r := x.rulesOf(j)
	if !r.Paid() {
		return
	}
	room := max(0, x.now-j.SinceUS()) + beatUS(r)
	s.Cut(room, spread(room, j.Threads()))
	s.EndedUS = min(s.EndedUS, x.now)
}

// since cuts it further to the time there was since the node was last heard, for
// those who hear all that it says: what a task has taken, as was said then, and
// what its processors can have done after that. It is some reports until the market
// has stopped what nobody paid for, and so much is held.
func (x *state) since(j *underway.Job, r *underway.Rank, s *task.Status) {
	by := x.rulesOf(j)
	heard := r.HeardUS
	if heard == 0 {
		if j.SinceUS() <= x.readBack { // what was heard of it before nobody has written down
			return
		}
		heard = x.nodes.At(r.Node).HeardUS
	}
	if heard == 0 || !by.Paid() {
		return
	}
	room := max(0, x.now-max(heard, j.SinceUS())) + bill.Beats*beatUS(by)
	s.Cut(underway.MostUS, min(underway.MostUS, r.SaidUS+spread(room, j.Threads())))
}

// toBegin is the processor time that it may take a node to find out that a program
// cannot begin.
const toBegin = 100_000 // microseconds

// recant is how a task ended of which a node says that it never began, after it had said
// that it used more than that takes: it ran, and failed. A batch system says so itself of
// what its scripts could not begin.
func (x *state) recant(j *underway.Job, r *underway.Rank, s *task.Status) {
	used, programs := r.CPUSeenUS(), int64(1)
	if j.Request.Array != nil {
		programs = int64(j.Request.Array.Len())
	}
	if !s.NeverBegan() || used <= toBegin*programs || !x.rulesOf(j).Paid() || x.nodes.At(r.Node).Runs != "" {
		return
	}
	s.State, s.Exit, s.CPUUS = task.Ended, 126, max(s.CPUUS, used)
}

// beatUS is how often nodes report.
func beatUS(r *rules.Rules) int64 { return int64(r.Reporting) * 1_000_000 / int64(rules.Whole) }

// spread is the processor time of some processors in a time, as far as is counted.
func spread(us int64, processors int) int64 {
	if us > underway.MostUS/int64(processors) {
		return underway.MostUS
	}
	return us * int64(processors)
}
