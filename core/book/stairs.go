package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// stairs are the first jobs of an order of which each is shorter than all before it:
// whoever is the first to be short enough is one of them. A pass asks every order for
// that and takes one job out of one of them, so that it is worth while to know them,
// and to look for who comes after one only when that one leaves.
type stairs struct {
	n         int
	whole     bool // there is no further one
	estimates [mostStairs]float64
	places    [mostStairs]place
	slots     [mostStairs]Slot
	spots     [mostStairs]int32 // where each was on its page when it was found: those before it may have left since
}

// mostStairs is how many are kept. Of a thousand jobs in any order seven are shorter than
// all before them; where there are more the pages are gone along.
const mostStairs = 24

// insert says that a job has come.
func (t *stairs) insert(at place, estimate float64, s Slot, spot int) {
	k := t.n
	for k > 0 && at.before(t.places[k-1]) {
		k--
	}
	if k > 0 && t.estimates[k-1] <= estimate || k == t.n && !t.whole {
		return
	}
	next := k // the first behind it that is still shorter than all before it
	for next < t.n && t.estimates[next] >= estimate {
		next++
	}
	if next == k {
		t.open(k)
	} else {
		t.close(k+1, next)
	}
	if k < mostStairs {
		t.put(k, at, estimate, s, spot)
	}
}

func (t *stairs) put(k int, at place, estimate float64, s Slot, spot int) {
	t.estimates[k], t.places[k], t.slots[k], t.spots[k] = estimate, at, s, market.Int32(spot)
}

// open makes room for a k-th, for which the last has to go where there are too many.
func (t *stairs) open(k int) {
	if t.n == mostStairs {
		t.whole = false
	} else {
		t.n++
	}
	if k+1 < t.n {
		copy(t.estimates[k+1:t.n], t.estimates[k:])
		copy(t.places[k+1:t.n], t.places[k:])
		copy(t.slots[k+1:t.n], t.slots[k:])
		copy(t.spots[k+1:t.n], t.spots[k:])
	}
}

// close takes out those from one number on to before another.
func (t *stairs) close(from, to int) {
	if from < to && to < t.n {
		copy(t.estimates[from:], t.estimates[to:t.n])
		copy(t.places[from:], t.places[to:t.n])
		copy(t.slots[from:], t.slots[to:t.n])
		copy(t.spots[from:], t.spots[to:t.n])
	}
	t.n -= to - from
}

// find is which of them a job is, or -1.
func (t *stairs) find(at place, estimate float64) int {
	for k := range t.n {
		if t.estimates[k] <= estimate {
			if t.places[k] == at {
				return k
			}
			return -1
		}
	}
	return -1
}

// climb puts in place of the k-th, who was the i-th of the n-th page and has left, those
// behind him who are shorter than all before them now.
func (o *order) climb(k, n, i int) {
	t := &o.stairs
	bound, until := math.Inf(1), math.Inf(-1)
	if k > 0 {
		bound = t.estimates[k-1]
	}
	if k+1 < t.n {
		until = t.estimates[k+1]
	}
	vacant, whole := true, true
pages:
	for ; n < len(o.pages); n, i = n+1, 0 {
		if o.leasts[n] >= bound {
			continue
		}
		page := o.pages[n]
		for ; i < page.n; i++ {
			estimate := page.estimates[i]
			if estimate >= bound {
				continue
			}
			if estimate <= until {
				whole = t.whole
				break pages
			}
			if k == mostStairs {
				whole = false
				break pages
			}
			if !vacant {
				t.open(k)
			}
			t.put(k, page.places[i], estimate, page.slots[i], i)
			bound, vacant = estimate, false
			k++
		}
	}
	if vacant {
		t.close(k, k+1)
	}
	t.whole = whole
}
