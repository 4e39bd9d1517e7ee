package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// fullness keeps the processors that somebody is on in the order in which
// admission asks for them, so that it need not ask everybody.
//
// A job that gets at least what it needs never claims more than it was promised:
// the claims on a processor change when jobs come, go, are given other speeds or
// use up their estimates, and the sum holds in between. Where a job gets, or for a
// while got, less than it needs, its claim moves with time: such processors stand
// apart and are summed when somebody asks. Idle processors are alike, and the book
// has them in order.
//
// It is a cache: made anew from the book it is the same.
type fullness struct {
	of    book.View
	made  bool
	order tree      // of those whose claims hold still
	sums  []float64 // by processor: of those
	apart []int32   // the others
	at    []int32   // by processor: its place among them, from 1; 0: it is none
}

// sync makes it the fullness of a book, or brings it up to date with what was
// touched since the last plan.
func (f *fullness) sync(v book.View, emptiest bool) {
	if !f.made || f.of != v || len(f.sums) != v.Processors() {
		n := v.Processors()
		*f = fullness{of: v, made: true, order: newTree(n), sums: make([]float64, n), at: make([]int32, n)}
		for _, s := range v.Running() {
			for proc := range v.Entry(s).Procs.All() {
				f.refresh(v, proc, emptiest)
			}
		}
		return
	}
	for _, proc := range v.Touched() {
		f.refresh(v, int(proc), emptiest)
	}
}

// refresh puts a processor where it belongs.
func (f *fullness) refresh(v book.View, proc int, emptiest bool) {
	here := v.Residents(proc)
	sum, still := 0.0, true
	for _, s := range here {
		e := v.Entry(s)
		asked := e.Asked()
		switch promised := float64(e.Terms.Claim); {
		case math.IsInf(asked, 1): // late, or past its estimate: that does not change
			sum++
		case asked > promised*(1+1e-12), !e.Reserved() && asked > e.Speed*(1+1e-9):
			still = false
		default:
			sum += shareOf(promised, 1)
		}
	}
	f.place(proc, len(here) > 0 && still, len(here) > 0 && !still, sum, emptiest)
}

func (f *fullness) place(proc int, inOrder, apart bool, sum float64, emptiest bool) {
	rank := market.Share(sum).Rank()
	if !emptiest {
		rank = -rank
	}
	if f.order.has(proc) && (!inOrder || f.order.key[proc] != rank) {
		f.order.remove(proc)
	}
	if inOrder && !f.order.has(proc) {
		f.order.insert(proc, rank)
	}
	f.sums[proc] = sum
	switch at := f.at[proc]; {
	case apart && at == 0:
		f.apart = append(f.apart, market.Int32(proc))
		f.at[proc] = market.Int32(len(f.apart))
	case !apart && at != 0:
		last := f.apart[len(f.apart)-1]
		f.apart[at-1], f.at[last] = last, at
		f.apart = f.apart[:len(f.apart)-1]
		f.at[proc] = 0
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
	for _, proc := range f.apart {
		if load := p.claims(v, int(proc)); market.Share(load + rate).Fits(1) {
			rank := market.Share(load).Rank()
			if !emptiest {
				rank = -rank
			}
			p.choice = append(p.choice, candidate{rank: rank, proc: proc})
		}
	}
	from := math.Inf(-1)
	if !emptiest {
		// The fullest that may fit, but for rounding: those before it do not.
		from = -market.Share(1+2*float64(market.ShareSlack)-rate).Rank() - 1
	}
	found := 0
	f.order.from(from, func(proc int32, rank float64) bool {
		if market.Share(f.sums[proc] + rate).Fits(1) {
			p.choice = append(p.choice, candidate{rank: rank, proc: proc})
			found++
		} else if emptiest && rank > market.Share(1+2*float64(market.ShareSlack)-rate).Rank() {
			return false // and so is everybody after it
		}
		return found < want
	})
	proc := -1
	for range want {
		if proc = v.NextIdle(proc + 1); proc < 0 {
			break
		}
		p.choice = append(p.choice, candidate{proc: market.Int32(proc)})
	}
	return p.choice
}

// claims is the sum of the claims on a processor at this very instant.
func (p *proportional) claims(v book.View, proc int) float64 {
	sum, now, rating := 0.0, v.Now(), v.Rating(proc)
	for _, s := range v.Residents(proc) {
		sum += shareOf(p.claim(v.Entry(s), now), rating)
	}
	return sum
}

// ordered reports whether admission may go by the order of processors: where
// claims hold still between events, and one processor is like another.
func (p *proportional) ordered(v book.View, j *market.Job) bool {
	return p.replan == "touched" && p.commitment == "promised" && v.Ratings() == nil && v.Alike(j) &&
		j.SLA.Deadline.Finite() && !v.SomeUsedUp()
}
