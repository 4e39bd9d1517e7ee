package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// asked is what shares need that are worked out only where something happened.
type asked struct {
	of    book.View
	units []int64 // by slot: the share that a job needed when it was last asked, in [grains]; 0: it has no say
	load  []int64 // by house: the sum over its residents

	// Scratch.
	round  uint32
	seen   []uint32  // by house: the round in which it was touched
	summed []uint32  // by house: the round of the two below
	guests []int32   // by house
	rated  []float64 // by house: its load, where processors are not all alike
	slots  []uint32  // by slot: the round in which it was asked
	jobs   turns
	risen  []book.Slot
}

// grains make up all of a processor. Shares are summed as whole numbers, so that a
// sum that was corrected is the sum to the last bit, whatever came and went; a
// hundred thousand late jobs can be on one processor.
const grains = 1 << 46

// unitsOf is a share in whole grains: rounded up, since who gets less than he needs
// falls behind.
func unitsOf(share float64) int64 { return int64(math.Ceil(share * grains)) }

// planTouched is Plan with replan=touched: every task on a processor that the event
// touched is asked anew for the share it needs, and its job gets a new rate. On the
// job's other processors the sum follows, and the rates of the others stay. A
// processor is touched if a task is placed on it, ends on it or is measured on it,
// or if the share that a task on it needs has risen since.
//
// Promises hold as with replan=cluster: what others need has only fallen since they
// were asked, or they would have been touched.
func (p *proportional) planTouched(v book.View, d *book.Draft) {
	p.begin(v)
	if v.Cause()&events == 0 && !v.SomeUsedUp() {
		p.addUp(v, v.TouchedHouses())
		if p.full.made {
			p.full.attend(v)
		}
		return
	}
	if p.full.made && p.full.of != v {
		p.full.begin(v)
	} else if p.full.made {
		p.full.grow(v)
	}
	for _, h := range v.TouchedHouses() {
		p.visit(v, h)
	}
	p.asked.risen = v.Risen(p.asked.risen[:0])
	for _, s := range p.asked.risen {
		for _, h := range v.Entry(s).Houses() {
			p.visit(v, h)
		}
	}
	p.asked.jobs.byNumber()
	for _, t := range p.asked.jobs.list {
		d.Ask(t.slot)
		p.correct(v, t.slot)
	}
	p.addUp(v, v.TouchedHouses())
	for _, t := range p.asked.jobs.list {
		e := v.Entry(t.slot)
		if !e.Reserved() { // else its time is everybody's
			d.Pace(t.slot, p.speedAmong(v, t.slot, e))
		}
		if p.full.made {
			p.full.follow(v, t.slot, e)
		}
	}
	if p.full.made {
		p.full.note(v.TouchedHouses())
	}
	d.Wake(v.NextUsedUp())
}

// EventByEvent reports whether a policy plans for every event of an instant apart:
// where shares are worked out anew only where something happened, two events are
// not the same as one.
func EventByEvent(p Policy) bool {
	t, does := p.(interface{ eventByEvent() bool })
	return does && t.eventByEvent()
}

func (p *proportional) eventByEvent() bool { return p.replan == "touched" }

// begin begins a round.
func (p *proportional) begin(v book.View) {
	a := &p.asked
	a.round++
	a.jobs.list = a.jobs.list[:0]
	for n := v.Houses(); len(a.seen) < n; {
		a.seen, a.summed, a.guests = append(a.seen, 0), append(a.summed, 0), append(a.guests, 0)
		a.rated, a.load = append(a.rated, 0), append(a.load, 0)
	}
	if a.of == v {
		return
	}
	a.of = v
	for _, s := range v.Running() {
		a.known(s)
		a.units[s] = p.unitsFor(v, s)
	}
	for h := range v.Houses() {
		p.add(v, market.Int32(h))
	}
}

// known makes room for a slot.
func (a *asked) known(s book.Slot) {
	for len(a.units) <= int(s) {
		a.units, a.slots = append(a.units, 0), append(a.slots, 0)
	}
}

// unitsFor is what a job adds to the loads of its processors: one that only keeps
// its place, and a guest, add nothing.
func (p *proportional) unitsFor(v book.View, s book.Slot) int64 {
	if e := v.Entry(s); e.Reserved() || !e.Due().Finite() {
		return 0
	}
	return unitsOf(shareOf(v.Asked(s), 1))
}

// visit notes who is to be asked in a house that was touched.
func (p *proportional) visit(v book.View, h int32) {
	a := &p.asked
	if a.seen[h] == a.round {
		return
	}
	a.seen[h] = a.round
	for _, s := range v.House(h).Residents {
		a.known(s)
		if a.slots[s] != a.round {
			a.slots[s] = a.round
			a.jobs.list = append(a.jobs.list, turn{id: v.Entry(s).Job.ID, slot: s})
		}
	}
}

// correct makes the loads of a job's houses follow what it needs now.
func (p *proportional) correct(v book.View, s book.Slot) {
	a := &p.asked
	units := p.unitsFor(v, s)
	more := units - a.units[s]
	if more == 0 {
		return
	}
	a.units[s] = units
	for _, h := range v.Entry(s).Houses() {
		a.load[h] += more
	}
}

// addUp sums the loads of houses in which others reside than before.
func (p *proportional) addUp(v book.View, houses []int32) {
	for _, h := range houses {
		p.add(v, h)
	}
}

func (p *proportional) add(v book.View, h int32) {
	a, plain, load := &p.asked, v.Plainly(), int64(0)
	for _, s := range v.House(h).Residents {
		if a.known(s); !plain && v.Entry(s).Reserved() {
			a.units[s] = 0 // a slot that is new may have been another's
		}
		load += a.units[s]
	}
	a.load[h] = load
}

// speedAmong is how fast a job advances beside the others on its processors: as
// its share, scaled by the fullest of them; a guest, as what they leave.
func (p *proportional) speedAmong(v book.View, s book.Slot, e *book.Entry) float64 {
	if v.Ratings() == nil && v.Plainly() {
		return p.speedAlike(v, s, e)
	}
	rate, guest := v.Asked(s), !e.Due().Finite()
	least := math.Inf(1)
	for _, h := range e.Houses() {
		p.rate(v, h)
		load, guests, rating := p.asked.rated[h], p.asked.guests[h], v.House(h).Rating
		switch {
		case guest:
			least = min(least, max(0, 1-load)/float64(guests)*rating)
		case p.spare != "proportional" || guests > 0:
			least = min(least, shareOf(rate, rating)*rating/max(load, 1))
		default:
			least = min(least, shareOf(rate, rating)*rating/load)
		}
	}
	return least
}

// speedAlike is speedAmong where all processors are alike and all jobs have
// deadlines.
func (p *proportional) speedAlike(v book.View, s book.Slot, e *book.Entry) float64 {
	a, most := &p.asked, int64(0)
	for _, h := range e.Houses() {
		most = max(most, a.load[h])
	}
	if p.spare != "proportional" && most <= grains {
		return shareOf(v.Asked(s), 1)
	}
	return float64(a.units[s]) / float64(most)
}

// rate fills in the load and the guests of a house where processors are not all
// alike, or jobs are not.
func (p *proportional) rate(v book.View, h int32) {
	a := &p.asked
	if a.summed[h] == a.round {
		return
	}
	a.summed[h] = a.round
	house := v.House(h)
	load, guests, rating := 0.0, int32(0), house.Rating
	for _, s := range house.Residents {
		switch e := v.Entry(s); {
		case e.Reserved():
		case !e.Due().Finite():
			guests++
		default:
			load += shareOf(v.Asked(s), rating)
		}
	}
	a.rated[h], a.guests[h] = load, guests
}
