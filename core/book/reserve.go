package book

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// A reserved job is in its place like any other, but has not begun: at every
// instant at which somebody looks at the book it is as if it had been taken in
// just then. So its need is always the one it was admitted with, room is kept
// for it, and no policy has to know of reservations.

// Reserve says of a job that has a slot, and no place yet, that it only keeps
// the place it will be given.
func (b *Book) Reserve(s Slot) {
	b.slots.at(s).reserved = true
	b.reserved = append(b.reserved, s)
}

// Reservations counts the jobs that only keep their places.
func (b *Book) Reservations() int { return len(b.reserved) }

// Confirm lets a reserved job begin: from now on it advances, and its deadline
// runs.
func (b *Book) Confirm(s Slot) {
	e := b.slots.at(s)
	b.begin(s, e)
	b.unreserve(s)
	e.Start, e.Terms.Finish = b.now, e.Due()
	e.Speed = 0 // nothing was said of it yet
	b.touchAll(e)
	for t, proc := range b.tasksOf(s) {
		t.Reserved = false
		b.touch(proc, Corrected)
	}
}

func (b *Book) unreserve(s Slot) {
	b.slots.at(s).reserved = false
	b.stir(s)
	b.note(s)
	b.reserved = slices.DeleteFunc(b.reserved, func(r Slot) bool { return r == s })
}

// beginAnew lets all reserved jobs begin at this instant.
func (b *Book) beginAnew() {
	for _, s := range b.reserved {
		b.begin(s, b.slots.at(s))
	}
}

func (b *Book) begin(s Slot, e *Entry) {
	e.Job.Submit, e.Left, e.Since = b.now, e.Job.Estimate, b.now
	b.asked[s] = math.NaN()
	b.refollow(s)
	for t, proc := range b.tasksOf(s) {
		if due := e.Due(); t.Since != b.now || t.Due != due {
			t.Left, t.Since, t.Due = e.Job.Estimate, b.now, due
			b.versions[proc]++
		}
	}
}

// tasksOf yields the independent tasks of a job that still run, with their
// processors.
func (b *Book) tasksOf(s Slot) func(func(*Task, int) bool) {
	return func(yield func(*Task, int) bool) {
		e := b.slots.at(s)
		if e.state != running || !e.independent {
			return
		}
		for proc := range e.Procs.All() {
			if t := b.taskOf(proc, s); t != nil && !yield(t, proc) {
				return
			}
		}
	}
}

// holds is the processors a running job is on: all of its own, but for those
// where its task is done.
func (b *Book) holds(s Slot) market.Procs {
	e := b.slots.at(s)
	if !e.independent {
		return e.Procs
	}
	var procs market.Procs
	for _, proc := range b.tasksOf(s) {
		procs = procs.Add(proc)
	}
	return procs
}
