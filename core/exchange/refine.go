package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// A job with an optional part is done with its mandatory part when the agents
// have said so of every task. From then on what was promised is kept; the job
// goes on until it has had all of its optional part or its deadline comes, is
// told to end, and has succeeded.

// fulfilled is what the core must hear of mandatory parts that are done.
func (x *overseer) fulfilled(j *underway.Job) []market.Event {
	if j.Request.Optional == nil || len(j.Ranks) == 0 {
		return nil
	}
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running || !stand.Independent {
		return nil
	}
	var out []market.Event
	all := true
	for i := range j.Ranks {
		r := &j.Ranks[i]
		all = all && r.Refining
		if r.Refining && !r.Known {
			r.Known = true
			if x.rulesOf(j).Held() {
				x.nodes.Mark(r.Node, roster.Tasks) // it may have so much more
			}
			out = append(out, market.Event{Kind: market.Fulfilled, Job: market.JobID(j.ID), Proc: r.Proc, Work: r.Took})
		}
	}
	if all && j.MandatoryUS == 0 {
		j.MandatoryUS, j.Part = x.doneUS(j), task.OptionalPart
		x.floor.changed(j)
	}
	return out
}

// doneUS is when the mandatory part of a job was done by the clocks of its nodes, in the
// bounds of measuredEnd: no earlier than it can have run, no later than it was heard.
func (x *overseer) doneUS(j *underway.Job) int64 {
	if !x.rulesOf(j).Paid() {
		return x.now
	}
	done := int64(0)
	for i := range j.Ranks {
		r := &j.Ranks[i]
		if r.DoneUS == 0 {
			return x.now
		}
		done = max(done, r.DoneUS, j.SinceUS()+r.TookUS/int64(j.Threads()))
	}
	return min(x.now, done)
}

// refinements ends what is optional: the job at its deadline, a task when it has
// had all of it.
func (x *overseer) refinements() error {
	if !x.kind.Imprecise || x.cluster == nil {
		return nil
	}
	for _, j := range x.jobs.InParts() {
		if j.State != trade.Running {
			continue
		}
		if j.MandatoryUS != 0 && !x.timeOf(j.DueUS).After(x.time()) {
			void, firm := j.Void, j.Firm
			if err := x.stop(j, task.Terminate, trade.Completed, "", "ended at its deadline, as agreed"); err != nil {
				return err
			}
			j.Void, j.Firm = void, firm // what was promised is done
			continue
		}
		if err := x.refined(j); err != nil {
			return err
		}
	}
	return nil
}

// refined ends the tasks that have had all of their optional part, if somebody
// has measured that; those that are only reckoned to are taken to be a second
// behind until then.
func (x *overseer) refined(j *underway.Job) error {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running {
		return nil
	}
	const least = 0.02 // what is not worth measuring
	var back []market.Event
	for i := range j.Ranks {
		r := &j.Ranks[i]
		t := meter.TaskOn(&stand, r.Proc)
		if !r.Refining || r.Status != nil || r.Stop != task.GoOn || t == nil || !t.Refining {
			continue
		}
		whole := r.Took + j.OptionalWork()
		_, there := x.near(j, i, r.Had)
		switch {
		case (whole - r.Had).Done(), there:
			r.Stop = task.Terminate
			r.CutAt(j.Request.Optional.WorkMS)
			x.nodes.Mark(r.Node, roster.Tasks)
			x.floor.changed(j)
		case t.Left.Done():
			reckoned := t.Took + j.OptionalWork() // by what the core was told first of the mandatory part
			back = append(back, market.Event{
				Kind: market.Used, Job: market.JobID(j.ID), Proc: r.Proc, Work: max(0, reckoned-market.Work(max(least, t.Speed))),
			})
		}
	}
	if len(back) == 0 {
		return nil
	}
	return x.floor.step(back...)
}

// spent kills the tasks of a job that were told to end, and were measured to have had
// more than all of their optional part since: there is no money to wind up with.
func (x *overseer) spent(j *underway.Job) error {
	if x.jobs.Find(j.ID) != j {
		return nil
	}
	for i := range j.Ranks {
		r := &j.Ranks[i]
		if !x.overspends(j, r, r.Had) {
			continue
		}
		if j.State == trade.Stopping {
			return x.hurry(j)
		}
		r.Stop = task.Kill
		x.nodes.Mark(r.Node, roster.Tasks)
	}
	return nil
}

// overspends reports whether a task that had so much, in all, was told to end and takes
// more than was sold to it. Nodes that hold tasks to that do not let it.
func (x *state) overspends(j *underway.Job, r *underway.Rank, had market.Work) bool {
	return j.Request.Optional != nil && x.rulesOf(j).Paid() && r.Refining && r.Status == nil &&
		j.StopOf(r) == task.Terminate && had > r.Took+j.OptionalWork()
}

// cut notes how much of its optional part each task of a job has done that is
// told to end: what it does to wind up is not paid for, nor what it does after
// its deadline because it was told late. Where jobs pay for what they use, it is
// paid for as what went before, as far as the optional part was sold: a program
// that does not hear that it should end would run for nothing.
func (x *overseer) cut(j *underway.Job) {
	if j.Request.Optional == nil {
		return
	}
	if x.rulesOf(j).Paid() {
		for i := range j.Ranks {
			j.Ranks[i].CutAt(j.Request.Optional.WorkMS)
		}
		return
	}
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running {
		return
	}
	late := max(0, float64(x.time()-x.timeOf(j.DueUS)))
	for i := range j.Ranks {
		r := &j.Ranks[i]
		if r.Cut || r.Status != nil {
			continue
		}
		r.CutAt(0)
		if t := meter.TaskOn(&stand, r.Proc); t != nil && t.Refining {
			done := float64(j.OptionalWork()-t.Left) - late*t.Speed
			r.CutAt(int64(max(0, done)*1e3 + 0.5))
		}
	}
}
