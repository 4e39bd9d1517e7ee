package book

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Without lets somebody read the book as if a job that shares its processors
// were not in it, and as if there were no processors but those it is on. Then
// everything is as before, to the last bit.
func (b *Book) Without(s Slot, read func(View)) {
	e := b.slots.at(s)
	held := b.holds(s)
	only := newBitset(len(b.nodeOf))
	for proc := range held.All() {
		only.set(proc)
	}
	list, idle, idleN := b.running, b.idle, b.idleN
	b.running = slices.Concat(list[:e.at], list[e.at+1:])
	b.idle, b.idleN = newBitset(len(b.nodeOf)), 0
	tasks := b.lift(s, held)
	for proc := range held.All() {
		b.unshare(proc, &e.Job)
	}

	b.only, e.state = &only, free
	b.note(s)
	read(View{b})
	b.only, e.state = nil, running
	b.note(s)

	b.share(held, &e.Job)
	b.putDown(tasks, held)
	b.running, b.idle, b.idleN = list, idle, idleN
}

// lift takes the tasks of a job off its processors and returns what was there.
func (b *Book) lift(s Slot, held market.Procs) (before [][]Task) {
	if !b.slots.at(s).independent {
		return nil
	}
	for proc := range held.All() {
		before = append(before, b.tasks[proc])
		b.setTasks(proc, slices.DeleteFunc(slices.Clone(b.tasks[proc]), func(t Task) bool { return t.Slot == s }))
	}
	return before
}

// putDown undoes lift.
func (b *Book) putDown(before [][]Task, held market.Procs) {
	if before == nil {
		return
	}
	i := 0
	for proc := range held.All() {
		b.setTasks(proc, before[i])
		i++
	}
}

func (b *Book) setTasks(proc int, tasks []Task) {
	b.tasks[proc] = tasks
	b.versions[proc]++
	b.piles[proc].counted, b.piles[proc].topped = false, false
}

// Prolong gives a running job further work on each processor, and at least the
// given claim. What it has had beyond its estimate so far belongs to the new
// one, so that a measurement finds the same left as is reckoned here.
func (b *Book) Prolong(s Slot, work market.Work, claim market.Share) {
	e, now := b.slots.at(s), b.now
	left := b.LeftOf(s, now)
	b.stir(s)
	b.note(s)
	e.Job.Estimate += work + max(0, -left)
	e.Terms.Claim = max(e.Terms.Claim, claim)
	for t, proc := range b.tasksOf(s) {
		if !t.Refining {
			t.Left, t.Since = max(0, t.LeftAt(now))+work, now
			b.touch(proc, Corrected)
		}
	}
	e.Left, e.Since, e.presumed = max(0, left)+work, now, false
	b.asked[s] = math.NaN()
	b.touchAll(e)
	b.refollow(s)
	if e.alone {
		b.ends.remove(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
		e.endsAt = now + market.Time(float64(e.Left)/e.Speed)
		b.ends.add(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
		b.heed(e)
	}
}

// MakeBestEffort makes void what was promised to a running job. Where it shares its
// processors it is a guest from now on, like a job without a deadline; a job
// that holds them alone keeps them.
func (b *Book) MakeBestEffort(s Slot) {
	e := b.slots.at(s)
	e.bestEffort, e.Terms.Firm = true, false
	b.stir(s)
	b.note(s)
	if e.alone {
		return
	}
	e.Job.SLA.Deadline = market.Never
	e.Terms.Finish, e.Terms.Claim, e.Terms.Worth, e.Terms.Fine = market.Never, 0, 0, 0
	b.asked[s] = math.NaN()
	b.touchAll(e)
	b.refollow(s)
	if e.state == running && !e.independent {
		b.countGuest(e)
	}
	for t, proc := range b.tasksOf(s) {
		t.BestEffort, t.Due = true, market.Never
		t.Worth, t.Rank, t.Fine, t.Return = 0, 0, 0, 0
		b.touch(proc, Corrected)
	}
}
