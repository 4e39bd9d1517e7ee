package cgroup

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// holding is what a group may have, as far as that says what it can wait for.
type holding struct {
	processors int     // at a time
	cpus       []int   // that they are; nil: any
	share      float64 // of them all together, in processors; 0 or less: all
}

func (l *Limits) holding() holding {
	n := cmp.Or(len(l.CPUs), l.Processors, runtime.NumCPU())
	return holding{processors: n, cpus: l.CPUs, share: l.CPU}
}

// others is what a group waited for others, of what its threads wanted between two
// looks.
//
// The kernel says how long each thread was ready and did not run, but not who did. A
// herd of threads that wake together, run for a moment each and sleep again wait for
// each other, and the sum of that is many times what the group was ever kept from.
// On n processors no more than n threads can run at a time; so n of them, those that
// wanted most, are taken for what the group wanted, and what the group had is taken
// off, whichever of its threads had it. Threads that keep themselves to some
// processors can have no more than those, and on none of several processors can they
// have more than what the group was granted on it.
func (h holding) others(wants []wanted, used, passed time.Duration, allowed func(tid int) *unix.CPUSet) time.Duration {
	sum := time.Duration(0)
	for _, w := range wants {
		sum += w.waited
	}
	if sum == 0 {
		return 0
	}
	most := time.Duration(math.MaxInt64)
	if h.processors > 1 && h.share > 0 && passed > 0 {
		most = time.Duration(h.share / float64(h.processors) * float64(passed))
	}
	wanted := time.Duration(0)
	for _, w := range h.running(wants, allowed) {
		wanted += min(w.all(), most)
	}
	return max(0, min(sum, wanted-used))
}

// running are the threads that wanted most of all that could run at a time.
func (h holding) running(wants []wanted, allowed func(tid int) *unix.CPUSet) []wanted {
	slices.SortFunc(wants, func(a, b wanted) int { return cmp.Or(cmp.Compare(b.all(), a.all()), cmp.Compare(a.tid, b.tid)) })
	if h.processors <= 1 {
		return wants[:min(1, len(wants))]
	}
	seats := seating{at: map[int]*unix.CPUSet{}, full: map[unix.CPUSet]bool{}}
	if h.cpus != nil {
		seats.cpus = new(unix.CPUSet)
		for _, c := range h.cpus {
			seats.cpus.Set(c)
		}
	}
	var some []wanted
	for _, w := range wants {
		if len(some) == h.processors {
			break
		}
		if seats.take(allowed(w.tid)) {
			some = append(some, w)
		}
	}
	return some
}

// seating gives threads processors that they may run on, one each.
type seating struct {
	cpus *unix.CPUSet // that there are; nil: all
	at   map[int]*unix.CPUSet
	full map[unix.CPUSet]bool // for a thread that may run on these there is none
}

// take finds a processor for one more thread, moving others to other processors of
// theirs if need be. Where there is none now there is none later: whoever sits stays.
func (s *seating) take(allowed *unix.CPUSet) bool {
	if s.full[*allowed] {
		return false
	}
	if s.move(allowed, &unix.CPUSet{}) {
		return true
	}
	s.full[*allowed] = true
	return false
}

func (s *seating) move(allowed, tried *unix.CPUSet) bool {
	for cpu := range len(allowed) * cpuBits {
		if !allowed.IsSet(cpu) || tried.IsSet(cpu) || s.cpus != nil && !s.cpus.IsSet(cpu) {
			continue
		}
		tried.Set(cpu)
		if sits := s.at[cpu]; sits == nil || s.move(sits, tried) {
			s.at[cpu] = allowed
			return true
		}
	}
	return false
}

// cpuBits are in each word of a set of processors.
const cpuBits = 32 << (^uint(0) >> 63)

// pinning is where a thread keeps itself.
type pinning struct {
	to   unix.CPUSet
	left int // looks until it is asked whether it keeps itself to less only
}

// pinnedFor is for how many looks a thread is taken to keep itself where it was seen
// to: who does so only while nobody looks is seen sooner or later.
const pinnedFor = 30

// look asks the kernel. What cannot be asked may run anywhere.
func (p *pinning) look(tid int) {
	var now unix.CPUSet
	if unix.SchedGetaffinity(tid, &now) != nil {
		for i := range now {
			now[i] = ^now[i]
		}
	}
	p.see(&now)
}

func (p *pinning) see(now *unix.CPUSet) {
	if p.left--; p.left <= 0 || now.Count() <= p.to.Count() {
		p.to, p.left = *now, pinnedFor
	}
}
