package book

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// JobStatus is what the book says of one live job at a time.
type JobStatus struct {
	Running     bool // else it waits
	Reserved    bool // it holds its processors and has not begun
	BestEffort  bool // what was promised to it is void
	Alone       bool // nobody else is on its processors
	Independent bool // its tasks advance independently
	Refining    bool // all its tasks are with their optional parts

	Estimate market.Work
	Left     market.Work // on each processor; below zero: so much over; the most of tasks that advance independently, of the optional part if Refining
	Speed    float64     // work per second; the least of tasks that advance independently
	Start    market.Time
	Due      market.Time
	Terms    Terms
	Procs    market.Procs // all it was given
	Tasks    []TaskStatus // those that still run, where they advance independently
	Place    int          // in the queue, from 1; 0: it does not wait
}

// TaskStatus is one task of a job whose tasks advance independently.
type TaskStatus struct {
	Proc     int
	Left     market.Work // of its optional part if Refining
	Speed    float64
	Refining bool        // its mandatory part is done
	Took     market.Work // by that
}

// Live counts the jobs that wait or run.
func (b *Book) Live() int { return b.queue.n + len(b.running) }

// Runs reports whether a job holds processors.
func (b *Book) Runs(s Slot) bool { return b.slots.at(s).state == running }

// IsAlone reports whether a running job holds its processors alone.
func (b *Book) IsAlone(s Slot) bool { return b.slots.at(s).alone }

// Tasks counts the processors that a running job is still on.
func (b *Book) Tasks(s Slot) int { return b.holds(s).Len() }

// Status says how a job stands at a time. Its place in the queue costs a look at
// all who wait.
func (b *Book) Status(s Slot, at market.Time) JobStatus {
	at = max(at, b.now)
	e := b.slots.at(s)
	st := JobStatus{
		Running: e.state == running, Reserved: e.reserved, BestEffort: e.bestEffort,
		Estimate: e.Job.Estimate, Left: e.Job.Estimate, Start: e.Start, Due: e.Due(), Terms: e.Terms,
	}
	if !st.Running {
		st.Place = slices.Index(b.inOrder(), s) + 1
		return st
	}
	st.Alone, st.Independent, st.Procs = e.alone, e.independent, slices.Clone(e.Procs)
	for t, proc := range b.tasksOf(s) {
		st.Tasks = append(st.Tasks, TaskStatus{Proc: proc, Left: t.LeftAt(at), Speed: t.Speed, Refining: t.Refining, Took: t.Took})
	}
	st.Refining = b.Refining(s)
	if e.reserved {
		st.Due = at + e.Job.SLA.Deadline
		st.Terms.Finish = st.Due
		for i := range st.Tasks {
			st.Tasks[i].Left, st.Tasks[i].Speed = e.Job.Estimate, 0
		}
		return st
	}
	st.Left, st.Speed = b.LeftOf(s, at), e.Speed
	for i, t := range st.Tasks {
		if i == 0 || t.Speed < st.Speed {
			st.Speed = t.Speed
		}
	}
	return st
}

// LeftOf is the work left of the estimate of a running job on each processor:
// where its tasks advance independently, the most. Optional parts count when
// there is nothing else.
func (b *Book) LeftOf(s Slot, at market.Time) market.Work {
	e := b.slots.at(s)
	if !e.independent {
		return e.LeftAt(at)
	}
	most, first, refining := market.Work(0), true, b.Refining(s)
	for t := range b.tasksOf(s) {
		if left := t.LeftAt(at); t.Refining == refining && (first || left > most) {
			most, first = left, false
		}
	}
	return most
}
