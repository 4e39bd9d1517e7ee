package slurm

import (
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// ofElements makes the end of a lane what its elements came to, where the array ran to its end: what
// one of another lane did is that lane's.
func (r *run) ofElements(s *task.Status, control Control) {
	if !r.array.is || s.State != task.Ended {
		return
	}
	o := r.orders[s.Rank]
	var first *finish
	s.CPUUS = max(s.CPUUS, 0)
	spent := int64(0)
	for k := range o.Spec.Len() {
		e := o.Spec.Element(k)
		f, known := r.array.done[e]
		if known && first == nil && !f.good() {
			first = &f
		}
		if !known || f.Started == 0 {
			continue // it was cancelled before it began: the lane has not done what it was meant to, and that is all
		}
		v := f.verdict(r.Nodes)
		s.Elements = append(s.Elements, task.Element{Index: e, Exit: v.exit, Signal: v.signal, StartedUS: f.Started * 1e6, EndedUS: f.Ended * 1e6})
		spent += max(0, f.Ended-f.Started-f.Paused)
	}
	if control == None {
		s.CPUUS = spent * 1e6 * int64(o.Spec.Processors())
	}
	if r.stop != goesOn || r.end.user {
		return
	}
	v := verdict{}
	if first != nil {
		v = first.verdict(r.Nodes)
	}
	s.Exit, s.Signal, s.OOM, s.Error, s.Limit = v.exit, v.signal, v.oom, v.why, ""
	if v.timed {
		s.Limit = task.LimitTime
	}
}

// had is for how many seconds elements of a lane of an array have run by now: while none does, because
// Slurm begins none, nothing is used.
func (r *run) had(rank int, now int64) (seconds int64) {
	o := r.orders[rank]
	for k := range o.Spec.Len() {
		e := o.Spec.Element(k)
		if f, over := r.array.done[e]; over && f.Started > 0 {
			seconds += max(0, f.Ended-f.Started-f.Paused)
		} else if j, goes := r.array.going[e]; goes {
			seconds += max(0, now-j.Started-j.Paused)
		}
	}
	return seconds
}

// verdict is what the end of an element means, of an array of which something ran. One that Slurm itself
// could not start has not succeeded.
func (f *finish) verdict(nodes []string) verdict {
	v := verdictOf(&client.Job{State: f.State, Exit: f.Exit, Signal: f.Signal, Nodes: nodes})
	if v.state == task.Refused {
		v.signal = "SIGTERM"
	}
	return v
}

// ran reports whether one of its elements has, and was not one that Slurm could not start.
func (a *array) ran() bool {
	for _, f := range a.done {
		if f.Started > 0 && (f.State != client.Failed || f.Exit != 0 || f.Signal != 0) {
			return true
		}
	}
	return false
}

// neverBegun reports whether each element of an array said of itself that it never began.
func (r *run) neverBegun() bool {
	for _, f := range r.array.done {
		if f.State != client.Failed || causeOf(f.Signal) == 0 {
			return false
		}
	}
	return true
}
