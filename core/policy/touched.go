package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// asked is scratch for shares that are worked out only where something happened:
// which processors and jobs were seen in this round, and the loads of processors.
type asked struct {
	round  uint32
	seen   []uint32 // by processor: the round in which it was touched
	summed []uint32 // by processor: the round of its load
	guests []int32  // by processor, as of the same round
	slots  []uint32 // by slot: the round in which it was asked
	jobs   []book.Slot
	procs  []int32 // those that were summed in this round
	risen  []book.Slot
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
	for _, proc := range v.Touched() {
		p.visit(v, int(proc))
	}
	p.asked.risen = v.Risen(p.asked.risen[:0])
	for _, s := range p.asked.risen {
		for proc := range v.Entry(s).Procs.All() {
			p.visit(v, proc)
		}
	}
	slices.SortFunc(p.asked.jobs, func(a, b book.Slot) int { return cmp.Compare(v.Entry(a).Job.ID, v.Entry(b).Job.ID) })
	for _, s := range p.asked.jobs {
		d.Ask(s)
	}
	for _, s := range p.asked.jobs {
		if e := v.Entry(s); !e.Reserved() { // else its time is everybody's
			d.Pace(s, p.speedAmong(v, e))
		}
	}
	if p.full.made {
		for _, proc := range p.asked.procs {
			p.full.refresh(v, int(proc), p.emptiest)
		}
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
	a.jobs, a.procs = a.jobs[:0], a.procs[:0]
	if n := v.Processors(); len(a.seen) < n {
		a.seen, a.summed, a.guests = make([]uint32, n), make([]uint32, n), make([]int32, n)
	}
	if n := v.Processors(); len(p.load) < n {
		p.load = make([]float64, n)
	}
}

// visit notes who is to be asked on a processor that was touched.
func (p *proportional) visit(v book.View, proc int) {
	a := &p.asked
	if a.seen[proc] == a.round {
		return
	}
	a.seen[proc] = a.round
	for _, s := range v.Residents(proc) {
		for len(a.slots) <= int(s) {
			a.slots = append(a.slots, 0)
		}
		if a.slots[s] != a.round {
			a.slots[s] = a.round
			a.jobs = append(a.jobs, s)
		}
	}
}

// sum fills in the load and the guests of a processor, from what its jobs needed
// when they were last asked.
func (p *proportional) sum(v book.View, proc int) {
	a := &p.asked
	if a.summed[proc] == a.round {
		return
	}
	a.summed[proc] = a.round
	a.procs = append(a.procs, market.Int32(proc))
	load, guests, rating := 0.0, int32(0), v.Rating(proc)
	for _, s := range v.Residents(proc) {
		switch e := v.Entry(s); {
		case e.Reserved():
		case !e.Due().Finite():
			guests++
		default:
			load += shareOf(e.Asked(), rating)
		}
	}
	p.load[proc], a.guests[proc] = load, guests
}

// speedAmong is how fast a job advances beside the others on its processors: as
// its share, scaled by the fullest of them; a guest, as what they leave.
func (p *proportional) speedAmong(v book.View, e *book.Entry) float64 {
	rate, guest := e.Asked(), !e.Due().Finite()
	least := math.Inf(1)
	for proc := range e.Procs.All() {
		p.sum(v, proc)
		load, guests, rating := p.load[proc], p.asked.guests[proc], v.Rating(proc)
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
