package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// stakes keeps what is bid in every house, so that neither who comes nor who goes makes
// bid-share look at everybody: bids do not change with time, and a sum changes where
// somebody comes or goes.
//
// It is a cache: made anew from the book it is the same. Sums are never corrected but
// added up afresh, in the order of the jobs' numbers.
type stakes struct {
	of    book.View
	made  bool
	sums  []float64 // by house
	order ladder    // of the houses, the least that is bid first
	stale []int32   // houses whose sums may be others
	noted []bool    // by house: whether it is among those

	// What everybody got from the last plan of this policy for this book: whoever
	// resides in none of the houses that something has happened to since has it still.
	// Being asked for a price is no plan: a policy that was put in force a moment ago has
	// given nobody anything yet.
	paced   book.View
	planned bool
	due     []int32 // houses that something has happened to since
	owed    []bool  // by house: whether it is among those

	// Scratch.
	round uint32
	seen  []uint32 // by slot: the round in which it was listed
	slots []book.Slot
}

// grow makes room for houses that are new.
func (k *stakes) grow(v book.View) {
	for n := v.Houses(); len(k.sums) < n; {
		k.sums, k.noted, k.owed = append(k.sums, 0), append(k.noted, false), append(k.owed, false)
	}
	k.order.grow(v.Houses())
}

// put remembers the houses that something happened to since the last plan.
func (k *stakes) put(v book.View) {
	if k.made && k.of == v {
		k.attend(v)
	}
	if !k.planned || k.paced != v {
		return
	}
	k.grow(v)
	for _, h := range v.TouchedHouses() {
		if !k.owed[h] {
			k.owed[h] = true
			k.due = append(k.due, h)
		}
	}
}

// attend notes the houses whose sums may be others.
func (k *stakes) attend(v book.View) {
	k.grow(v)
	for _, h := range v.TouchedHouses() {
		if !k.noted[h] {
			k.noted[h] = true
			k.stale = append(k.stale, h)
		}
	}
}

// sync makes it the stakes of a book, or brings it up to date.
func (k *stakes) sync(v book.View, p *bidShare) {
	if k.made && k.of == v {
		k.attend(v)
	} else {
		k.of, k.made = v, true
		k.sums, k.noted, k.stale, k.order = nil, nil, k.stale[:0], ladder{}
		k.owed, k.due, k.planned = nil, nil, false
		k.grow(v)
		for h := 1; h < v.Houses(); h++ {
			k.noted[h] = true
			k.stale = append(k.stale, market.Int32(h))
		}
	}
	for _, h := range k.stale {
		k.noted[h] = false
		k.add(v, p, h)
	}
	k.stale = k.stale[:0]
}

// add adds up what is bid in a house, and puts it where it belongs.
func (k *stakes) add(v book.View, p *bidShare, h int32) {
	house, sum := v.House(h), 0.0
	for _, s := range house.Residents {
		sum += p.offer(&v.Entry(s).Job)
	}
	k.sums[h] = sum
	if house.N == 0 {
		if k.order.has(h) {
			k.order.remove(h)
		}
		return
	}
	rank, first := market.RoundSignificant(sum/house.Rating), market.Int32(house.First())
	if k.order.has(h) {
		if k.order.at(h, rank, first) {
			return
		}
		k.order.remove(h)
	}
	k.order.insert(h, rank, first)
}

// least lists the processors on which the least is bid, as many as are wanted if there
// are so many: idle ones first, since everybody bids something.
func (k *stakes) least(v book.View, p *bidShare, want int, to []candidate) []candidate {
	k.sync(v, p)
	if to = idleOnes(v, want, to); len(to) == want {
		return to
	}
	last, reach := math.NaN(), int32(0)
	k.order.from(math.Inf(-1), func(h int32, rank float64, first int32) bool {
		// Enough are found, and none of those after this one is before any of them.
		if len(to) >= want && (rank != last || first > reach) {
			return false
		}
		if rank != last {
			last, reach = rank, 0
		}
		to = inHouse(v.House(h), rank, want, to)
		reach = max(reach, to[len(to)-1].proc)
		return true
	})
	return to
}

// concerned lists, as they are listed among those that run, the jobs whose share may be
// another than at the last plan: all, if this is the first one.
func (k *stakes) concerned(v book.View, p *bidShare) []book.Slot {
	k.put(v)
	k.sync(v, p)
	if !k.planned || k.paced != v {
		k.paced, k.planned = v, true
		return v.Running()
	}
	k.round++
	k.slots = k.slots[:0]
	for _, h := range k.due {
		k.owed[h] = false
		for _, s := range v.House(h).Residents {
			for len(k.seen) <= int(s) {
				k.seen = append(k.seen, 0)
			}
			if k.seen[s] != k.round {
				k.seen[s] = k.round
				k.slots = append(k.slots, s)
			}
		}
	}
	k.due = k.due[:0]
	slices.SortFunc(k.slots, func(a, b book.Slot) int { return cmp.Compare(v.Place(a), v.Place(b)) })
	return k.slots
}
