package policy

import (
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
	} else {
		s.leave(moved)
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
		s.join()
	}
	s.come = s.come[:0]
}

// leave takes out who has moved.
func (s *richest) leave(moved []bool) {
	kept := s.list[:0]
	for _, x := range s.list {
		if !moved[x.proc] {
			kept = append(kept, x)
		}
	}
	s.list = kept
}

// leaveFrom is leave for few of many.
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

func (s *richest) sortCome() {
	c := s.come
	for i := 0; i < len(c); i += run {
		ranked(c[i:min(i+run, len(c))])
	}
	for n := run; n < len(c); n *= 2 {
		s.spare = append(s.spare[:0], c...)
		for i := 0; i < len(c); i += 2 * n {
			merge(c[i:], s.spare[i:min(i+n, len(c))], s.spare[min(i+n, len(c)):min(i+2*n, len(c))])
		}
	}
}

// run is how many are put in order one by one, before runs are put together.
const run = 8

func ranked(c []wealth) {
	for i := 1; i < len(c); i++ {
		x, at := c[i], i
		for ; at > 0 && x.before(c[at-1]); at-- {
			c[at] = c[at-1]
		}
		c[at] = x
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

// join puts those in who come, the last first.
func (s *richest) join() {
	left, right := len(s.list)-1, len(s.come)-1
	s.list = append(s.list, s.come...)
	for at := len(s.list) - 1; right >= 0; at-- {
		if left >= 0 && s.come[right].before(s.list[left]) {
			s.list[at] = s.list[left]
			left--
		} else {
			s.list[at] = s.come[right]
			right--
		}
	}
}

// joinAt is join for few of many.
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
