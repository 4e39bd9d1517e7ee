package book

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Book is the state of one cluster. Only the cluster holds it.
type Book struct {
	processors
	now      market.Time
	cause    Cause
	seats    []Entry
	freeSeat Seat
	vacated  []Seat // free from the next step on: events of this one point to them
	register register
	queue    queue
	running  []Seat
	reserved []Seat // of them, those that only keep their places
	ends     ends
	order    order
	tasks    [][]Task // by processor: the tasks that advance independently
	piles    []Pile   // by processor
	touched  []int32  // processors whose tasks changed since the last plan
	isTouch  []Touch  // by processor
	versions []uint32 // by processor: counts the changes of its tasks
	only     *bitset  // the processors that have room at all; nil: every one
}

// New opens the book of a cluster.
func New(nodes []market.Node) *Book {
	b := &Book{processors: newProcessors(nodes), now: -market.Never, freeSeat: NoSeat, order: newOrder()}
	b.queue = newQueue(len(b.nodeOf))
	b.isTouch = make([]Touch, len(b.nodeOf))
	b.versions = make([]uint32, len(b.nodeOf))
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
		b.seats[s].alongside, b.freeSeat = b.freeSeat, s
	}
	b.vacated = b.vacated[:0]
	if len(b.reserved) > 0 {
		b.beginAnew()
	}
}

// Ask lets somebody read the book as of a time, and changes nothing.
func (b *Book) Ask(at market.Time, read func(View)) {
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
	b.cause = 0
	b.queue.settleIn(&b.order, b.seats)
	for _, proc := range b.touched {
		b.isTouch[proc] = 0
	}
	b.touched = b.touched[:0]
}

// Find returns the seat of a live job.
func (b *Book) Find(id market.JobID) (Seat, bool) { return b.register.find(id) }

// Entry returns what the book says of the job on a seat.
func (b *Book) Entry(s Seat) *Entry { return &b.seats[s] }

// Enter gives a job a seat. It neither waits nor runs yet.
func (b *Book) Enter(j *market.Job) Seat {
	s := b.freeSeat
	if s == NoSeat {
		s = Seat(len(b.seats))
		b.seats = append(b.seats, Entry{})
	} else {
		b.freeSeat = b.seats[s].alongside
	}
	e := &b.seats[s]
	*e = Entry{Job: *j, Start: market.Never, Procs: e.Procs[:0], choosy: b.choosy(j), priced: j.Estimate}
	b.register.put(j.ID, s)
	return s
}

// Leave ends a job: it no longer waits or runs, and its seat is free.
func (b *Book) Leave(s Seat) {
	b.Detach(s)
	e := &b.seats[s]
	if e.reserved {
		b.unreserve(s)
	}
	b.register.remove(e.Job.ID)
	b.vacated = append(b.vacated, s)
}

// Detach takes a job out of the queue or off its processors.
func (b *Book) Detach(s Seat) {
	e := &b.seats[s]
	switch e.state {
	case waiting:
		e.state = free
		b.queue.remove(&b.order, e, s, b.seats)
	case running:
		b.release(s, e)
		e.state = free
	case free:
	}
}

// Wait puts a job into the queue on its terms.
func (b *Book) Wait(s Seat, t Terms) {
	e := &b.seats[s]
	e.Terms, e.state = t, waiting
	b.queue.add(e, s)
	if len(b.queue.fresh) == mostFresh {
		b.queue.settleIn(&b.order, b.seats)
	}
}

// Place puts a job on processors beside the jobs already there.
func (b *Book) Place(s Seat, t Terms, procs market.Procs) {
	e := &b.seats[s]
	if procs.Len() != int(e.Job.Width) {
		broken(4, "a job is placed on another number of processors than it asked for")
	}
	if e.Job.Threads > 1 && !b.inWhole(procs, &e.Job) {
		broken(4, "a job is placed on processors that are not of one node for each of its programs")
	}
	e.Terms = t
	e.Procs = append(e.Procs[:0], procs...)
	e.alone, e.apart, e.tasks, e.refined = false, t.Apart, e.Job.Width, 0
	b.share(e.Procs, &e.Job)
	b.run(s, e)
	if e.apart {
		b.addTasks(s, e)
	}
}

// occupy gives a waiting job the idle processors with the lowest numbers, for
// itself.
func (b *Book) occupy(s Seat) {
	e := &b.seats[s]
	e.state = free
	b.queue.remove(&b.order, e, s, b.seats)
	e.Procs = b.takeIdle(&e.Job, e.Procs[:0])
	e.alone, e.apart, e.tasks = true, false, 1
	b.run(s, e)
	e.Speed = b.slowest(e.Procs)
	e.endsAt = b.now + market.Time(float64(e.Job.Estimate)/e.Speed)
	b.ends.add(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
}

func (b *Book) run(s Seat, e *Entry) {
	e.state = running
	if !e.Start.Finite() && !e.reserved {
		e.Start = b.now
	}
	e.Left, e.Since, e.Speed = e.Job.Estimate, b.now, 0
	e.at = int32(len(b.running))
	b.running = append(b.running, s)
}

func (b *Book) release(s Seat, e *Entry) {
	last := b.running[len(b.running)-1]
	b.running[e.at] = last
	b.seats[last].at = e.at
	b.running = b.running[:len(b.running)-1]
	switch {
	case e.alone:
		b.ends.remove(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
		b.giveBack(e.Procs, &e.Job)
	case e.apart && e.tasks == 0: // its tasks have left one by one
	case e.apart:
		for proc := range e.Procs.All() {
			if b.dropTask(proc, s) {
				b.unshare(proc, &e.Job)
			}
		}
	default:
		for proc := range e.Procs.All() {
			b.unshare(proc, &e.Job)
		}
	}
}

// Measure sets what a job, or its task on one processor, has really had, which
// may differ from what it was granted.
func (b *Book) Measure(s Seat, proc int32, had market.Work) {
	e := &b.seats[s]
	if !e.apart {
		e.Left, e.Since = e.Job.Estimate-had, b.now
		return
	}
	for on := range e.Procs.All() {
		if proc == market.AllTasks || int(proc) == on {
			b.measureTask(on, s, had)
		}
	}
}

// HeldOn lists the jobs on a node, in the order of their IDs.
func (b *Book) HeldOn(node int) []Seat {
	var held []Seat
	first, n := int(b.first[node]), b.nodes[node].Processors
	for _, s := range b.running {
		for proc := first; proc < first+n; proc++ {
			if b.seats[s].Procs.Has(proc) {
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

// broken stops the program: an invariant of the book does not hold, and
// nothing it says can be trusted. The numbers are those of ARCHITECTURE.md.
func broken(invariant int, what string) {
	panic(fmt.Sprintf("libra: invariant %d broken: %s", invariant, what))
}
