package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// candidate is a processor that could take a job. The smallest rank goes
// first, then the lowest number.
type candidate struct {
	rank float64
	proc int32
}

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.proc < d.proc
}

// together keeps of the candidates those that have room at once, the first of
// each node. The processors of a node share its memory, disk and GPUs: where one task
// fits on either of two processors, two may not fit. Threads must share a node.
func together(v book.View, j *market.Job, from []candidate) []candidate {
	if !v.Choosy(j) {
		return from
	}
	slices.SortFunc(from, func(a, b candidate) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	s := seats{v: v, j: j, kept: from[:0]}
	for _, c := range from {
		s.take(c)
	}
	return s.kept
}

// pick puts the n first of the candidates into a set of processors. It does
// not sort what it does not need: of 128 nodes a job takes a few.
func pick(from []candidate, n int, into market.Procs) market.Procs {
	firstOnes(from, n)
	return procsOf(from[:n], into)
}

// procsOf puts candidates into a set of processors.
func procsOf(chosen []candidate, into market.Procs) market.Procs {
	if set, ok := gathered(chosen, into[:0]); ok {
		return set
	}
	if len(chosen) <= few {
		byProcessor(chosen)
	} else {
		slices.SortFunc(chosen, func(a, b candidate) int { return int(a.proc - b.proc) })
	}
	into = into[:0]
	for _, c := range chosen {
		into = into.Add(int(c.proc))
	}
	return into
}

// gathered puts candidates into a set of processors as they come, as long as they are near each other: in
// few blocks it is sooner found where each belongs than who is before whom.
func gathered(chosen []candidate, into market.Procs) (set market.Procs, ok bool) {
	const blocks = 8
	for _, c := range chosen {
		index, bit := c.proc>>6, uint64(1)<<(c.proc&63)
		at := 0
		for at < len(into) && into[at].Index < index {
			at++
		}
		if at < len(into) && into[at].Index == index {
			into[at].Bits |= bit
			continue
		}
		if len(into) == blocks {
			return into, false
		}
		into = slices.Insert(into, at, market.Block{Bits: bit, Index: index})
	}
	return into, true
}

// few are put in order one by one: most jobs are narrow.
const few = 32

func byProcessor(c []candidate) {
	for i := 1; i < len(c); i++ {
		x, at := c[i], i
		for ; at > 0 && c[at-1].proc > x.proc; at-- {
			c[at] = c[at-1]
		}
		c[at] = x
	}
}

// firstOnes moves the n first candidates to the front, in no order (Hoare's
// selection; the middle element as pivot keeps ties and sorted input cheap).
func firstOnes(c []candidate, n int) {
	if n == 1 { // half of all jobs are serial
		first := 0
		for i := range c {
			if c[i].before(c[first]) {
				first = i
			}
		}
		c[0], c[first] = c[first], c[0]
		return
	}
	low, high := 0, len(c)-1
	for low < high {
		pivot := c[(low+high)/2]
		i, j := low, high
		for i <= j {
			for c[i].before(pivot) {
				i++
			}
			for pivot.before(c[j]) {
				j--
			}
			if i <= j {
				c[i], c[j] = c[j], c[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			high = j
		case n-1 >= i:
			low = i
		default:
			return
		}
	}
}
