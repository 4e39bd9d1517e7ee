package exchange

import (
	"math"
	"reflect"
	"slices"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Orders is all that a node should be doing, in the order of jobs and ranks.
// A node that is not up should be doing nothing.
func (x *agents) Orders(name string) []task.Order {
	index, known := x.byName[name]
	if !known || !x.nodes[index].Up {
		return nil
	}
	n := x.nodes[index]
	orders := make([]task.Order, 0, len(n.tenants))
	for _, j := range n.tenants {
		for rank := range j.programs() {
			r := j.first(rank)
			if r.Node != index || r.Status != nil {
				continue
			}
			var more []dispatch.Slot
			for _, other := range j.others(rank) {
				more = append(more, other.slot())
			}
			order := dispatch.Order(x.specs(j)[rank], j.stopOf(r), n.Speed, r.slot(), more...)
			order.MostUS = x.most(j, rank, n)
			orders = append(orders, order)
		}
	}
	return orders
}

func (r *rank) slot() dispatch.Slot { return dispatch.Slot{Processor: r.Processor, Speed: r.Speed} }

// specs are what the tasks of a job run. They are worked out once for every
// attempt.
func (x *agents) specs(j *activeJob) []task.Spec {
	if len(j.specs) != j.programs() {
		var nodes []string
		for rank := range j.programs() {
			nodes = append(nodes, x.nodes[j.first(rank).Node].Node)
		}
		j.specs = dispatch.Tasks(j.spec(), nodes, j.Request.Array.Sweep())
	}
	return j.specs
}

// spec is what the tasks of a job have in common.
func (j *activeJob) spec() task.Spec {
	r := &j.Request
	s := task.Spec{
		Key: task.Key{Job: j.ID, Attempt: j.Attempt}, Threads: j.threads(), Name: j.Name, User: j.Owner,
		Argv: r.Argv, Script: []byte(r.Script), Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		Memory: inBytes(r.MemoryMB, j.threads()), Disk: inBytes(r.DiskMB, j.threads()), GraceMS: r.Grace(), Once: r.Once && r.Array == nil,
	}
	if !r.Soft && r.OnOverrun() != trade.OverrunLate {
		s.DueUS = j.DueUS
	}
	if r.Optional != nil {
		s.Optional = &task.Optional{Argv: r.Optional.Argv}
	}
	return s
}

// inBytes is what so many megabytes on each of some processors come to, as far as
// that can be counted: no node has more.
func inBytes(mb int64, processors int) int64 {
	return min(mb, math.MaxInt64>>20/int64(processors)) << 20 * int64(processors)
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
		if _, r := x.find(s.Key); r == nil || r.Status != nil || !x.isOn(r, node) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// NodesUp lists the nodes that should be heard of.
func (x *agents) NodesUp() []string {
	var up []string
	for name, index := range x.byName {
		if x.nodes[index].Up {
			up = append(up, name)
		}
	}
	slices.Sort(up)
	return up
}

// Greeted reports whether a node has said just that before, and is up: to hear it
// again changes nothing.
func (x *agents) Greeted(h *task.Hello) (index int, same bool) {
	index, known := x.byName[h.Node]
	if !known || !x.nodes[index].Up || !sameShape(&x.nodes[index].Hello, h) {
		return 0, false
	}
	was, is := x.nodes[index].Hello, *h
	is.Rating, is.Speed, is.MemoryMB, is.DiskMB = was.Rating, was.Speed, was.MemoryMB, was.DiskMB // as when it joins anew
	if !reflect.DeepEqual(was, is) {
		return 0, false
	}
	return index, true
}

// Seat is whose agent speaks for a node: what it said of itself when it joined.
func (x *agents) Seat(name string) (seat string, known bool) {
	index, known := x.byName[name]
	if !known {
		return "", false
	}
	return x.nodes[index].Hello.Seat, true
}

// IsDown reports whether a node is known and taken for lost.
func (x *agents) IsDown(name string) bool {
	index, known := x.byName[name]
	return known && !x.nodes[index].Up
}

// News is what of the things agents say is worth a command: the end of a task,
// and progress that differs from what was reckoned. Only what concerns the
// named node counts, if one is named. Nothing changes.
func (x *agents) News(node string, tasks []task.Status) []task.Status {
	var fresh []task.Status
	for i := range tasks {
		j, r := x.find(tasks[i].Key)
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
func (x *agents) isNews(j *activeJob, r *rank, s *task.Status) bool {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running {
		return false
	}
	reading := meter.Reading{
		Says: s, Had: meter.Work(s, j.threads(), x.nodes[r.Node].Speed), Before: &r.Task, Proc: r.Proc, Reckoned: &stand,
		Watched: x.owed.watched(j), Ending: j.State == trade.Stopping && j.Stop != task.Kill && x.rulesOf(j).Paid(), Shared: x.kind.TimeShared,
	}
	if j.Request.Optional != nil {
		optional := j.optional()
		reading.Optional = &optional
	}
	return reading.News() || x.atLimit(j, s.Rank, reading.Had) || !r.begun() && saysBegun(s) && x.rulesOf(j).Paid()
}

// heard is what a node says of a task, as far as that can be.
func (x *agents) heard(j *activeJob, r *rank, said *task.Status) task.Status {
	s := j.bounded(said)
	x.within(j, &s)
	x.since(j, r, &s)
	return s
}

// Observe notes what an agent said at a time, whether or not it is worth a command:
// for those who look, and to hold the node to it. No snapshot has it. What is
// news has to be asked for before.
func (x *agents) Observe(node string, at int64, tasks []task.Status) {
	for i := range tasks {
		if j, r := x.find(tasks[i].Key); r != nil && x.nodes[r.Node].Node == node {
			s := x.heard(j, r, &tasks[i])
			r.seenUS = max(r.seenUS, s.CPUUS)
			r.saidUS, r.heardUS = max(r.saidUS, s.CPUUS+s.DeclinedUS), max(r.heardUS, at)
		}
	}
	if index, known := x.byName[node]; known {
		n := x.nodes[index]
		n.heardUS = max(n.heardUS, at)
	}
}
