package policy

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// turn is a job to be asked, in the order of their numbers.
type turn struct {
	id   market.JobID
	slot book.Slot
}

// turns are jobs to be asked.
type turns struct {
	list  []turn
	spare []turn // scratch
}

// byNumber sorts them by their numbers. A few, which mostly are in order, are each pushed
// down to where they belong. More of them are dealt out by the lower and then by the upper
// part of their numbers, which does not compare them at all: those who are there at the
// same time have numbers that are not far apart.
func (t *turns) byNumber() {
	jobs := t.list
	if len(jobs) <= fewTurns {
		for i := 1; i < len(jobs); i++ {
			next, at := jobs[i], i
			for ; at > 0 && jobs[at-1].id > next.id; at-- {
				jobs[at] = jobs[at-1]
			}
			jobs[at] = next
		}
		return
	}
	least, most := jobs[0].id, jobs[0].id
	for i := range jobs {
		least, most = min(least, jobs[i].id), max(most, jobs[i].id)
	}
	if uint64(most-least) >= dealt*dealt { //nolint:gosec // further apart than that, also where it is more than a number holds
		slices.SortFunc(jobs, func(a, b turn) int { return cmp.Compare(a.id, b.id) })
		return
	}
	t.spare = append(t.spare[:0], jobs...)
	deal(jobs, t.spare, least, 0)
	deal(t.spare, jobs, least, dealtBits)
}

const (
	fewTurns  = 24
	dealtBits = 8
	dealt     = 1 << dealtBits
)

// deal puts jobs in the order of some bits of their numbers, counted from the least, and
// leaves those that are alike in them as they are.
func deal(from, to []turn, least market.JobID, shift uint) {
	var ends [dealt]int32
	for i := range from {
		ends[uint8(uint64(from[i].id-least)>>shift)]++ //nolint:gosec // these bits alone
	}
	sum := int32(0)
	for i := range ends {
		ends[i], sum = sum, sum+ends[i]
	}
	for i := range from {
		at := &ends[uint8(uint64(from[i].id-least)>>shift)] //nolint:gosec // these bits alone
		to[*at] = from[i]
		*at++
	}
}
