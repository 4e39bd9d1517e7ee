package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// soonest says which of the jobs that share processors will have used up its estimate
// first. Who arrives, or ends, gives another speed to all on his processors, and each of
// them would be moved in a heap. So jobs are kept in groups, by the first of their
// processors: a group in which something has changed is looked through once, when somebody
// asks, and only groups stand in a heap.
type soonest struct {
	jobs   []timed // by slot
	groups []group // by number
	of     []int32 // by processor: its group and 1; 0: none
	free   []int32 // numbers of groups
	stale  []int32 // those to be looked through
	heap   usedUps // of groups, by when one of theirs will have no more left than rounding
}

// timed is when the estimate of a job will be used up.
type timed struct {
	at    float64 // nothing is left
	slack float64 // no more than rounding is: never later
	id    market.JobID
	group int32 // its group and 1; 0: it is not there
	place int32 // among them
}

// group is the jobs that have one first processor.
type group struct {
	proc    int
	members []Slot
	stale   bool
	first   usedUp // of them
}

// set puts a job in, or notes that it will be done at another time.
func (o *soonest) set(s Slot, e *Entry, at, slack float64) {
	for int(s) >= len(o.jobs) {
		o.jobs = append(o.jobs, timed{})
	}
	j := &o.jobs[s]
	if j.group == 0 {
		j.id = e.Job.ID
		o.join(s, firstOf(e.Procs))
	}
	j.at, j.slack = at, min(at, slack)
	o.spoil(j.group - 1)
}

func (o *soonest) spoil(g int32) {
	if group := &o.groups[g]; !group.stale {
		group.stale = true
		o.stale = append(o.stale, g)
	}
}

// join puts a job into the group of its first processor.
func (o *soonest) join(s Slot, proc int) {
	for proc >= len(o.of) {
		o.of = append(o.of, 0)
	}
	g := o.of[proc] - 1
	if g < 0 {
		if n := len(o.free); n > 0 {
			g, o.free = o.free[n-1], o.free[:n-1]
		} else {
			g = market.Int32(len(o.groups))
			o.groups = append(o.groups, group{})
		}
		o.of[proc] = g + 1
		o.groups[g].proc = proc
	}
	members := &o.groups[g].members
	o.jobs[s].group, o.jobs[s].place = g+1, market.Int32(len(*members))
	*members = append(*members, s)
}

// has reports whether a job is there.
func (o *soonest) has(s Slot) bool { return int(s) < len(o.jobs) && o.jobs[s].group != 0 }

// remove takes a job out, and reports whether it was there.
func (o *soonest) remove(s Slot) bool {
	if !o.has(s) {
		return false
	}
	j := &o.jobs[s]
	g := j.group - 1
	members := o.groups[g].members
	last := len(members) - 1
	members[j.place] = members[last]
	o.jobs[members[last]].place = j.place
	o.groups[g].members = members[:last]
	j.group = 0
	o.spoil(g)
	return true
}

// settle looks through the groups in which something has changed.
func (o *soonest) settle() {
	for _, g := range o.stale {
		group := &o.groups[g]
		group.stale = false
		if len(group.members) == 0 {
			o.heap.remove(Slot(g))
			o.of[group.proc] = 0
			o.free = append(o.free, g)
			continue
		}
		slack := math.Inf(1)
		var first usedUp
		for i, s := range group.members {
			j := &o.jobs[s]
			slack = min(slack, j.slack)
			if i == 0 || j.at < first.at || j.at == first.at && j.id < first.id {
				first = usedUp{at: j.at, id: j.id, slot: s}
			}
		}
		group.first = first
		o.heap.set(usedUp{at: slack, slot: Slot(g)})
	}
	o.stale = o.stale[:0]
}

// first is who has used up his estimate first, and when; false: nobody is there.
func (o *soonest) first() (first usedUp, any bool) {
	o.settle()
	if len(o.heap.items) == 0 {
		return usedUp{}, false
	}
	first = o.groups[o.heap.items[0].slot].first
	o.heap.upTo(0, func() float64 { return first.at }, func(g Slot) {
		if f := &o.groups[g].first; f.before(&first) {
			first = *f
		}
	})
	return first, true
}

// upTo visits those of whom no more than rounding will be left by a time, which may come
// closer meanwhile.
func (o *soonest) upTo(bound func() float64, visit func(Slot)) {
	o.settle()
	o.heap.upTo(0, bound, func(g Slot) {
		for _, s := range o.groups[g].members {
			if o.jobs[s].slack <= bound() {
				visit(s)
			}
		}
	})
}
