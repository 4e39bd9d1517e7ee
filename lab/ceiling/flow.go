package ceiling

import (
	"math"
	"slices"
)

// rounding is what sums of many numbers may be wrong by, as a part of them.
const rounding = 1e-9

// demand is jobs that are alike: they may run in some stretches of time, each on no more
// than one processor.
type demand struct {
	first, last int       // stretches: first <= s < last
	jobs        float64   // how many
	got         []float64 // processor-seconds in each

	level int // how far a search had to go to come here; -1: it did not
	next  int // stretch to try
}

// schedule is how many processor-seconds of each stretch of time everybody gets.
type schedule struct {
	cuts      []float64 // where one stretch ends and the next begins
	stretches []stretch
	demands   []demand

	least  float64 // what is less is rounding
	queue  []int   // demands that a search came to
	passed []int   // stretches that it did
}

// stretch is time between two events.
type stretch struct {
	seconds float64
	room    float64 // processor-seconds that nobody has got
	who     []int   // may run in it

	level int
	next  int // of who, to be moved
}

// newSchedule is an empty one: cut where something happens, with so many processors free
// from a time on.
func newSchedule(cuts []float64, free func(from float64) float64) *schedule {
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	s := &schedule{cuts: cuts}
	for i := 1; i < len(cuts); i++ {
		length := cuts[i] - cuts[i-1]
		s.stretches = append(s.stretches, stretch{seconds: length, room: free(cuts[i-1]) * length, level: -1})
	}
	return s
}

// add takes on jobs that may run from one of the cuts to another.
func (s *schedule) add(from, until float64, jobs int) {
	d := demand{jobs: float64(jobs), level: -1}
	d.first, _ = slices.BinarySearch(s.cuts, from)
	d.last, _ = slices.BinarySearch(s.cuts, until)
	d.got = make([]float64, max(0, d.last-d.first))
	for i := d.first; i < d.last; i++ {
		s.stretches[i].who = append(s.stretches[i].who, len(s.demands))
	}
	s.demands = append(s.demands, d)
}

// give does so many processor-seconds more for a demand, or as many as it can, and returns
// what it could not. Others may be moved to other stretches, but nobody loses
// anything.
func (s *schedule) give(who int, wanted float64) (left float64) {
	left, s.least = wanted, 1e-12*wanted
	// Every search finds longer ways than the one before; only rounding could make it go on.
	for rounds := 2*len(s.stretches) + 2; left > s.least && s.search(who); rounds-- {
		if rounds == 0 {
			return 0 // too much rather than too little
		}
		left -= s.push(who, left)
	}
	return math.Max(0, left-rounding*wanted)
}

// search goes out from a demand: to stretches in which it could get more, from those that
// are full to whoever could leave them, and so on, until there is room.
func (s *schedule) search(who int) (found bool) {
	for _, i := range s.queue {
		s.demands[i].level = -1
	}
	for _, i := range s.passed {
		s.stretches[i].level = -1
	}
	s.queue, s.passed = append(s.queue[:0], who), s.passed[:0]
	s.demands[who].level, s.demands[who].next = 0, s.demands[who].first
	for head := 0; head < len(s.queue); head++ {
		d := &s.demands[s.queue[head]]
		for i := d.first; i < d.last; i++ {
			st := &s.stretches[i]
			if st.level >= 0 || d.more(i, st) <= s.least {
				continue
			}
			st.level, st.next = d.level+1, 0
			s.passed = append(s.passed, i)
			if st.room > s.least {
				found = true
				continue
			}
			for _, o := range st.who {
				if other := &s.demands[o]; other.level < 0 && other.got[i-other.first] > s.least {
					other.level, other.next = st.level+1, other.first
					s.queue = append(s.queue, o)
				}
			}
		}
	}
	return found
}

// more is what a demand could still get in a stretch.
func (d *demand) more(i int, st *stretch) float64 { return d.jobs*st.seconds - d.got[i-d.first] }

// push gets a demand more along the ways that a search has found.
func (s *schedule) push(who int, wanted float64) (got float64) {
	d := &s.demands[who]
	for d.next < d.last && wanted-got > s.least {
		st := &s.stretches[d.next]
		here := 0.0
		if amount := math.Min(wanted-got, d.more(d.next, st)); st.level == d.level+1 && amount > s.least {
			here = s.into(d.next, amount)
		}
		if here == 0 {
			d.next++
			continue
		}
		d.got[d.next-d.first] += here
		got += here
	}
	return got
}

// into takes room in a stretch, or that of somebody who finds other room.
func (s *schedule) into(i int, wanted float64) (got float64) {
	st := &s.stretches[i]
	if st.room > s.least {
		got = math.Min(wanted, st.room)
		st.room -= got
		return got
	}
	for ; st.next < len(st.who); st.next++ {
		o := st.who[st.next]
		other := &s.demands[o]
		has := other.got[i-other.first]
		if other.level != st.level+1 || has <= s.least {
			continue
		}
		if got = s.push(o, math.Min(wanted, has)); got > 0 {
			other.got[i-other.first] -= got
			return got
		}
	}
	return 0
}

// pay gives to the best-paying work first, and returns what is paid.
func (s *schedule) pay(list []piece, mips float64) (paid float64) {
	bestFirst(list)
	for _, p := range list {
		left := s.give(p.who, p.work/mips)
		paid += p.rate * (p.work - left*mips)
	}
	return paid * (1 + rounding)
}
