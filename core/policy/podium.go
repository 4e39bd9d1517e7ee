package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// podium finds the waiting job of the highest worth where worth only falls as time
// passes and does not depend on who else waits: what a job was worth when it was last
// asked it is worth at most, so that only those need be asked again who were above the
// one that is chosen.
//
// It is a cache: made anew from the book it gives the same answers.
type podium struct {
	of      book.View
	made    bool
	entries []contender // a heap: the highest worth first, of equals the one that came first
}

type contender struct {
	worth float64     // at most
	at    market.Time // when it was asked
	id    market.JobID
	slot  book.Slot
	asked bool
}

func (c *contender) before(d *contender) bool {
	return c.worth > d.worth || c.worth == d.worth && c.id < d.id
}

// sync makes it the podium of a book, or lets those in who have come since the last
// plan. What a reservation is worth moves with it: while there are any, and after them,
// everybody is asked.
func (p *podium) sync(v book.View, most float64) {
	came := v.Came()
	if !p.made || p.of != v || v.Reservations() > 0 {
		p.of, p.made, p.entries = v, v.Reservations() == 0, p.entries[:0]
		came = v.InOrder()
	}
	for _, s := range came {
		if v.Waits(s) {
			p.push(contender{worth: most, id: v.Entry(s).Job.ID, slot: s})
		}
	}
}

// best is the waiting job of the highest worth at this instant.
func (p *podium) best(v book.View, worth func(*market.Job) float64) (book.Slot, bool) {
	now := v.Now()
	for len(p.entries) > 0 {
		top := &p.entries[0]
		e := v.Entry(top.slot)
		if e.Job.ID != top.id || !v.Waits(top.slot) {
			p.pop()
			continue
		}
		if top.asked && top.at == now {
			return top.slot, true
		}
		c := contender{worth: worth(&e.Job), at: now, id: top.id, slot: top.slot, asked: true}
		p.sink(c)
	}
	return book.NoSlot, false
}

func (p *podium) push(c contender) {
	p.entries = append(p.entries, c)
	i := len(p.entries) - 1
	for i > 0 && c.before(&p.entries[(i-1)/2]) {
		p.entries[i] = p.entries[(i-1)/2]
		i = (i - 1) / 2
	}
	p.entries[i] = c
}

// pop takes the first one out.
func (p *podium) pop() {
	last := len(p.entries) - 1
	c := p.entries[last]
	p.entries = p.entries[:last]
	if last > 0 {
		p.sink(c)
	}
}

// sink puts another in the place of the first one.
func (p *podium) sink(c contender) {
	i, n := 0, len(p.entries)
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && p.entries[child+1].before(&p.entries[child]) {
			child++
		}
		if !p.entries[child].before(&c) {
			break
		}
		p.entries[i] = p.entries[child]
		i = child
	}
	p.entries[i] = c
}
