package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// fullness keeps houses in the order in which admission asks for them, so that it
// need not ask everybody.
//
// A job that gets at least what it needs never claims more than it was promised:
// the claims in a house change when jobs come, go or use up their estimates, and the
// sum holds in between. Where a job gets, or for a while got, less than it needs, its
// claim moves with time: such houses stand apart and are summed when somebody asks.
// Idle processors are alike, and the book has them in order.
//
// It is a cache: made anew from the book it is the same.
type fullness struct {
	of    book.View
	made  bool
	order ladder    // of the houses whose claims hold still
	sums  []float64 // by house: of those
	apart []int32   // the others
	at    []int32   // by house: its place among them, from 1; 0: it is none
	stand []stand   // by slot
	claim []float64 // by slot: the share it claims, if that holds still
	due   []float64 // by slot
	spans []float64 // by house: the sum of claims times the times at which their jobs are due
	stale []int32   // houses with a resident whose claim is another
	noted []bool    // by house: whether it is among those
}

// stand is what a job's claim does until something happens to it.
type stand uint8

const (
	unseen stand = iota
	still        // it is what was promised, or all of a processor: the job is late, or past its estimate
	moving       // it changes with time
)

// standOf tells how a job stands, and what it claims if that holds still.
func standOf(v book.View, s book.Slot, e *book.Entry) (stand, float64) {
	asked, claim := v.Asked(s), float64(e.Terms.Claim)
	switch {
	case math.IsInf(asked, 1):
		return still, 1
	case asked > claim && asked > claim*(1+blur(e)), !e.Reserved() && asked > e.Speed*(1+1e-9):
		return moving, 0
	}
	return still, shareOf(claim, 1)
}

// blur is by what part a job may seem to need more than was promised to it because
// times are rounded: one that gets exactly what it needs, on a processor that is full,
// would else be taken for one that falls behind, and the more of them the later it is
// by the clock. It is less than admission can tell.
func blur(e *book.Entry) float64 {
	due := float64(e.Due())
	return min(2e-10, 1e-12+due*0x1p-51/(due-float64(e.Since)))
}

// sync makes it the fullness of a book, or brings it up to date with what was
// touched since the last plan.
func (f *fullness) sync(v book.View, emptiest bool) {
	f.attend(v)
	f.settle(v, emptiest)
}

// attend follows whoever resides where something was touched.
func (f *fullness) attend(v book.View) {
	if f.of != v {
		f.begin(v)
	}
	f.grow(v)
	for _, h := range v.TouchedHouses() {
		for _, s := range v.House(h).Residents {
			f.follow(v, s, v.Entry(s))
		}
	}
	f.note(v.TouchedHouses())
}

// begin makes it the fullness of a book, but for what was touched.
func (f *fullness) begin(v book.View) {
	*f = fullness{of: v, made: true}
	f.grow(v)
	for _, s := range v.Running() {
		f.follow(v, s, v.Entry(s))
	}
}

// grow makes room for houses that are new.
func (f *fullness) grow(v book.View) {
	for n := v.Houses(); len(f.sums) < n; {
		f.sums, f.at, f.noted = append(f.sums, 0), append(f.at, 0), append(f.noted, false)
		f.spans = append(f.spans, 0)
	}
	f.order.grow(v.Houses())
}

// follow notes a job that was asked: if its claim is another than it was, so are
// those in its houses.
func (f *fullness) follow(v book.View, s book.Slot, e *book.Entry) {
	for len(f.stand) <= int(s) {
		f.stand, f.claim, f.due = append(f.stand, unseen), append(f.claim, 0), append(f.due, 0)
	}
	now, claim := standOf(v, s, e)
	f.due[s] = float64(e.Due())
	if now == f.stand[s] && claim == f.claim[s] {
		return
	}
	f.stand[s], f.claim[s] = now, claim
	f.note(e.Houses())
}

// note remembers houses that are not as they were.
func (f *fullness) note(houses []int32) {
	for _, h := range houses {
		if !f.noted[h] {
			f.noted[h] = true
			f.stale = append(f.stale, h)
		}
	}
}

// settle puts what was noted where it belongs: all who reside there have been
// followed. Nobody needs the order before somebody asks for a place, and by then a
// house may have changed several times.
func (f *fullness) settle(v book.View, emptiest bool) {
	for _, h := range f.stale {
		f.noted[h] = false
		f.refresh(v, h, emptiest)
	}
	f.stale = f.stale[:0]
}

// refresh puts a house where it belongs.
func (f *fullness) refresh(v book.View, h int32, emptiest bool) {
	house := v.House(h)
	sum, span, holds := 0.0, 0.0, true
	for _, s := range house.Residents {
		sum += f.claim[s]
		span += float64(f.claim[s] * f.due[s])
		holds = holds && f.stand[s] == still
	}
	f.spans[h] = span
	f.place(house, h, house.N > 0 && holds, house.N > 0 && !holds, sum, emptiest)
}

func (f *fullness) place(house *book.House, h int32, inOrder, apart bool, sum float64, emptiest bool) {
	rank, first := market.Share(sum).Rank(), int32(0)
	if !emptiest {
		rank = -rank
	}
	if inOrder {
		first = market.Int32(house.First())
	}
	if f.order.has(h) && (!inOrder || !f.order.at(h, rank, first)) {
		f.order.remove(h)
	}
	if inOrder && !f.order.has(h) {
		f.order.insert(h, rank, first)
	}
	f.sums[h] = sum
	switch at := f.at[h]; {
	case apart && at == 0:
		f.apart = append(f.apart, h)
		f.at[h] = market.Int32(len(f.apart))
	case !apart && at != 0:
		last := f.apart[len(f.apart)-1]
		f.apart[at-1], f.at[last] = last, at
		f.apart = f.apart[:len(f.apart)-1]
		f.at[h] = 0
	}
}

// first lists the processors that can take a job of a rate, with those that go
// first among them: as many as it is wide, if there are so many.
func (p *proportional) first(v book.View, j *market.Job, rate float64, emptiest bool) []candidate {
	f, want := &p.full, int(j.Width)
	f.sync(v, emptiest)
	p.choice = p.choice[:0]
	if !market.Share(rate).Fits(1) {
		return p.choice
	}
	for _, h := range f.apart {
		house := v.House(h)
		if load := p.claims(v, house); market.Share(load + rate).Fits(1) {
			rank := market.Share(load).Rank()
			if !emptiest {
				rank = -rank
			}
			p.choice = inHouse(house, rank, want, p.choice)
		}
	}
	edge := edgeOf(rate)
	from := math.Inf(-1)
	if !emptiest {
		from = -edge - 1
	}
	begin, last, reach := len(p.choice), math.NaN(), int32(0)
	f.order.from(from, func(h int32, rank float64, first int32) bool {
		// Enough are found, and none of those after this one is before any of them.
		if len(p.choice)-begin >= want && (rank != last || first > reach) {
			return false
		}
		if market.Share(f.sums[h] + rate).Fits(1) {
			p.choice = inHouse(v.House(h), rank, want, p.choice)
			if rank != last {
				last, reach = rank, 0
			}
			reach = max(reach, p.choice[len(p.choice)-1].proc)
			return true
		}
		return !emptiest || rank <= edge // else nor do those after it
	})
	p.choice = idleOnes(v, want, p.choice)
	return p.choice
}

// edgeOf is the rank of the fullest house that may take a job of a rate, but for
// rounding: those that are fuller do not.
func edgeOf(rate float64) float64 {
	return market.Share(1 + 2*float64(market.ShareSlack) - rate).Rank()
}

// claims is the sum of the claims on a processor of a house at this very instant.
func (p *proportional) claims(v book.View, house *book.House) float64 {
	sum, now := 0.0, v.Now()
	for _, s := range house.Residents {
		sum += shareOf(p.claim(v.Entry(s), now), house.Rating)
	}
	return sum
}

// ordered reports whether admission may go by the order of houses, one processor being like another.
func (p *proportional) ordered(v book.View, j *market.Job) bool { return p.inOrder(v, j) && v.Alike(j) }

// inOrder reports whether houses have an order: where claims hold still between events.
func (p *proportional) inOrder(v book.View, j *market.Job) bool {
	return p.replan == "touched" && p.commitment == "promised" && v.Ratings() == nil && !v.Confined() &&
		j.SLA.Deadline.Finite() && !v.SomeUsedUp()
}
