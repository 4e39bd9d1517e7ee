package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// Where jobs share processors and advance as one, a policy can look at what an
// event touched and at nothing else, so that its cost does not grow with the
// cluster: the book says who has fallen behind and whose estimate is used up next.

// Demand is the work per second that a job needs to be done in time (Algorithm 2
// of 000). One that is late, or whose estimate is used up while it still runs,
// needs all it can get. But one that is only presumed to run still, since nobody has
// measured it, needs no more than was kept for it: if it takes more than it said, that
// must not be at the cost of those beside it, and if it began late it is late by that.
func (e *Entry) Demand(now market.Time) float64 {
	left, period := e.LeftAt(now), e.Due()-now
	need := math.Inf(1)
	if period > 0 && !(left.Done() && period.Finite()) {
		need = float64(left) / float64(period)
	}
	if claim := float64(e.Terms.Claim); e.presumed && claim > 0 && claim < need {
		return claim
	}
	return need
}

// Asked is the demand of a job when it was last given a speed.
func (v View) Asked(s Slot) float64 { return v.b.askedOf(s) }

func (b *Book) askedOf(s Slot) float64 {
	if asked := b.asked[s]; !math.IsNaN(asked) {
		return asked
	}
	return b.askAnew(s)
}

func (b *Book) askAnew(s Slot) float64 {
	e := b.slots.at(s)
	b.asked[s] = e.Demand(e.Since)
	return b.asked[s]
}

// Plainly reports whether all who reside anywhere run and have deadlines: there are
// neither guests nor reservations.
func (v View) Plainly() bool { return v.b.guests == 0 && len(v.b.reserved) == 0 }

// pace is what is known of the jobs that were given speeds by [Draft.Pace]: what
// follows from their entries, in the order in which it is asked for.
type pace struct {
	usedUp soonest // when their estimates will be used up
	behind []Slot  // those that get less than they need; some have gone, or caught up
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
	e, p := b.slots.at(s), b.pace
	if e.alone || e.independent || e.reserved || !e.Due().Finite() {
		b.unpace(s)
		e.behind = false
		return
	}
	if !e.Left.Done() && e.Speed > 0 {
		since := float64(e.Since)
		p.usedUp.set(s, e, since+float64(e.Left)/e.Speed, since+float64(e.Left-market.WorkSlack)/e.Speed)
	} else {
		b.unpace(s)
	}
	asked := b.askedOf(s)
	if behind := asked > e.Speed*rising && asked < b.fastest(e.Procs); behind && !e.behind {
		e.behind = true
		p.behind = append(p.behind, s)
	} else if !behind {
		e.behind = false // and leaves the list when it is next read
	}
}

// unpace takes a job out of those whose estimates will be used up. From then on the watch
// looks after it.
func (b *Book) unpace(s Slot) {
	if b.pace.usedUp.remove(s) {
		b.stir(s)
	}
}

// refollow is that for a job of which something else is left than was thought: where
// its old place stood first, it would hide the next whose estimate is used up.
func (b *Book) refollow(s Slot) {
	if b.pace != nil {
		b.follow(s)
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
func (b *Book) unfollow(s Slot, e *Entry) {
	if b.pace != nil {
		b.unpace(s)
		e.behind = false
	}
}

// Risen appends the jobs that need more now than when they were last given a
// speed: those whose estimate has been used up, and those that get less than
// they need.
func (v View) Risen(found []Slot) []Slot {
	b, p := v.b, v.b.paced()
	if len(p.behind) > 0 {
		found = b.fallenBehind(found)
	}
	for {
		first, some := p.usedUp.first()
		if !some {
			break
		}
		s := first.slot
		e := b.slots.at(s)
		if !e.LeftAt(b.now).Done() {
			break
		}
		b.unpace(s)
		if b.askedOf(s) < b.fastest(e.Procs) { // else it had all there is before
			found = append(found, s)
		}
	}
	return found
}

// Spent appends the jobs that have had more than their estimates, and not by rounding alone;
// each is said once.
func (v View) Spent(found []Slot) []Slot {
	b, p, n := v.b, v.b.paced(), len(found)
	if len(p.behind) > 0 {
		found = b.fallenBehind(found)[:n] // who stands still is none of them
	}
	for {
		first, some := p.usedUp.first()
		if !some || !b.slots.at(first.slot).LeftAt(b.now).Over() {
			return found
		}
		found = append(found, first.slot)
		b.unpace(first.slot)
	}
}

func (b *Book) fallenBehind(found []Slot) []Slot {
	p := b.pace
	kept := p.behind[:0]
	for _, s := range p.behind {
		e := b.slots.at(s)
		if e.state != running || !e.behind {
			continue
		}
		kept = append(kept, s)
		if e.Since < b.now {
			found = append(found, s)
		}
	}
	p.behind = kept
	return found
}

// SomeUsedUp reports whether an estimate has been used up, but for rounding, since
// speeds were last given.
func (v View) SomeUsedUp() bool {
	first, some := v.b.paced().usedUp.first()
	return some && v.b.slots.at(first.slot).LeftAt(v.b.now).Done()
}

// NextUsedUp is when the next estimate will be used up.
func (v View) NextUsedUp() market.Time {
	if first, some := v.b.paced().usedUp.first(); some {
		return market.Time(first.at)
	}
	return market.Never
}

// Ask notes what is left of a job now, which is what its demand is until it is
// asked again.
func (d *Draft) Ask(s Slot) {
	e, now := d.b.slots.at(s), d.b.now
	e.Left, e.Since = e.LeftAt(now), now
	d.b.asked[s] = e.Demand(now)
}

// Pace is Speed for policies that do not look at every job at every event: who
// falls behind, and whose estimate is used up next, is remembered for them. The job
// was asked before.
func (d *Draft) Pace(s Slot, speed float64) {
	d.b.paced()
	e := d.b.slots.at(s)
	if !same(e.Speed, speed) {
		e.Speed = speed
		if !e.reserved { // else it is what is kept for it
			d.grant(s, e)
		}
	}
	d.b.follow(s)
}
