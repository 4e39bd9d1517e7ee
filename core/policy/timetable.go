package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// timetable is when the tasks of a processor are done that runs the earliest deadline first. It
// says at once whether one more fits: a task delays those that are due after it, by its length, and
// nobody else. As long as nothing happens there it stays true while time passes, until the first of them
// has had its estimate: who then goes on, in the time that others have to spare, makes them later.
type timetable struct {
	version uint32
	drawn   market.Time // before that somebody may still be at work who is not on it
	until   market.Time // after that, too
	stops
}

// stops are the tasks on a timetable, by deadline.
type stops []stop

// stop is a task on a timetable.
type stop struct {
	due   float64 // as deadlines compare
	done  market.Time
	spare market.Time // by how much it, and all after it, can be later
	left  market.Time // how long it takes
	until market.Time // due
}

// draw draws up the timetable of a processor. Who has had its estimate, or was promised nothing,
// waits for all others and is not on it.
func (t *timetable) draw(v book.View, proc int) {
	now, rating, tasks := v.Now(), v.Rating(proc), v.Tasks(proc)
	t.version, t.drawn, t.until, t.stops = v.Version(proc), now, market.Never, t.stops[:0]
	for i := range tasks {
		q := &tasks[i]
		left := q.LeftAt(now)
		if q.BestEffort || q.Refining || left.Done() {
			if q.Speed > 0 {
				t.until = now
			}
			continue
		}
		t.stops = append(t.stops, stop{due: q.Due.Rank(), until: q.Due, left: market.Time(float64(left) / rating)})
	}
	t.settle(now)
	if len(t.stops) > 0 {
		t.until = min(t.until, t.stops[0].done)
	}
}

// settle puts them in order and says when each is done.
func (t stops) settle(now market.Time) {
	slices.SortFunc(t, func(a, b stop) int {
		if a.due != b.due {
			return cmp.Compare(a.due, b.due)
		}
		return cmp.Compare(a.left, b.left)
	})
	free, spare := now, market.Never
	for i := range t {
		free += t[i].left
		t[i].done = free
	}
	for i := len(t) - 1; i >= 0; i-- {
		if e := &t[i]; e.until.Finite() {
			spare = min(spare, e.until-e.done)
		}
		t[i].spare = spare
	}
}

// fits reports when a task would be done that takes so long and has a deadline, and whether that is in
// time, and all others are then too.
func (t stops) fits(now, long, due market.Time) (done market.Time, ok bool) {
	rank, k := due.Rank(), len(t)
	for k > 0 && t[k-1].due > rank {
		k--
	}
	done = now + long
	if k > 0 {
		done = max(now, t[k-1].done) + long
	}
	return done, !done.After(due) && (k == len(t) || !long.After(t[k].spare))
}

// on is the timetable of a processor.
func (p *goingRate) on(v book.View, proc int) *timetable {
	t := &p.tables[proc]
	if now := v.Now(); t.version != v.Version(proc) || now < t.drawn || now > t.until {
		t.draw(v, proc)
	}
	return t
}

// fits finds processors for a job on whose timetables it fits, and leaves them in procs. Those that
// have nothing to do come first, then those that will be done with it soonest.
func (p *goingRate) fits(v book.View, j *market.Job) bool {
	if p.of != v || len(p.tables) != v.Processors() { // nobody knows whose they are
		p.of, p.tables = v, make([]timetable, v.Processors())
	}
	p.takes = p.takes[:0]
	if anywhere(v, j) && v.Idle() >= int(j.Width) { // they are all alike
		if (v.Now() + market.Time(j.Estimate)).After(j.Due()) {
			return false
		}
		p.takes = idleOnes(v, int(j.Width), p.takes)
	} else if anywhere(v, j) && !v.Choosy(j) && !p.everybody {
		p.search(v, j)
	} else {
		p.ask(v, j)
	}
	p.takes = together(v, j, p.takes)
	if len(p.takes) < int(j.Width) {
		return false
	}
	p.procs = pick(p.takes, int(j.Width), p.procs)
	return true
}

// search leaves in takes those who have nothing to do, who are too few, and of the others as many as
// are missing.
func (p *goingRate) search(v book.View, j *market.Job) {
	q := questOf(v, j)
	if q.floor.After(q.due) {
		return
	}
	p.takes = slices.DeleteFunc(idleOnes(v, v.Idle(), p.takes), func(c candidate) bool { return !v.Room(int(c.proc), j) })
	for i := range p.takes {
		p.takes[i].rank = math.Inf(-1) // before all others
	}
	q.fastest, q.last = true, q.due.Finite()
	missing := int(j.Width) - len(p.takes)
	p.edf.among(v, j, &q, missing, func(proc int) {
		if v.IsIdle(proc) {
			return
		}
		if done, ok := p.on(v, proc).fits(q.now, q.estimate, q.due); ok {
			p.edf.keep(placeOn(proc, 0, done), missing, true)
		}
	})
	for _, x := range p.edf.places {
		p.takes = append(p.takes, candidate{rank: x.finish.Rank(), proc: x.proc})
	}
}

// ask asks every processor.
func (p *goingRate) ask(v book.View, j *market.Job) {
	now, due, everywhere := v.Now(), j.Due(), v.AllRoom(j)
	for proc := range p.tables {
		if !everywhere && !v.Room(proc, j) {
			continue
		}
		done, ok := p.on(v, proc).fits(now, market.Time(float64(j.Estimate)/v.Rating(proc)), due)
		if !ok {
			continue
		}
		if v.IsIdle(proc) {
			done -= 1e12 // before all others, and among each other by when they are done
		}
		p.takes = append(p.takes, candidate{rank: done.Rank(), proc: market.Int32(proc)})
	}
}
