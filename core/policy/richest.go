package policy

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// richest are the processors of a cluster that is not large that somebody is on, those whose tasks bring most
// first. None brings more with a further task than those and the task: who asks in this order need not
// go to the end, and what else bounds a processor is worked out when its turn comes.
type richest struct {
	list []wealth
	of   []wealth // by processor: as it stands in the list
	on   []bool   // by processor: whether it does

	come  []wealth // those who will be there
	spare []wealth // scratch
	gone  []int32  // scratch: places in the list
}

type wealth struct {
	worth float64
	proc  int32
}

func (x wealth) before(y wealth) bool {
	return x.worth > y.worth || x.worth == y.worth && x.proc < y.proc
}

func newRichest(processors int) richest {
	return richest{of: make([]wealth, processors), on: make([]bool, processors)}
}

// scattered is how many times as many as those who move there must be for it to be worth while to look for
// their places: else one who goes along the list is sooner done. Tests change it.
var scattered = 16

// renew puts processors where they belong that are not what they were: among those who come, if somebody is on
// them. Moved says of each processor whether it is one of them.
func (s *richest) renew(procs []int32, moved []bool) {
	many := len(s.list) > scattered*len(procs)
	if many {
		s.leaveFrom(procs)
	}
	for _, proc := range procs {
		s.on[proc] = false
	}
	for _, x := range s.come {
		s.on[x.proc], s.of[x.proc] = true, x
	}
	s.sortCome()
	if many {
		s.joinAt()
	} else {
		s.change(moved)
	}
	s.come = s.come[:0]
}

// change takes out who has moved, and puts those in who come.
func (s *richest) change(moved []bool) {
	list, at := s.list, 0
	if more := len(list) + len(s.come); cap(s.spare) < more {
		s.spare = make([]wealth, 2*more)
	}
	to := s.spare[:len(list)+len(s.come)]
	for _, x := range s.come {
		i := 0
		for ; i < len(list) && list[i].before(x); i++ {
			to[at] = list[i]
			at += one(!moved[list[i].proc])
		}
		list = list[i:]
		to[at] = x
		at++
	}
	for _, x := range list {
		to[at] = x
		at += one(!moved[x.proc])
	}
	s.list, s.spare = to[:at], s.list[:0]
}

// leaveFrom takes out who has moved, where they are few of many.
func (s *richest) leaveFrom(procs []int32) {
	s.gone = s.gone[:0]
	for _, proc := range procs {
		if s.on[proc] {
			s.gone = append(s.gone, market.Int32(s.place(len(s.list), s.of[proc])))
		}
	}
	slices.Sort(s.gone)
	for i, at := range s.gone {
		next := len(s.list)
		if i+1 < len(s.gone) {
			next = int(s.gone[i+1])
		}
		copy(s.list[int(at)-i:], s.list[at+1:next])
	}
	s.list = s.list[:len(s.list)-len(s.gone)]
}

// place is that of the first of so many that is not before another.
func (s *richest) place(of int, x wealth) int {
	low, high := 0, of
	for low < high {
		middle := (low + high) / 2
		if s.list[middle].before(x) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// sortCome puts in order who comes: a few of them at a time, and then those together.
func (s *richest) sortCome() {
	c := s.come
	s.spare = append(s.spare[:0], c...)
	for i := 0; i < len(c); i += run {
		s.rank(c[i:min(i+run, len(c))], s.spare[i:])
	}
	for n := run; n < len(c); n *= 2 {
		s.spare = append(s.spare[:0], c...)
		for i := 0; i < len(c); i += 2 * n {
			merge(c[i:], s.spare[i:min(i+n, len(c))], s.spare[min(i+n, len(c)):min(i+2*n, len(c))])
		}
	}
}

// run is how many are put in order at once.
const run = 16

// rank puts a few in order: everybody is compared with everybody, without a branch, and how many are before him is
// his place. In from they are the same.
func (s *richest) rank(to, from []wealth) {
	var keys, places [run]uint64
	for i := range to {
		key, proc, place := descending(from[i].worth), market.Bits(int(from[i].proc)), uint64(0)
		for j := range i {
			_, after := bits.Sub64(proc, market.Bits(int(from[j].proc)), 0)
			_, after = bits.Sub64(key, keys[j&(run-1)], after)
			places[j&(run-1)] += after
			place += 1 - after
		}
		keys[i&(run-1)], places[i&(run-1)] = key, place
	}
	for i := range to {
		to[places[i&(run-1)]] = from[i]
	}
}

// merge puts two runs together.
func merge(to, a, b []wealth) {
	at := 0
	for len(a) > 0 && len(b) > 0 {
		if b[0].before(a[0]) {
			to[at], b = b[0], b[1:]
		} else {
			to[at], a = a[0], a[1:]
		}
		at++
	}
	at += copy(to[at:], a)
	copy(to[at:], b)
}

// descending is a number in the order of others, the highest first.
func descending(x float64) uint64 {
	b := math.Float64bits(x)
	return ^(b ^ (-(b >> 63) | 1<<63))
}

// joinAt puts those in who come, where they are few of many.
func (s *richest) joinAt() {
	left := len(s.list)
	s.list = append(s.list, s.come...)
	for right := len(s.come) - 1; right >= 0; right-- {
		x := s.come[right]
		at := s.place(left, x)
		copy(s.list[at+right+1:], s.list[at:left])
		s.list[at+right], left = x, at
	}
}
