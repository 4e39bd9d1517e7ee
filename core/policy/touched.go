package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// asked is scratch for shares that are worked out only where something happened:
// which houses and jobs were seen in this round, and the loads of houses.
type asked struct {
	round  uint32
	seen   []uint32 // by house: the round in which it was touched
	summed []uint32 // by house: the round of its load
	guests []int32  // by house, as of the same round
	slots  []uint32 // by slot: the round in which it was asked
	jobs   []turn
	risen  []book.Slot
}

// turn is a job to be asked, in the order of their numbers.
type turn struct {
	id   market.JobID
	slot book.Slot
}

// planTouched is Plan with replan=touched: every task on a processor that the event
// touched is asked anew for the share it needs, and its job gets a new rate. On the
// job's other processors the sum follows, and the rates of the others stay. A
// processor is touched if a task is placed on it, ends on it or is measured on it,
// or if the share that a task on it needs has risen since.
//
// Promises hold as with replan=cluster: what others need has only fallen since they
// were asked, or they would have been touched.
func (p *proportional) planTouched(v book.View, d *book.Draft) {
	if p.full.made {
		p.full.sync(v, p.emptiest)
	}
	if v.Cause()&events == 0 && !v.SomeUsedUp() {
		return
	}
	p.begin(v)
	for _, h := range v.TouchedHouses() {
		p.visit(v, h)
	}
	p.asked.risen = v.Risen(p.asked.risen[:0])
	for _, s := range p.asked.risen {
		for _, h := range v.Entry(s).Houses() {
			p.visit(v, h)
		}
	}
	slices.SortFunc(p.asked.jobs, func(a, b turn) int { return cmp.Compare(a.id, b.id) })
	for _, t := range p.asked.jobs {
		d.Ask(t.slot)
	}
	for _, t := range p.asked.jobs {
		e := v.Entry(t.slot)
		if !e.Reserved() { // else its time is everybody's
			d.Pace(t.slot, p.speedAmong(v, t.slot, e))
		}
		if p.full.made {
			p.full.follow(v, t.slot, e)
		}
	}
	if p.full.made {
		p.full.settle(v, p.emptiest)
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
	a.jobs = a.jobs[:0]
	for n := v.Houses(); len(a.seen) < n; {
		a.seen, a.summed, a.guests = append(a.seen, 0), append(a.summed, 0), append(a.guests, 0)
	}
	for n := v.Houses(); len(p.load) < n; {
		p.load = append(p.load, 0)
	}
}

// visit notes who is to be asked in a house that was touched.
func (p *proportional) visit(v book.View, h int32) {
	a := &p.asked
	if a.seen[h] == a.round {
		return
	}
	a.seen[h] = a.round
	for _, s := range v.House(h).Residents {
		for len(a.slots) <= int(s) {
			a.slots = append(a.slots, 0)
		}
		if a.slots[s] != a.round {
			a.slots[s] = a.round
			a.jobs = append(a.jobs, turn{id: v.Entry(s).Job.ID, slot: s})
		}
	}
}

// sum fills in the load and the guests of a house, from what its residents needed
// when they were last asked.
func (p *proportional) sum(v book.View, h int32, house *book.House, plain bool) {
	a := &p.asked
	a.summed[h] = a.round
	load, guests, rating := 0.0, int32(0), house.Rating
	for _, s := range house.Residents {
		if !plain {
			if e := v.Entry(s); e.Reserved() {
				continue
			} else if !e.Due().Finite() {
				guests++
				continue
			}
		}
		load += shareOf(v.Asked(s), rating)
	}
	p.load[h], a.guests[h] = load, guests
}

// speedAmong is how fast a job advances beside the others on its processors: as
// its share, scaled by the fullest of them; a guest, as what they leave.
func (p *proportional) speedAmong(v book.View, s book.Slot, e *book.Entry) float64 {
	rate, guest, plain := v.Asked(s), !e.Due().Finite(), v.Plainly()
	if plain && v.Ratings() == nil {
		return p.speedAlike(v, e, rate)
	}
	least := math.Inf(1)
	for _, h := range e.Houses() {
		house := v.House(h)
		if p.asked.summed[h] != p.asked.round {
			p.sum(v, h, house, plain)
		}
		load, guests, rating := p.load[h], p.asked.guests[h], house.Rating
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
func (p *proportional) speedAlike(v book.View, e *book.Entry, rate float64) float64 {
	most := 0.0
	for _, h := range e.Houses() {
		if p.asked.summed[h] != p.asked.round {
			p.sum(v, h, v.House(h), true)
		}
		if load := p.load[h]; load > most {
			most = load
		}
	}
	if p.spare != "proportional" {
		most = max(most, 1)
	}
	return shareOf(rate, 1) / most
}
