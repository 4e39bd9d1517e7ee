package book

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Book is the state of one cluster. Only the cluster holds it.
type Book struct {
	processors
	then     processors // scratch: as they will be
	now      market.Time
	cause    Cause
	steady   bool // since the last plan nobody has left, started, or been indexed unseen
	slots    entries
	freeSlot Slot
	vacated  []Slot // free from the next step on: events of this one point to them
	register register
	queue    queue
	running  []Slot
	reserved []Slot // of them, those that only keep their places
	ends     ends
	astray   int      // of those that hold processors alone, how many will end at another time
	tasks    [][]Task // by processor: the tasks that advance independently
	piles    []Pile   // by processor
	touched  []int32  // processors whose tasks changed since the last plan
	isTouch  []Touch  // by processor
	versions []uint32 // by processor: counts the changes of its tasks

	houses houses
	guests int       // residents without a deadline
	asked  []float64 // by slot: the demand of a job when it was last given a speed; NaN: to be worked out
	pace   *pace     // nil: nobody has asked
	watch  *watch    // the same

	changes changes
}

// New opens the book of a cluster.
func New(nodes market.Nodes) *Book {
	b := &Book{processors: newProcessors(nodes), now: -market.Never, freeSlot: NoSlot}
	b.queue = newQueue(len(b.nodeOf))
	b.isTouch = make([]Touch, len(b.nodeOf))
	b.versions = make([]uint32, len(b.nodeOf))
	b.houses = newHouses(len(b.nodeOf))
	for proc := range b.versions {
		b.versions[proc] = 1 // 0 is what nobody has seen
	}
	return b
}

// View is the window through which policies read.
func (b *Book) View() View { return View{b} }

// Tick moves the book to a later instant.
func (b *Book) Tick(now market.Time) {
	if now < b.now {
		broken(3, fmt.Sprintf("time runs back from %v to %v", b.now, now))
	}
	b.now = now
	for _, s := range b.vacated {
		b.slots.at(s).alongside, b.freeSlot = b.freeSlot, s
	}
	b.vacated = b.vacated[:0]
	if len(b.reserved) > 0 {
		b.beginAnew()
	}
}

// ReadAt lets somebody read the book as of a time, and changes nothing.
func (b *Book) ReadAt(at market.Time, read func(View)) {
	now := b.now
	b.now = max(now, at)
	b.beginAnew()
	read(View{b})
	b.now = now
	b.beginAnew()
}

// Note remembers why the next plan is made.
func (b *Book) Note(c Cause) { b.cause |= c }

// Planned says that a plan has been made: nothing has changed since.
func (b *Book) Planned() {
	b.cause, b.steady = 0, true
	b.queue.index(&b.slots)
	b.queue.came = b.queue.came[:0]
	for _, proc := range b.touched {
		b.isTouch[proc] = 0
	}
	b.touched = b.touched[:0]
	b.houses.planned()
}

// Find returns the slot of a live job.
func (b *Book) Find(id market.JobID) (Slot, bool) { return b.register.find(id) }

// Entry returns what the book says of the job on a slot.
func (b *Book) Entry(s Slot) *Entry { return b.slots.at(s) }

// Add gives a job a slot. It neither waits nor runs yet.
func (b *Book) Add(j *market.Job) Slot {
	s := b.freeSlot
	if s == NoSlot {
		s = b.slots.add()
		b.asked = append(b.asked, math.NaN())
	} else {
		b.freeSlot = b.slots.at(s).alongside
	}
	e := b.slots.at(s)
	procs, houses := e.Procs[:0], e.houses[:0]
	*e = Entry{} // and filled in where it lies: it is large
	e.Job, e.Start, e.Procs, e.houses, e.choosy, e.plain, e.priced = *j, market.Never, procs, houses, b.choosy(j), plain(j), j.Estimate
	b.register.put(j.ID, s)
	return s
}

// Remove ends a job: it no longer waits or runs, and its slot is free.
func (b *Book) Remove(s Slot) {
	b.Detach(s)
	e := b.slots.at(s)
	if e.reserved {
		b.unreserve(s)
	}
	b.register.remove(e.Job.ID)
	b.vacated = append(b.vacated, s)
}

// Detach takes a job out of the queue or off its processors.
func (b *Book) Detach(s Slot) {
	b.steady = false
	e := b.slots.at(s)
	b.note(s)
	switch e.state {
	case waiting:
		e.state = free
		b.queue.remove(e, s)
	case running:
		b.release(s, e)
		e.state = free
	case free:
	}
}

// Wait puts a job into the queue on its terms.
func (b *Book) Wait(s Slot, t Terms) {
	e := b.slots.at(s)
	e.Terms, e.state = t, waiting
	b.note(s)
	b.queue.add(e, s)
	if len(b.queue.fresh) == mostFresh {
		b.steady = false
		b.queue.index(&b.slots)
	}
}

// Place puts a job on processors beside the jobs already there.
func (b *Book) Place(s Slot, t Terms, procs market.Procs) {
	e := b.slots.at(s)
	if procs.Len() != int(e.Job.Width) {
		broken(4, "a job is placed on another number of processors than it asked for")
	}
	if (e.Job.Threads > 1 || e.Job.Spread) && !b.inWhole(procs, &e.Job) {
		broken(4, "a job is placed on processors that are not of one node for each of its programs")
	}
	if !b.within(procs, &e.Job) {
		broken(4, "a job is placed on a node that it may not be on")
	}
	e.Terms = t
	e.Procs = append(e.Procs[:0], procs...)
	e.alone, e.independent, e.tasks, e.refined = false, t.Independent, e.Job.Width, 0
	b.share(e.Procs, &e.Job)
	b.run(s, e)
	if e.independent {
		b.addTasks(s, e)
	} else {
		b.settle(s, e)
	}
}

// occupy gives a waiting job the idle processors with the lowest numbers, for
// itself.
func (b *Book) occupy(s Slot) {
	b.steady = false
	e := b.slots.at(s)
	e.state = free
	b.queue.remove(e, s)
	if b.anyWillDo(e) {
		e.Procs = b.allocateLowest(int(e.Job.Width), e.Procs[:0])
	} else {
		e.Procs = b.allocateIdle(&e.Job, e.Procs[:0])
	}
	e.alone, e.independent, e.tasks = true, false, 1
	b.run(s, e)
	e.Speed = b.slowest(e.Procs)
	e.endsAt = b.now + market.Time(float64(e.Job.Estimate)/e.Speed)
	b.ends.add(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
}

// anyWillDo reports whether any processors will do for a job, which is not choosy then;
// what it asks for is far away in memory, and not read.
func (b *Book) anyWillDo(e *Entry) bool { return e.plain && !b.aside }

func (b *Book) run(s Slot, e *Entry) {
	e.state = running
	if !e.Start.Finite() && !e.reserved {
		e.Start = b.now
	}
	e.Left, e.Since, e.Speed, e.presumed = e.Job.Estimate, b.now, 0, false
	b.asked[s] = math.NaN()
	e.at = market.Int32(len(b.running))
	b.running = append(b.running, s)
	b.stir(s)
	b.note(s)
}

func (b *Book) release(s Slot, e *Entry) {
	b.stir(s)
	last := b.running[len(b.running)-1]
	b.running[e.at] = last
	b.slots.at(last).at = e.at
	b.running = b.running[:len(b.running)-1]
	switch {
	case e.alone:
		b.ends.remove(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
		if e.astray {
			e.astray = false
			b.astray--
		}
		if b.anyWillDo(e) {
			b.leaveIdle(e.Procs)
		} else {
			b.deallocate(e.Procs, &e.Job)
		}
	case e.independent && e.tasks == 0: // its tasks have left one by one
	case e.independent:
		for proc := range e.Procs.All() {
			if b.removeTask(proc, s) {
				b.unshare(proc, &e.Job)
			}
		}
	default:
		for proc := range e.Procs.All() {
			b.unshare(proc, &e.Job)
		}
		b.leave(s, e)
		b.unfollow(s, e)
	}
}

// Measure sets what a job, or its task on one processor, has really had, which
// may differ from what it was granted; presumed: as long as nobody knows better.
func (b *Book) Measure(s Slot, proc int32, had market.Work, presumed bool) {
	e := b.slots.at(s)
	e.presumed = presumed
	b.stir(s)
	if !e.independent {
		e.Left, e.Since = e.Job.Estimate-had, b.now
		b.heed(e)
		b.asked[s] = math.NaN()
		b.touchAll(e)
		b.refollow(s)
		return
	}
	for on := range e.Procs.All() {
		if proc == market.AllTasks || int(proc) == on {
			b.measureTask(on, s, had)
		}
	}
}

// HeldOn lists the jobs on a node, in the order of their IDs.
func (b *Book) HeldOn(node int) []Slot {
	var held []Slot
	first, n := int(b.first[node]), b.nodes.At(node).Processors
	for _, s := range b.running {
		for proc := first; proc < first+n; proc++ {
			if b.slots.at(s).Procs.Has(proc) {
				held = append(held, s)
				break
			}
		}
	}
	b.sortByID(held)
	return held
}

// SetDown takes a node away, once nobody holds it, or brings it back.
func (b *Book) SetDown(node int, down bool) { b.setDown(node, down) }

// SetClosed lets a node take no new jobs, or take them again. Those on it stay.
func (b *Book) SetClosed(node int, closed bool) {
	var alone market.Procs
	for _, s := range b.HeldOn(node) {
		if e := b.slots.at(s); e.alone {
			for proc := range e.Procs.All() {
				alone = alone.Add(proc)
			}
		}
	}
	b.setClosed(node, closed, alone)
}

// Closed reports whether a node takes no new jobs.
func (b *Book) Closed(node int) bool { return b.shut(market.Int32(node)) }

// broken stops the program: an invariant of the book does not hold, and
// nothing it says can be trusted. The numbers are those of ARCHITECTURE.md.
func broken(invariant int, what string) {
	panic(fmt.Sprintf("libra: invariant %d broken: %s", invariant, what))
}
