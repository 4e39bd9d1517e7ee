package policy

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// twins are processors with the very same tasks, each as far along and as fast: what a
// further task would bring is the same on all of them, so one is asked for all. In a large
// cluster most tasks of a wide job are on processors that nobody else is on, or
// nobody but those of another wide job. They are twins until something happens to one.
type twins struct {
	outlook outlook
	pile    book.Pile
	procs   []int32
}

// families are all twins; who has no twin is one by himself.
type families struct {
	all   []twins // by number; some have no processors
	free  []int32 // numbers of those
	seats []seat  // by processor
	met   []meeting
	round uint32
}

// seat is where a processor is among its twins.
type seat struct {
	family int32 // its number and 1; 0: none
	place  int32
}

// meeting is where processors meet to which something has happened since somebody last came, by a number that
// twins have in common. All that happens leaves its time on tasks: others are no twins of theirs.
type meeting struct {
	key    uint64
	family int32
	round  uint32
}

func newFamilies(processors int) families { return families{seats: make([]seat, processors)} }

// leave takes a processor away from its twins. Who was the last of them keeps the number, for what
// he is from now on.
func (f *families) leave(proc int32) {
	s := &f.seats[proc]
	if s.family == 0 {
		return
	}
	t := &f.all[s.family-1]
	last := len(t.procs) - 1
	moved := t.procs[last]
	t.procs[s.place] = moved
	f.seats[moved].place = s.place
	t.procs = t.procs[:last]
	if last > 0 {
		s.family = 0
	}
}

// meet begins a round of so many.
func (f *families) meet(n int) {
	f.round++
	if len(f.met) < 2*n || f.round == 0 {
		f.met, f.round = make([]meeting, 1<<bits.Len64(market.Bits(2*n+32))), 1
	}
}

// join puts a processor that has tasks beside its twins. Where there are none it is the first of a family, and
// that is new. The number that it had, if it has another now, is free; -1: none is.
func (f *families) join(v book.View, proc int32) (family int32, isNew bool, free int32) {
	tasks := v.Tasks(int(proc))
	key := keyOf(tasks)
	s := &f.seats[proc]
	places := market.Bits(len(f.met) - 1)
	at := key >> 32 & places
	for ; f.met[at].round == f.round; at = (at + 1) & places {
		if f.met[at].key != key {
			continue
		}
		family = f.met[at].family
		if t := &f.all[family]; slices.Equal(tasks, v.Tasks(int(t.procs[0]))) {
			free = s.family - 1
			*s = seat{family: family + 1, place: market.Int32(len(t.procs))}
			t.procs = append(t.procs, proc)
			return family, false, free
		}
	}
	if s.family == 0 {
		s.family = f.number()
	}
	family = s.family - 1
	f.met[at] = meeting{key: key, family: family, round: f.round}
	t := &f.all[family]
	t.procs, s.place = append(t.procs, proc), 0
	return family, true, -1
}

// number is that of a new family, and 1.
func (f *families) number() int32 {
	if last := len(f.free) - 1; last >= 0 {
		n := f.free[last]
		f.free = f.free[:last]
		return n + 1
	}
	f.all = append(f.all, twins{})
	return market.Int32(len(f.all))
}

// keyOf is a number that tasks which are the same have in common, and others hardly ever.
func keyOf(tasks []book.Task) uint64 {
	key := uint64(len(tasks))
	for i := range tasks {
		t := &tasks[i]
		key ^= market.Bits(t.Job) ^ math.Float64bits(float64(t.Left)) ^ bits.RotateLeft64(math.Float64bits(t.Speed), 21) ^ bits.RotateLeft64(math.Float64bits(t.Return), 42)
		key *= 0x9e3779b97f4a7c15
		key ^= key >> 29
	}
	return key
}

// regroup brings processors together that something happened to, with whoever is like them
// now, and bounds what each family could bring.
func (p *libraSLA) regroup(v book.View) {
	r := &p.ahead
	for _, proc := range r.fresh {
		r.noted[proc] = false
		r.families.leave(proc)
	}
	r.families.meet(len(r.fresh))
	for _, proc := range r.fresh { // all who are somewhere are now what they seem
		if len(v.Tasks(int(proc))) == 0 {
			if s := &r.families.seats[proc]; s.family != 0 {
				r.vacate(s.family - 1)
				s.family = 0
			}
			continue
		}
		family, isNew, free := r.families.join(v, proc)
		if free >= 0 {
			r.vacate(free)
		}
		if isNew {
			t := &r.families.all[family]
			t.pile = *v.Pile(int(proc))
			t.outlook.draw(v.Tasks(int(proc)), t.pile.Top, 1, v.Now())
			q := p.prospectOfAll(v, family)
			r.grove.set(&q)
			r.next.set(family, q.expires())
		}
	}
	r.fresh = r.fresh[:0]
}

// vacate forgets a family that has no processors any more.
func (r *prospects) vacate(family int32) {
	r.grove.set(&prospect{proc: family})
	r.next.set(family, market.Never)
	r.families.free = append(r.families.free, family)
}

// prospectOfAll is what bounds each of a family from now on.
func (p *libraSLA) prospectOfAll(v book.View, family int32) prospect {
	t := &p.ahead.families.all[family]
	q := prospect{proc: family}
	q.reckon(&t.outlook, v.Tasks(int(t.procs[0])), &t.pile, v.Now(), p.ahead.part)
	return q
}

// askAny asks one of a family, for all.
func (p *libraSLA) askAny(v book.View, added *book.Task, family int32, n int) {
	t := &p.ahead.families.all[family]
	worth, ok := p.worthwhileBy(v, int(t.procs[0]), &t.outlook, &t.pile, added)
	if !ok {
		return
	}
	for _, proc := range t.procs {
		p.choices = append(p.choices, candidate{rank: -worth, proc: proc})
		p.keepBest(worth, n)
	}
}
