package exchange

import (
	"reflect"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Orders is all that a node should be doing, in the order of jobs and ranks.
// A node that is not up should be doing nothing.
func (x *agents) Orders(name string) []task.Order { return dispatch.Orders(x.Wants(name)) }

// Wants is Orders for who makes them of it later: it shares nothing that changes.
func (x *agents) Wants(name string) []dispatch.Want {
	index, known := x.nodes.Named(name)
	if !known || !x.nodes.At(index).Up {
		return nil
	}
	n := x.nodes.At(index)
	wants := make([]dispatch.Want, 0, len(n.Tenants()))
	for j := range x.jobs.Together(n.Tenants()) {
		if j.Leaving != nil {
			continue // what was before has to end first
		}
		specs := x.specs(j)
		for rank := range specs {
			r := j.First(rank)
			if r.Node != index || r.Status != nil {
				continue
			}
			var more []dispatch.Slot
			for _, other := range j.Others(rank) {
				more = append(more, other.Slot)
			}
			want := dispatch.Wanted(&specs[rank], j.StopOf(r), n.Speed, r.Slot, more...)
			want.MostUS = x.most(j, rank, n)
			wants = append(wants, want)
		}
	}
	return x.farewells(index, wants)
}

// specs are what the tasks of a job run. They are worked out once for every
// attempt.
func (x *agents) specs(j *underway.Job) []task.Spec {
	if len(j.Specs) != j.Placed() {
		var nodes []string
		for rank := range j.Placed() {
			nodes = append(nodes, x.nodes.At(j.First(rank).Node).Node)
		}
		j.Specs = dispatch.Tasks(j.Spec(), nodes, j.Request.Array.Lane)
	}
	return j.Specs
}

// Forget lists which of the tasks reported as ended need not be reported again:
// those whose end is written down, those nobody knows, and those that are not the
// named node's, if one is named.
func (x *agents) Forget(node string, tasks []task.Status) []task.Key {
	var keys []task.Key
	for i := range tasks {
		s := &tasks[i]
		if !s.State.Final() {
			continue
		}
		if _, r := x.jobs.Said(s); (r == nil || r.Status != nil || !x.isOn(r, node)) && x.leaver(node, s.Key) == nil {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// NodesUp lists the nodes that should be heard of.
func (x *agents) NodesUp() []string { return x.nodes.Up() }

// Greeted reports whether a node has said just that before, and is up: to hear it
// again changes nothing.
func (x *agents) Greeted(h *task.Hello) (index int, same bool) {
	index, _ = x.nodes.Named(h.Node)
	if !x.nodes.Same(h) || !x.nodes.At(index).Up {
		return 0, false
	}
	was, is := x.nodes.At(index).Hello, *h
	is.Rating, is.Speed, is.MemoryMB, is.DiskMB = was.Rating, was.Speed, was.MemoryMB, was.DiskMB // as when it joins anew
	if !reflect.DeepEqual(was, is) {
		return 0, false
	}
	return index, true
}

// Seat is whose agent speaks for a node: what it said of itself when it joined.
func (x *agents) Seat(name string) (seat string, known bool) {
	index, known := x.nodes.Named(name)
	if !known {
		return "", false
	}
	return x.nodes.At(index).Seat, true
}

// IsDown reports whether a node is known and taken for lost.
func (x *agents) IsDown(name string) bool {
	index, known := x.nodes.Named(name)
	return known && !x.nodes.At(index).Up
}

// News is what of the things agents say is worth a command: the end of a task,
// and progress that differs from what was reckoned. Only what concerns the
// named node counts, if one is named. Nothing changes.
func (x *agents) News(node string, tasks []task.Status) []task.Status {
	var fresh []task.Status
	for i := range tasks {
		j, r := x.jobs.Said(&tasks[i])
		if l := x.leaver(node, tasks[i].Key); l != nil && tasks[i].State.Final() {
			fresh = append(fresh, l.Bounded(&tasks[i]))
			continue
		}
		if r == nil || r.Status != nil || !x.isOn(r, node) {
			continue
		}
		s := x.heard(j, r, &tasks[i])
		if s.State.Final() || x.isNews(j, r, &s) {
			fresh = append(fresh, s)
		}
	}
	return fresh
}

// isNews reports whether a task that goes on is not where it was reckoned to be.
func (x *agents) isNews(j *underway.Job, r *underway.Rank, s *task.Status) bool {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running {
		return false
	}
	reading := meter.Reading{
		Says: s, Had: meter.Work(s, j.Threads(), x.nodes.At(r.Node).Speed), Before: &r.Task, Proc: r.Proc, Reckoned: &stand,
		Watched: x.owed.watched(j), Ending: j.State == trade.Stopping && j.Stop != task.Kill && x.rulesOf(j).Paid(), Shared: x.kind.TimeShared,
	}
	if j.Request.Optional != nil {
		optional := j.OptionalWork()
		reading.Optional = &optional
	}
	return reading.News() || x.atLimit(j, s.Rank, reading.Had) || x.overspends(j, r, reading.Had) || !r.HasBegun() && underway.SaysBegun(s) && x.rulesOf(j).Paid()
}

// heard is what a node says of a task, as far as that can be.
func (x *agents) heard(j *underway.Job, r *underway.Rank, said *task.Status) task.Status {
	s := j.Bounded(said)
	x.recant(j, r, &s)
	x.within(j, &s)
	x.since(j, r, &s)
	return s
}

// Observe notes what an agent said at a time, whether or not it is worth a command:
// for those who look, and to hold the node to it. No snapshot has it. What is
// news has to be asked for before. It returns what of it was of the agent's own tasks.
func (x *agents) Observe(node string, at int64, tasks []task.Status) []task.Status {
	var own []task.Status
	for i := range tasks {
		if j, r := x.jobs.Said(&tasks[i]); r != nil && x.nodes.At(r.Node).Node == node {
			s := x.heard(j, r, &tasks[i])
			r.SeenUS, r.PeakB = max(r.SeenUS, s.CPUUS), max(r.PeakB, s.PeakBytes)
			r.SaidUS, r.HeardUS = max(r.SaidUS, s.CPUUS+s.DeclinedUS), max(r.HeardUS, at)
			own = append(own, tasks[i])
		}
	}
	if index, known := x.nodes.Named(node); known {
		n := x.nodes.At(index)
		n.HeardUS = max(n.HeardUS, at)
	}
	return own
}
