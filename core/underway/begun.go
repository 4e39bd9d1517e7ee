package underway

import (
	"github.com/libra-market/libra/core/task"
)

// That a job was ordered to run is not that it ran: it has begun when a node has said
// so of one of its tasks. What never began owes nothing.

// SaysBegun reports whether a node says, of a task, that its program runs or ran.
func SaysBegun(s *task.Status) bool {
	return !s.NeverBegan() && !lostUnseen(s) && (s.State.Final() || s.StartedUS != 0 || s.CPUUS > 0)
}

// lostUnseen reports whether a task was lost and nothing is said of it that ran: it may
// never have begun, and is taken for what was said of it before.
func lostUnseen(s *task.Status) bool {
	return s.State == task.Lost && s.StartedUS == 0 && s.CPUUS == 0
}

// HasBegun reports whether the program on a processor was said to run.
func (r *Rank) HasBegun() bool {
	if r.Status != nil && !lostUnseen(r.Status) {
		return !r.Status.NeverBegan()
	}
	return r.Begun || r.CPUUS > 0
}

// HasBegun reports whether something of a job was.
func (j *Job) HasBegun() bool {
	for i := range j.Ranks {
		if j.Ranks[i].HasBegun() {
			return true
		}
	}
	return false
}

// NeverBegan is how many of the parts of a job that are on one of its processors
// never began, and how many those are: one, or the elements of a lane.
func (j *Job) NeverBegan(i int) (never, of int) {
	r := &j.Ranks[i]
	of = 1
	if a := j.Request.Array; a != nil { // a lane has every so many-th of them
		lane, lanes := i/j.Threads(), j.Placed()
		of = (a.Len() - lane + lanes - 1) / lanes
		r = j.First(lane)
	}
	if !r.HasBegun() {
		return of, of
	}
	if r.Status != nil {
		for k := range r.Status.Elements {
			if r.Status.Elements[k].Error != "" {
				never++
			}
		}
	}
	return min(never, of), of
}
