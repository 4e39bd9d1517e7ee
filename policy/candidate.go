package policy

import (
	"slices"

	"libra/market"
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

// pick puts the n first of the candidates into a set of processors. It does
// not sort what it does not need: of 128 nodes a job takes a few.
func pick(from []candidate, n int, into market.Procs) market.Procs {
	firstOnes(from, n)
	chosen := from[:n]
	slices.SortFunc(chosen, func(a, b candidate) int { return int(a.proc - b.proc) })
	into = into[:0]
	for _, c := range chosen {
		into = into.Add(int(c.proc))
	}
	return into
}

// firstOnes moves the n first candidates to the front, in no order (Hoare's
// selection; the middle element as pivot keeps ties and sorted input cheap).
func firstOnes(c []candidate, n int) {
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
