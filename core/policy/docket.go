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
	slips    []slip       // by processor
	versions []uint32     // of the processors those are of
	lines    [][]part     // by processor: the parts there, by deadline, as they were then
	newest   market.JobID // of all that were ever there
	found    []bool       // scratch, by task
	over     []slip       // of the whole at 1, of the halves of place i at 2i and 2i+1, of blocks of processors last
	away     int          // the place of the first block
	behind   []int32      // places of blocks whose sums are of slips before
	isBehind []bool       // by block
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

// A block is so many processors that are looked through one after the other.
const blockBits = 4

// begin makes it the docket of a book. If it was none of that, nothing is known of those who have tasks.
func (d *docket) begin(v book.View) {
	if d.of == v && len(d.slips) == v.Processors() {
		return
	}
	d.of, d.slips, d.lines, d.away = v, make([]slip, v.Processors()), make([][]part, v.Processors()), 1
	unused := anything(market.Never)
	unused.stake = 0
	for proc := range d.slips {
		d.slips[proc] = unused
		if len(v.Tasks(proc)) > 0 {
			d.slips[proc] = anything(market.Time(math.Inf(-1)))
		}
	}
	for d.away<<blockBits < len(d.slips) {
		d.away *= 2
	}
	d.over, d.versions = make([]slip, 2*d.away), make([]uint32, v.Processors())
	d.behind, d.isBehind = d.behind[:0], make([]bool, d.away)
	for i := 2*d.away - 1; i > 0; i-- {
		d.over[i] = d.sum(i)
	}
}

// line is the parts on a processor. Who was there before and still is keeps his place, and only who is new is
// looked up: what a task has of its job does not change but for its deadline.
func (d *docket) line(v book.View, proc int) []part {
	line := d.lines[proc]
	if d.versions[proc] == v.Version(proc) {
		return line
	}
	tasks, kept := v.Tasks(proc), line[:0]
	d.found = append(d.found[:0], make([]bool, len(tasks))...)
	for i := range line {
		q := &line[i]
		if at := q.find(tasks); at >= 0 {
			d.found[at] = true
			kept = append(kept, *q)
			kept[len(kept)-1].follow(&tasks[at], at)
		}
	}
	for at := range tasks {
		if !d.found[at] {
			t := &tasks[at]
			q := newPart(&v.Entry(t.Slot).Job, t.Due)
			q.slot, d.newest = t.Slot, max(d.newest, q.job)
			q.follow(t, at)
			i := len(kept)
			for kept = append(kept, q); i > 0 && byDeadline(&q, &kept[i-1]) < 0; i-- {
				kept[i] = kept[i-1]
			}
			kept[i] = q
		}
	}
	d.lines[proc] = kept
	return kept
}

// find is where the task of a part is now, or -1: most stay where they are, or come after one less.
func (q *part) find(tasks []book.Task) int {
	for at := min(int(q.task), len(tasks)-1); at >= 0; at-- {
		if q.isOf(&tasks[at]) {
			return at
		}
	}
	for at := int(q.task) + 1; at < len(tasks); at++ {
		if q.isOf(&tasks[at]) {
			return at
		}
	}
	return -1
}

func (q *part) isOf(t *book.Task) bool { return t.Slot == q.slot && t.Job == q.job && t.Due == q.due }

// follow makes the part that of its task as that is now.
func (q *part) follow(t *book.Task, at int) {
	q.task = market.Int32(at)
	q.left, q.since, q.speed, q.class = t.Left, t.Since, t.Speed, mandatory
	switch {
	case t.BestEffort:
		q.class = guest
	case t.Reserved:
		q.class = kept
	case t.Refining:
		q.class = optional
	}
}

// sum is what holds of all processors below a place.
func (d *docket) sum(i int) slip {
	if i < d.away {
		s := d.over[2*i]
		s.with(&d.over[2*i+1])
		return s
	}
	s := nobody
	block := d.block(i)
	for k := range block {
		s.with(&block[k])
	}
	return s
}

// block is the slips of a block of processors.
func (d *docket) block(i int) []slip {
	from := min((i-d.away)<<blockBits, len(d.slips))
	return d.slips[from:min(from+1<<blockBits, len(d.slips))]
}

// set keeps another slip of a processor, and how fast its parts advance. A job has several next to each other, so they
// are summed when somebody looks.
func (d *docket) set(v book.View, proc int, s slip) {
	d.versions[proc] = v.Version(proc)
	tasks, line := v.Tasks(proc), d.lines[proc]
	for i := range line {
		if q, t := &line[i], &tasks[line[i].task]; q.speed != t.Speed {
			q.left, q.since, q.speed = t.Left, t.Since, t.Speed
		}
	}
	if d.slips[proc] == s {
		return
	}
	d.slips[proc] = s
	if block := proc >> blockBits; !d.isBehind[block] {
		d.isBehind[block] = true
		d.behind = append(d.behind, market.Int32(d.away+block))
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
	block := d.block(i)
	for k := range block {
		if proc := from<<blockBits + k; wanted(&block[k], proc) {
			visit(proc)
		}
	}
}
