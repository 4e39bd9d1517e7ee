package policy

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// A job that not every processor will do for is put where asking all of them would put it, and
// they are not all asked: where it can be on few, those are, and else all in the order in which
// they would be chosen, until there are enough.

// fewProcs is up to how many processors are asked one by one rather than looked for in the order
// of all.
var fewProcs = 512

// firstWithRoom is first for such a job: as many processors as it is wide, or fewer if there are
// no more.
func (p *proportional) firstWithRoom(v book.View, j *market.Job, rate float64, emptiest bool) []candidate {
	p.full.sync(v, emptiest)
	p.choice = p.choice[:0]
	if !market.Share(rate).Fits(1) {
		return p.choice
	}
	reach, few := v.Reach(j), false
	if p.procs, few = reach.Few(fewProcs, p.procs[:0]); few {
		return p.ofFew(v, j, rate, emptiest)
	}
	w := walk{v: v, reach: reach, rate: rate, emptiest: emptiest, full: &p.full, cursors: p.cursors[:0]}
	w.begin(p)
	found := seats{v: v, j: j, kept: p.choice}
	for !found.enough() {
		c, more := w.next()
		if !more {
			break
		}
		if v.Room(int(c.proc), j) {
			found.take(c)
		}
	}
	p.choice, p.cursors = found.kept, w.cursors
	return p.choice
}

// ofFew asks those that are listed in procs.
func (p *proportional) ofFew(v book.View, j *market.Job, rate float64, emptiest bool) []candidate {
	for _, proc := range p.procs {
		h, load := v.HouseOf(int(proc)), 0.0
		switch {
		case h != 0 && p.full.at[h] != 0: // it stands apart
			load = p.claims(v, v.House(h))
		case h != 0:
			load = p.full.sums[h]
		case !v.IsIdle(int(proc)):
			continue
		}
		if market.Share(load+rate).Fits(1) && v.Room(int(proc), j) {
			p.choice = append(p.choice, candidate{rank: rankOf(load, emptiest), proc: proc})
		}
	}
	return together(v, j, p.choice)
}

// rankOf is the rank of a processor that is so full.
func rankOf(load float64, emptiest bool) float64 {
	if emptiest {
		return market.Share(load).Rank()
	}
	return -market.Share(load).Rank()
}

// walk goes along the processors that can take a job of a rate in the order in which they are chosen:
// houses by how full they are, and of equal ones the processors by their numbers. Who is idle is as
// empty as can be.
type walk struct {
	v        book.View
	reach    book.Reach
	rate     float64
	emptiest bool
	full     *fullness
	row, in  int      // the next rung of the ladder
	apart    []rung   // houses that stand apart, in order
	idle     int      // the next idle processor; -1: there is none left
	rank     float64  // of those that are open
	cursors  []cursor // a heap: the houses that are open, by their next processors
	edge     float64  // houses that are fuller cannot take it
}

// cursor is how far a house has been walked along.
type cursor struct {
	proc  int32 // the next processor
	procs market.Procs
	rest  uint64 // of its first block: those behind that one
	idle  bool   // it stands for those that nobody is on
}

// begin stands before the first one.
func (w *walk) begin(p *proportional) {
	w.edge = edgeOf(w.rate)
	for _, h := range w.full.apart {
		house := w.v.House(h)
		if load := p.claims(w.v, house); market.Share(load + w.rate).Fits(1) {
			w.apart = append(w.apart, rung{key: rankOf(load, w.emptiest), first: market.Int32(house.First()), house: h})
		}
	}
	slices.SortFunc(w.apart, func(a, b rung) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	begin := rung{key: math.Inf(-1), first: -1}
	if !w.emptiest {
		begin.key = -w.edge - 1
	}
	l := &w.full.order
	if w.row = l.row(&begin); w.row < len(l.rows) {
		w.in = rungIn(l.rows[w.row], &begin)
	}
	w.idle = w.reach.NextIdle(0)
	w.rank = math.Inf(-1)
}

// rung is the next house on the ladder that can take the job.
func (w *walk) rung() (r rung, more bool) {
	for rows := w.full.order.rows; w.row < len(rows); {
		if w.in == len(rows[w.row]) {
			w.row, w.in = w.row+1, 0
			continue
		}
		r = rows[w.row][w.in]
		if market.Share(w.full.sums[r.house] + w.rate).Fits(1) {
			return r, true
		}
		if w.emptiest && r.key > w.edge {
			w.row = len(rows) // nor do those after it
			break
		}
		w.in++
	}
	return rung{}, false
}

// next is the next processor.
func (w *walk) next() (c candidate, more bool) {
	if len(w.cursors) == 0 && !w.openRank() {
		return candidate{}, false
	}
	// Of equal houses those are opened that begin before the next processor.
	for r, more := w.rung(); more && r.key == w.rank && r.first < w.cursors[0].proc; r, more = w.rung() {
		w.open(r.house)
		w.in++
	}
	top := &w.cursors[0]
	c = candidate{rank: w.rank, proc: top.proc}
	if !w.advance(top) {
		last := len(w.cursors) - 1
		w.cursors[0] = w.cursors[last]
		w.cursors = w.cursors[:last]
	}
	w.sink(0)
	return c, true
}

// openRank opens the first houses of the rank that is next.
func (w *walk) openRank() bool {
	rank := math.Inf(1)
	r, onLadder := w.rung()
	if onLadder {
		rank = r.key
	}
	if len(w.apart) > 0 {
		rank = min(rank, w.apart[0].key)
	}
	if w.idle >= 0 {
		rank = min(rank, 0)
	}
	if w.rank = rank; math.IsInf(rank, 1) {
		return false
	}
	if onLadder && r.key == rank {
		w.open(r.house)
		w.in++
	}
	for len(w.apart) > 0 && w.apart[0].key == rank {
		w.open(w.apart[0].house)
		w.apart = w.apart[1:]
	}
	if w.idle >= 0 && rank == 0 {
		w.push(cursor{proc: market.Int32(w.idle), idle: true})
		w.idle = -1
	}
	return true
}

// open puts a house among those that are walked along.
func (w *walk) open(h int32) {
	c := cursor{procs: w.v.House(h).Procs}
	c.rest = c.procs[0].Bits
	w.advance(&c)
	w.push(c)
}

// advance moves a cursor to the next processor, if there is one.
func (w *walk) advance(c *cursor) bool {
	if c.idle {
		c.proc = market.Int32(w.reach.NextIdle(int(c.proc) + 1))
		return c.proc >= 0
	}
	for c.rest == 0 {
		if c.procs = c.procs[1:]; len(c.procs) == 0 {
			return false
		}
		c.rest = c.procs[0].Bits
	}
	c.proc = c.procs[0].Index<<6 + market.Int32(bits.TrailingZeros64(c.rest))
	c.rest &= c.rest - 1
	return true
}

func (w *walk) push(c cursor) {
	w.cursors = append(w.cursors, c)
	for i := len(w.cursors) - 1; i > 0; {
		up := (i - 1) / 2
		if w.cursors[up].proc < w.cursors[i].proc {
			return
		}
		w.cursors[up], w.cursors[i] = w.cursors[i], w.cursors[up]
		i = up
	}
}

func (w *walk) sink(i int) {
	for {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < len(w.cursors) && w.cursors[down].proc < w.cursors[least].proc {
				least = down
			}
		}
		if least == i {
			return
		}
		w.cursors[least], w.cursors[i] = w.cursors[i], w.cursors[least]
		i = least
	}
}
