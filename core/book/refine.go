package book

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// An imprecise job (003) has a mandatory part, which is its estimate, and an
// optional one, which may be cut short. Its tasks advance independently, and each has
// both parts: when the driver says that the first is done, what is left of the
// task is what is left of the second.

// leftAfter is what a task has left of the part it is with when it has had so
// much in all.
func (t *Task) leftAfter(j *market.Job, had market.Work) market.Work {
	if t.Refining {
		return j.Optional - max(0, had-t.Took)
	}
	return j.Estimate - had
}

// refinedAfter is how much of its optional part a task has done that has had so
// much in all.
func (t *Task) refinedAfter(j *market.Job, had market.Work) market.Work {
	if !t.Refining {
		return 0
	}
	return min(max(0, had-t.Took), j.Optional)
}

// Fulfil ends the mandatory part of a job's task on one processor, or of all its
// tasks. What a task was granted beyond that belongs to its optional part
// already.
func (b *Book) Fulfil(s Slot, proc int32, took market.Work) {
	e := b.slots.at(s)
	b.stir(s)
	for t, on := range b.tasksOf(s) {
		if t.Refining || proc != market.AllTasks && int(proc) != on {
			continue
		}
		had := e.Job.Estimate - t.LeftAt(b.now)
		t.Refining, t.Took = true, took
		t.Left, t.Since = t.leftAfter(&e.Job, had), b.now
		b.touch(on, Corrected)
	}
}

// FinishTasks ends all the tasks of a job that still run, each of which has had
// so much.
func (b *Book) FinishTasks(s Slot, had market.Work) {
	for proc := range b.holds(s).All() {
		b.FinishTask(s, proc, had)
	}
}

// Refining reports whether all the tasks of a running job that still run are
// with their optional parts.
func (b *Book) Refining(s Slot) bool {
	some := false
	for t := range b.tasksOf(s) {
		if !t.Refining {
			return false
		}
		some = true
	}
	return some
}

// Refined lists, by number, the running jobs of which an optional part, on some
// processor at least, has had all it was to have at a time.
func (b *Book) Refined(at market.Time) []market.JobID {
	var ids []market.JobID
	at = max(at, b.now)
	if b.tasks == nil {
		return nil
	}
	for _, s := range b.running {
		for t := range b.tasksOf(s) {
			if t.Refining && t.LeftAt(at).Done() {
				ids = append(ids, t.Job)
				break
			}
		}
	}
	slices.Sort(ids)
	return ids
}
