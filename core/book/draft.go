package book

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Draft is a plan as it is being written. Every line is checked when it is
// written, holds in the book from then on (the policy sees its effect in the
// view), and is said as an event. Lines that change nothing say nothing.
type Draft struct {
	b      *Book
	events []market.Event
	slices []market.Slice // of those events
	wake   market.Time    // as the policy wants it
	asked  market.Time    // as it was said last
}

// Book is the book it is written for.
func (d *Draft) Book() *Book { return d.b }

// NewDraft begins to write plans for a book.
func NewDraft(b *Book) *Draft { return &Draft{b: b, wake: market.Never, asked: market.Never} }

// Start gives a waiting job the idle processors with the lowest numbers, for
// itself, until it is done.
func (d *Draft) Start(s Slot) {
	e := d.b.slots.at(s)
	if e.state != waiting {
		broken(5, "a job that does not wait is started")
	}
	d.b.occupy(s)
	d.grant(s, e)
}

// Join puts a waiting job on processors beside those who are on them, who go on as they
// do: how fast each of them is from now on, Speed says. Where its tasks advance each on its own that
// is what Share says, and this that it begins, and where.
func (d *Draft) Join(s Slot, procs market.Procs) {
	e := d.b.slots.at(s)
	if e.state != waiting {
		broken(5, "a job that does not wait is started")
	}
	d.b.Detach(s)
	d.b.Place(s, e.Terms, procs)
	if e.independent {
		d.grant(s, e)
	}
}

// Refuse drops a waiting job: it will never run.
func (d *Draft) Refuse(s Slot, why market.Reason) { d.end(market.Rejected, s, why) }

// Expire ends the wait of a job whose patience is at its end, at a cost: what
// the cluster pays for it is below zero.
func (d *Draft) Expire(s Slot, cost market.Price) {
	d.b.slots.at(s).Terms.Price = cost
	d.end(market.Stopped, s, market.OutOfPatience)
}

func (d *Draft) end(kind market.Kind, s Slot, why market.Reason) {
	e := d.b.slots.at(s)
	said := d.About(kind, s)
	said.Reason, said.Price = why, e.Terms.Price
	d.b.Remove(s)
}

// Speed sets how fast a job that advances as one advances from now on, and returns what
// is left of it.
func (d *Draft) Speed(s Slot, speed float64) market.Work {
	e, now := d.b.slots.at(s), d.b.now
	e.Left, e.Since = e.LeftAt(now), now
	d.b.asked[s] = math.NaN()
	d.b.stir(s)
	if same(e.Speed, speed) {
		return e.Left
	}
	e.Speed = speed
	d.b.heed(e)
	if !e.reserved { // else it is what is kept for it
		d.grant(s, e)
	}
	return e.Left
}

// Change is Speed for a job that may have that speed already: then nothing is done.
func (d *Draft) Change(s Slot, speed float64) {
	if !same(d.b.slots.at(s).Speed, speed) {
		d.Speed(s, speed)
	}
}

// Share sets how fast each of the tasks on a processor advances from now on.
func (d *Draft) Share(proc int, speeds []float64) {
	now, first := d.b.now, len(d.slices)
	tasks := d.b.tasks[proc]
	d.slices = slices.Grow(d.slices, len(tasks))[:first+len(tasks)]
	said := d.slices[first : first+len(tasks)]
	speeds = speeds[:len(tasks)]
	for i := range said {
		t, speed := &tasks[i], speeds[i]
		if same(t.Speed, speed) {
			speed = t.Speed
		} else {
			t.Left, t.Since, t.Speed = t.LeftAt(now), now, speed
			d.b.stir(t.Slot)
		}
		if t.Reserved {
			speed = 0 // the other is what is kept for it
		}
		said[i] = market.Slice{Job: t.Job, Slot: int32(t.Slot), Speed: speed}
	}
	d.b.versions[proc]++
	e := d.Say(market.Shared)
	e.Proc, e.Slices = market.Int32(proc), said
}

// same reports whether two speeds differ by rounding alone: a task that got
// exactly what it needs goes on needing exactly that.
func same(a, b float64) bool {
	const relative = 1e-14
	return math.Abs(a-b) <= relative*a
}

// Appraise stores what the policy reckons the tasks on a processor bring, each of them.
func (d *Draft) Appraise(proc int, values []float64) {
	tasks, sum := d.b.tasks[proc], 0.0
	values = values[:len(tasks)]
	for i := range tasks {
		value := values[i]
		tasks[i].Return = value
		sum += value
	}
	d.b.piles[proc].Return = sum // what else it amounts to stays
}

// AppraiseInTime is Appraise where each of them brings what it does in time.
func (d *Draft) AppraiseInTime(proc int) {
	tasks, sum := d.b.tasks[proc], 0.0
	for i := range tasks {
		worth := tasks[i].Worth
		tasks[i].Return = worth
		sum += worth
	}
	d.b.piles[proc].Return = sum
}

// Wake asks for the policy to be asked again at the given time, whatever
// happens; it replaces what was asked before.
func (d *Draft) Wake(at market.Time) { d.wake = at }

// Clear begins the events of a new step.
func (d *Draft) Clear() { d.events, d.slices = d.events[:0], d.slices[:0] }

// Say adds an event, to be filled in before the next one is added: an event is a
// hundred bytes, and a job has several, so that none is made elsewhere and copied.
func (d *Draft) Say(kind market.Kind) *market.Event {
	n := len(d.events)
	if n == cap(d.events) {
		d.events = slices.Grow(d.events, n+1)
	}
	d.events = d.events[:n+1]
	e := &d.events[n]
	*e = market.Event{}
	e.Kind = kind
	return e
}

// About adds an event about a job.
func (d *Draft) About(kind market.Kind, s Slot) *market.Event {
	return d.about(kind, s, d.b.slots.at(s))
}

func (d *Draft) about(kind market.Kind, s Slot, e *Entry) *market.Event {
	said := d.Say(kind)
	said.Job, said.Slot, said.Spec, said.Start = e.Job.ID, int32(s), &e.Job, e.Start
	return said
}

// Emit adds an event of the cluster's own.
func (d *Draft) Emit(e market.Event) { d.events = append(d.events, e) }

// Events are the events of this step so far.
func (d *Draft) Events() []market.Event {
	d.emitWake(d.wake)
	return d.events
}

// emitWake says a wake-up that is not the last one said.
func (d *Draft) emitWake(wake market.Time) {
	if wake != d.asked {
		d.asked = wake
		d.Emit(market.Event{Kind: market.Wake, Finish: wake})
	}
}

func (d *Draft) grant(s Slot, e *Entry) {
	said := d.about(market.Granted, s, e)
	said.Proc, said.Speed, said.Procs = market.AllTasks, e.Speed, e.Procs
}
