package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// soonest says which of the jobs that share processors will have used up its estimate
// first. Who arrives, or ends, gives another speed to all on his processors, and each of
// them would be moved in a heap. So jobs are kept in groups, by the first of their
// processors, and only groups stand in a heap: by a time that is not after that of any of theirs.
// Whoever comes to be later is not looked for: a group is looked through when it stands
// first and does not know any more who of them is.
type soonest struct {
	jobs   []timed // by slot
	groups []group // by number
	of     []int32 // by processor: its group and 1; 0: none
	free   []int32 // numbers of groups
	moved  []int32 // those that have come to stand earlier, or have lost somebody
	heap   usedUps // of groups, by floor
	unsure []int32 // scratch
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
	moved   bool
	sure    bool    // whether first is who it says
	first   usedUp  // of them
	floor   float64 // none of them will have no more left than rounding before
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
	g := &o.groups[j.group-1]
	if j.slack < g.floor {
		g.floor = j.slack
		o.move(j.group - 1)
	}
	if !g.sure {
		return
	}
	if x := (usedUp{at: at, id: j.id, slot: s}); s == g.first.slot {
		g.sure = at <= g.first.at
		g.first = x
	} else if x.before(&g.first) {
		g.first = x
	}
}

// move notes that a group may stand elsewhere.
func (o *soonest) move(g int32) {
	if group := &o.groups[g]; !group.moved {
		group.moved = true
		o.moved = append(o.moved, g)
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
		of := &o.groups[g]
		of.proc, of.sure, of.floor = proc, false, math.Inf(1)
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
	if o.groups[g].first.slot == s {
		o.groups[g].sure = false
	}
	if last == 0 {
		o.move(g)
	}
	return true
}

// settle puts groups where they belong.
func (o *soonest) settle() {
	for _, g := range o.moved {
		group := &o.groups[g]
		group.moved = false
		if len(group.members) > 0 {
			o.heap.set(usedUp{at: group.floor, slot: Slot(g)})
			continue
		}
		o.heap.remove(Slot(g))
		o.of[group.proc] = 0
		o.free = append(o.free, g)
	}
	o.moved = o.moved[:0]
}

// look looks through a group.
func (o *soonest) look(g int32) {
	group := &o.groups[g]
	floor := math.Inf(1)
	for i, s := range group.members {
		j := &o.jobs[s]
		floor = min(floor, j.slack)
		if x := (usedUp{at: j.at, id: j.id, slot: s}); i == 0 || x.before(&group.first) {
			group.first = x
		}
	}
	group.sure, group.floor = true, floor
	o.heap.set(usedUp{at: floor, slot: Slot(g)})
}

// first is who has used up his estimate first, and when; false: nobody is there.
func (o *soonest) first() (first usedUp, any bool) {
	o.settle()
	if len(o.heap.items) == 0 {
		return usedUp{}, false
	}
	for {
		top := market.Int32(int(o.heap.items[0].slot))
		if !o.groups[top].sure {
			o.look(top)
			continue
		}
		first = o.groups[top].first
		o.unsure = o.unsure[:0]
		o.heap.upTo(0, func() float64 { return first.at }, func(s Slot) {
			if g := &o.groups[s]; !g.sure {
				o.unsure = append(o.unsure, int32(s))
			} else if g.first.before(&first) {
				first = g.first
			}
		})
		if len(o.unsure) == 0 {
			return first, true
		}
		for _, g := range o.unsure {
			o.look(g)
		}
	}
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
