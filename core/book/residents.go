package book

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Where jobs share processors and advance as one, the book keeps by processor who
// is there, so that a policy can look at what an event touched and at nothing
// else: its cost does not grow with the cluster.

// Residents lists the jobs on a processor that share it and advance as one, in the
// order of their numbers: what is summed over them does not depend on how they came.
func (v View) Residents(proc int) []Slot { return v.b.residents[proc] }

// settle notes a job on the processors that it shares.
func (b *Book) settle(s Slot, e *Entry) {
	for proc := range e.Procs.All() {
		b.reside(proc, s, e.Job.ID)
		b.touch(proc, Joined)
	}
}

func (b *Book) reside(proc int, s Slot, id market.JobID) {
	here := b.residents[proc]
	at := len(here)
	for at > 0 && b.slots[here[at-1]].Job.ID > id { // the newest is the last, as a rule
		at--
	}
	b.residents[proc] = slices.Insert(here, at, s)
}

// leave takes a job off a processor that it shared.
func (b *Book) leave(proc int, s Slot) {
	here := b.residents[proc]
	at := slices.Index(here, s)
	b.residents[proc] = append(here[:at], here[at+1:]...)
	b.touch(proc, Left)
}

// touchAll notes that something happened to a job that advances as one, on all the
// processors that it shares.
func (b *Book) touchAll(e *Entry, how Touch) {
	if e.state != running || e.alone || e.independent {
		return
	}
	for proc := range e.Procs.All() {
		b.touch(proc, how)
	}
}

// Demand is the work per second that a job needs to be done in time (Algorithm 2
// of 000). One that is late, or whose estimate is used up while it still runs,
// needs all it can get.
func (e *Entry) Demand(now market.Time) float64 {
	left, period := e.LeftAt(now), e.Due()-now
	if left.Done() && period.Finite() || period <= 0 {
		return math.Inf(1)
	}
	return float64(left) / float64(period)
}

// Asked is the demand of a job when it was last given a speed.
func (e *Entry) Asked() float64 { return e.Demand(e.Since) }

// pace is what is known of the jobs that were given speeds by [Draft.Pace]: what
// follows from their entries, in the order in which it is asked for.
type pace struct {
	usedUp heap   // by the time at which their estimates will be used up
	behind []Slot // those that get less than they need; some have gone, or caught up
}

// rising is how much more a job must need than when it was asked for that not to be
// rounding: one that gets exactly what it needs goes on needing exactly that.
const rising = 1 + 1e-9

// paced is the index of speeds, made of the entries if there is none yet.
func (b *Book) paced() *pace {
	if b.pace == nil {
		b.pace = &pace{}
		for _, s := range b.running {
			b.follow(s)
		}
	}
	return b.pace
}

// follow puts a job in its places in the index.
func (b *Book) follow(s Slot) {
	e, p := &b.slots[s], b.pace
	if e.followed {
		p.usedUp.stale++
	}
	e.paceTicket++
	e.followed = false
	if e.alone || e.independent || e.reserved || !e.Due().Finite() {
		return
	}
	if !e.Left.Done() && e.Speed > 0 {
		e.followed = true
		at := float64(e.Since) + float64(e.Left)/e.Speed
		p.usedUp.push(heapItem{key: at, id: e.Job.ID, slot: s, ticket: e.paceTicket})
	}
	asked := e.Asked()
	if behind := asked < b.fastest(e.Procs) && asked > e.Speed*rising; behind && !e.behind {
		e.behind = true
		p.behind = append(p.behind, s)
	} else if !behind {
		e.behind = false // and leaves the list when it is next read
	}
}

// fastest is the highest rating among processors: who needs more than that needs
// all there is, and no more later.
func (b *Book) fastest(procs market.Procs) float64 {
	if b.rating == nil {
		return 1
	}
	most := 0.0
	for proc := range procs.All() {
		most = max(most, b.rating[proc])
	}
	return most
}

// unfollow forgets a job that leaves its processors.
func (b *Book) unfollow(e *Entry) {
	if b.pace == nil {
		return
	}
	if e.followed {
		b.pace.usedUp.stale++
	}
	e.followed, e.behind = false, false
	e.paceTicket++
}

// Risen appends the jobs that need more now than when they were last given a
// speed: those whose estimate has been used up, and those that get less than
// they need.
func (v View) Risen(found []Slot) []Slot {
	b, p := v.b, v.b.paced()
	kept := p.behind[:0]
	for _, s := range p.behind {
		e := &b.slots[s]
		if e.state != running || !e.behind {
			continue
		}
		kept = append(kept, s)
		if e.Since < b.now {
			found = append(found, s)
		}
	}
	p.behind = kept
	for len(p.usedUp.items) > 0 {
		p.usedUp.prune(b.followedAs)
		if len(p.usedUp.items) == 0 {
			break
		}
		s := p.usedUp.items[0].slot
		e := &b.slots[s]
		if !e.LeftAt(b.now).Done() {
			break
		}
		p.usedUp.pop()
		e.followed = false
		if e.Asked() < b.fastest(e.Procs) { // else it had all there is before
			found = append(found, s)
		}
	}
	return found
}

// SomeUsedUp reports whether an estimate has been used up, but for rounding, since
// speeds were last given.
func (v View) SomeUsedUp() bool {
	top, some := v.b.firstUsedUp()
	return some && v.b.slots[top.slot].LeftAt(v.b.now).Done()
}

// NextUsedUp is when the next estimate will be used up.
func (v View) NextUsedUp() market.Time {
	if top, some := v.b.firstUsedUp(); some {
		return market.Time(top.key)
	}
	return market.Never
}

func (b *Book) firstUsedUp() (heapItem, bool) {
	p := b.paced()
	p.usedUp.prune(b.followedAs)
	if len(p.usedUp.items) == 0 {
		return heapItem{}, false
	}
	return p.usedUp.items[0], true
}

// followedAs reports whether an item is what is true of its job now.
func (b *Book) followedAs(i heapItem) bool {
	e := &b.slots[i.slot]
	return e.state == running && e.followed && e.paceTicket == i.ticket && e.Job.ID == i.id
}

// Ask notes what is left of a job now, which is what its demand is until it is
// asked again.
func (d *Draft) Ask(s Slot) {
	e, now := &d.b.slots[s], d.b.now
	e.Left, e.Since = e.LeftAt(now), now
}

// Pace is Speed for policies that do not look at every job at every event: who
// falls behind, and whose estimate is used up next, is remembered for them.
func (d *Draft) Pace(s Slot, speed float64) {
	d.b.paced()
	d.Speed(s, speed)
	d.b.follow(s)
}
