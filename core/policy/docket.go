package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// docket keeps of every processor, where the earliest deadline goes first, what can be said
// of a job at the door without a look at its tasks, and until when its speeds are right; and
// the same of many processors together, in a tree. So neither an arrival nor an event has
// to ask everybody.
//
// As long as nothing happens on a processor it works off its mandatory parts one after the
// other, and none of them is done sooner than was kept: what is kept holds while time passes.
//
// It is a cache: made anew from the book it is the same.
type docket struct {
	of       book.View
	n        int          // processors
	blocks   []*block     // nil: nothing is known of any of them, and nobody is there
	over     []slip       // of the whole at 1, of the halves of place i at 2i and 2i+1, of blocks last
	away     int          // the place of the first block
	behind   []int32      // places of blocks whose sums are of slips before
	isBehind []bool       // by block
	newest   market.JobID // of all that were ever there
	found    []bool       // scratch, by task
}

// block is so many processors that are looked through one after the other.
type block struct {
	slips    [1 << blockBits]slip
	lines    [1 << blockBits]line
	versions [1 << blockBits]uint32 // of the processors those are of
}

const blockBits = 4

// line is the parts on a processor, by deadline.
type line []stub

// stub is what is kept of a part.
type stub struct {
	left    market.Work // at since
	since   market.Time
	speed   float64
	due     market.Time
	rank    float64 // as deadlines compare
	job     market.JobID
	slot    book.Slot
	task    int32 // in the list of the processor
	class   class // as long as it has something left
	refines bool  // its job has an optional part
}

// slip is what is kept of a processor, or holds of each of several.
type slip struct {
	until market.Time // its speeds are right until then
	first float64     // the earliest deadline of what is promised, as deadlines compare
	clear market.Time // when that is done; never, where there is none
	all   market.Time // when all is done that is promised
	last  float64     // the latest deadline
	slack market.Time // how much later the part of the latest deadline could be done
	spare market.Time // how much later all of them could be done
	stake float64     // what its optional parts reckon with, 0 where there are none
}

// anything is the slip of a processor of which nothing is known.
func anything(until market.Time) slip {
	return slip{
		until: until, first: math.Inf(1), clear: market.Never, all: market.Time(math.Inf(-1)),
		last: math.Inf(1), slack: market.Never, spare: market.Never, stake: math.Inf(1),
	}
}

// nobody is the slip of no processor at all.
var nobody = slip{
	until: market.Never, first: math.Inf(-1), clear: market.Never, all: market.Never,
	last: math.Inf(1), slack: market.Time(math.Inf(-1)), spare: market.Time(math.Inf(-1)),
}

// with makes it that of more processors.
func (s *slip) with(o *slip) {
	s.until, s.clear, s.all, s.last = min(s.until, o.until), min(s.clear, o.clear), min(s.all, o.all), min(s.last, o.last)
	s.first, s.slack, s.spare, s.stake = max(s.first, o.first), max(s.slack, o.slack), max(s.spare, o.spare), max(s.stake, o.stake)
}

// unused is the slip of a processor that nobody is on.
var unused = func() slip {
	s := anything(market.Never)
	s.stake = 0
	return s
}()

// begin makes it the docket of a book. If it was none of that, nothing is known of those who have tasks.
func (d *docket) begin(v book.View) {
	if d.of == v && d.n == v.Processors() {
		return
	}
	*d = docket{of: v, n: v.Processors(), away: 1}
	for d.away<<blockBits < d.n {
		d.away *= 2
	}
	d.blocks, d.over, d.isBehind = make([]*block, d.away), make([]slip, 2*d.away), make([]bool, d.away)
	for proc := range d.n {
		if len(v.Tasks(proc)) > 0 {
			d.block(proc).slips[proc&(1<<blockBits-1)] = anything(market.Time(math.Inf(-1)))
		}
	}
	for i := 2*d.away - 1; i > 0; i-- {
		d.over[i] = d.sum(i)
	}
}

// block is that of a processor.
func (d *docket) block(proc int) *block {
	at := proc >> blockBits
	if d.blocks[at] == nil {
		b := &block{}
		for k := range b.slips {
			b.slips[k] = unused
		}
		d.blocks[at] = b
	}
	return d.blocks[at]
}

// on is the slip of a processor.
func (d *docket) on(proc int) *slip {
	if b := d.blocks[proc>>blockBits]; b != nil {
		return &b.slips[proc&(1<<blockBits-1)]
	}
	return &unused
}

// known reports whether what is kept of a processor is of the tasks that are there.
func (d *docket) known(v book.View, proc int) bool {
	b := d.blocks[proc>>blockBits]
	return b != nil && b.versions[proc&(1<<blockBits-1)] == v.Version(proc)
}

// line is the parts on a processor. Who was there before and still is keeps his place, and only who is new is
// looked up: what a task has of its job does not change but for its deadline.
func (d *docket) line(v book.View, proc int) line {
	tasks := v.Tasks(proc)
	if len(tasks) == 0 && d.blocks[proc>>blockBits] == nil {
		return nil
	}
	b, k := d.block(proc), proc&(1<<blockBits-1)
	if b.versions[k] == v.Version(proc) {
		return b.lines[k]
	}
	old, still := b.lines[k], 0
	d.found = append(d.found[:0], make([]bool, len(tasks))...)
	for i := range old {
		s := &old[i]
		at := s.find(tasks)
		if at < 0 {
			continue
		}
		d.found[at] = true
		s.follow(&tasks[at], at)
		if i > still {
			old[still] = *s
		}
		still++
	}
	kept := old[:still]
	for at := range tasks {
		if still == len(tasks) {
			break // nobody is new
		}
		if d.found[at] {
			continue
		}
		t := &tasks[at]
		s := stub{due: t.Due, rank: t.Due.Rank(), job: t.Job, slot: t.Slot, refines: !v.Entry(t.Slot).Job.Optional.Done()}
		s.follow(t, at)
		d.newest = max(d.newest, s.job)
		kept = kept.with(s)
		still++
	}
	b.lines[k] = kept
	return kept
}

// with puts a part in its place.
func (l line) with(s stub) line {
	if l == nil {
		l = make(line, 0, 4)
	}
	at := len(l)
	for l = append(l, s); at > 0 && (l[at-1].rank > s.rank || l[at-1].rank == s.rank && l[at-1].job > s.job); at-- {
		l[at] = l[at-1]
	}
	l[at] = s
	return l
}

// find is where the task of a part is now, or -1: most stay where they are, or come after one less.
func (s *stub) find(tasks []book.Task) int {
	for at := min(int(s.task), len(tasks)-1); at >= 0; at-- {
		if s.isOf(&tasks[at]) {
			return at
		}
	}
	for at := int(s.task) + 1; at < len(tasks); at++ {
		if s.isOf(&tasks[at]) {
			return at
		}
	}
	return -1
}

func (s *stub) isOf(t *book.Task) bool { return t.Slot == s.slot && t.Job == s.job && t.Due == s.due }

// follow makes it that of its task as that is now.
func (s *stub) follow(t *book.Task, at int) {
	s.task, s.class = market.Int32(at), mandatory
	s.left, s.since, s.speed = t.Left, t.Since, t.Speed
	switch {
	case t.BestEffort:
		s.class = guest
	case t.Reserved:
		s.class = kept
	case t.Refining:
		s.class = optional
	}
}

// sum is what holds of all processors below a place.
func (d *docket) sum(i int) slip {
	if i < d.away {
		s := d.over[2*i]
		s.with(&d.over[2*i+1])
		return s
	}
	s, from := nobody, (i-d.away)<<blockBits
	if from >= d.n {
		return s
	}
	b := d.blocks[i-d.away]
	if b == nil {
		return unused
	}
	for k := range b.slips[:min(1<<blockBits, d.n-from)] {
		s.with(&b.slips[k])
	}
	return s
}

// set keeps another slip of a processor, and how fast its parts advance. A job has several next to each other, so they
// are summed when somebody looks.
func (d *docket) set(v book.View, proc int, s slip) {
	b, at, k := d.block(proc), proc>>blockBits, proc&(1<<blockBits-1)
	b.versions[k] = v.Version(proc)
	tasks, line := v.Tasks(proc), b.lines[k]
	for i := range line {
		if q, t := &line[i], &tasks[line[i].task]; q.speed != t.Speed {
			q.left, q.since, q.speed = t.Left, t.Since, t.Speed
		}
	}
	if b.slips[k] == s {
		return
	}
	b.slips[k] = s
	if !d.isBehind[at] {
		d.isBehind[at] = true
		d.behind = append(d.behind, market.Int32(d.away+at))
	}
}

// catchUp makes all sums those of the slips that there are.
func (d *docket) catchUp() {
	for _, at := range d.behind {
		d.isBehind[int(at)-d.away] = false
		for i := int(at); i > 0; i /= 2 {
			sum := d.sum(i)
			if d.over[i] == sum {
				break
			}
			d.over[i] = sum
		}
	}
	d.behind = d.behind[:0]
}

// until is until when all speeds are right.
func (d *docket) until() market.Time {
	d.catchUp()
	return d.over[1].until
}

// walk visits the processors whose slips are wanted, in the order of their numbers. A slip
// of several is wanted if that of any of them may be; the lowest of their numbers is from.
func (d *docket) walk(wanted func(s *slip, from int) bool, visit func(proc int)) {
	if d.away > 0 {
		d.catchUp()
		d.below(1, 0, d.away, wanted, visit)
	}
}

// below walks through the blocks from one on, which are so many.
func (d *docket) below(i, from, blocks int, wanted func(s *slip, from int) bool, visit func(proc int)) {
	if !wanted(&d.over[i], from<<blockBits) {
		return
	}
	if blocks /= 2; blocks > 0 {
		d.below(2*i, from, blocks, wanted, visit)
		d.below(2*i+1, from+blocks, blocks, wanted, visit)
		return
	}
	b := d.blocks[i-d.away]
	for k := range min(1<<blockBits, d.n-from<<blockBits) {
		proc, s := from<<blockBits+k, &unused
		if b != nil {
			s = &b.slips[k]
		}
		if wanted(s, proc) {
			visit(proc)
		}
	}
}
