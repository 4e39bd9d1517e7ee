package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// mandatoryFirst is the site of 003 as a live cluster can be one: every job has
// a mandatory part, which is its estimate and worth its budget, and may have an
// optional part, which pays for each second of it that was executed by the
// deadline. On each processor the unfinished mandatory part with the earliest
// deadline runs at full speed and all else stands still; where there is none,
// the first optional part in the order of the policy does (section 3.2 and 3.3).
//
// It differs from the site of the paper in one thing. There parts migrate freely
// between processors; here programs cannot, so a job is put on its processors at
// the door and stays, and what the paper decides for a site is decided for each
// processor. With one processor the two are the same, job by job. A job of
// several processors is so many independent tasks, each with both parts, and is
// worth its budget in equal portions.
//
// A job without a deadline is never late and never first. A mandatory part past
// its estimate comes after those that are not: it was not reckoned with. Who was
// promised nothing, or is past his deadline with an optional part, shares with
// his like what all others leave.
type mandatoryFirst struct {
	order  string   // of optional parts: "deadline", "budget" or "rate"
	orders []string // among which an owner may choose
	refuse string
	least  reserve
	lends  bool // who has had its estimate goes on in the time that others have to spare

	// Scratch.
	parts  []part // of one processor
	others []part // those of them that were promised something
	places []place
	takes  []candidate
	speeds []float64
	docket docket
	stale  []int // processors
}

// newMandatoryFirst has the first of the orders of optional parts, unless told otherwise.
func newMandatoryFirst(orders ...string) *mandatoryFirst {
	return &mandatoryFirst{order: orders[0], orders: orders, refuse: "no-gain"}
}

func (p *mandatoryFirst) settings() []Setting {
	list := []Setting{choice("refuse", &p.refuse, "which jobs that could be done in time: those that bring no more than they "+
		"displace, or none", "no-gain", "infeasible"), p.least.setting()}
	if len(p.orders) > 1 {
		list = append(list, later(choice(settingOrder, &p.order, "which optional part goes first: the one that could pay most in all, or for each second", p.orders...)))
	}
	return list
}

// settingOrder is what a policy goes by that is another one under each value.
const settingOrder = "order"

// leastGain is what counts as nothing (docs/semantics.md, section 4, item 5).
const leastGain = 1e-6

// place is a processor that could take a job.
type place struct {
	gain   float64
	brings float64     // gain, as places compare
	finish market.Time // of the mandatory part
	rank   float64     // finish, as places compare
	proc   int32
}

func placeOn(proc int, gain float64, finish market.Time) place {
	return place{gain: gain, brings: market.Time(gain).Rank(), finish: finish, rank: finish.Rank(), proc: market.Int32(proc)}
}

// before reports whether a place is better than another: it brings more, unless that is no
// matter, or its mandatory part is done sooner, or its number is lower.
func (a *place) before(b *place, fastest bool) bool {
	if a.brings != b.brings && !fastest {
		return a.brings > b.brings
	}
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.proc < b.proc
}

// Admit takes a job where the pre-schedule of a processor, with it, keeps every
// deadline, and where it brings most. Of several such processors the one where
// its mandatory part is done first is taken, which the paper, where parts
// migrate, need not choose.
func (p *mandatoryFirst) Admit(v book.View, j *market.Job, a *Answer) {
	p.admit(v, j, a, (*mandatoryFirst).search)
}

func (p *mandatoryFirst) admit(v book.View, j *market.Job, a *Answer, find func(p *mandatoryFirst, v book.View, j *market.Job, worth float64)) {
	a.Gain, a.Expected = 0, 0
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	if p.least.unmet(v, j, j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	terms := book.Terms{
		Price: j.SLA.Budget, Finish: j.Due(), Firm: j.SLA.Deadline.Finite(), Independent: true, Flat: true,
	}
	if j.SLA.Budget.Limited() {
		terms.Worth = market.Number(float64(j.SLA.Budget) / float64(j.Width))
	}
	find(p, v, j, float64(terms.Worth))
	chosen := p.choose(v, j)
	if chosen == nil {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	gain := 0.0
	for _, c := range chosen {
		place := &p.places[int(c.rank)]
		gain += place.gain
		a.Expected = max(a.Expected, place.finish)
	}
	a.Gain = market.Price(gain)
	if p.refuse == "no-gain" && j.SLA.Budget.Limited() && gain <= leastGain {
		a.refuse(market.NotWorthIt)
		return
	}
	a.Procs = procsOf(chosen, a.Procs)
	a.run(terms)
}

// offers asks every processor.
func (p *mandatoryFirst) offers(v book.View, j *market.Job, worth float64) {
	p.docket.begin(v)
	p.places = p.places[:0]
	everywhere, added := v.AllRoom(j), p.newcomer(j)
	for proc := range v.Processors() {
		if !everywhere && !v.Room(proc, j) {
			continue
		}
		if gain, finish, ok := p.gain(v, proc, &added); ok {
			p.places = append(p.places, placeOn(proc, worth+gain, finish))
		}
	}
}

// choose takes the best processors for a job, as many as it needs; nil if there
// are too few. The rank of each is its place in p.places.
func (p *mandatoryFirst) choose(v book.View, j *market.Job) []candidate {
	slices.SortFunc(p.places, func(a, b place) int {
		if a.before(&b, j.Objective == market.Fastest) {
			return -1
		}
		return 1
	})
	p.takes = p.takes[:0]
	for i := range p.places {
		p.takes = append(p.takes, candidate{rank: float64(i), proc: p.places[i].proc})
	}
	p.takes = together(v, j, p.takes)
	if len(p.takes) < int(j.Width) {
		return nil
	}
	return p.takes[:j.Width]
}

// Plan lets on every processor the first part run.
func (p *mandatoryFirst) Plan(v book.View, d *book.Draft) { d.Wake(p.pace(v, d)) }

// pace does that, and says when it has to be done again if nothing else happens. What is on
// a processor that nothing has happened to goes on as it does.
func (p *mandatoryFirst) pace(v book.View, d *book.Draft) (wake market.Time) {
	p.stale = p.stale[:0]
	p.docket.begin(v)
	for _, proc := range v.Touched() {
		p.stale = append(p.stale, int(proc))
	}
	p.docket.walk(func(s *slip, _ int) bool { return !s.until.After(v.Now()) }, func(proc int) {
		if v.Touch(proc) == 0 {
			p.stale = append(p.stale, proc)
		}
	})
	slices.Sort(p.stale)
	for _, proc := range p.stale {
		p.draw(v, proc)
		changed, until := p.share(v, v.Tasks(proc), v.Rating(proc))
		if changed || v.Touch(proc) != 0 {
			d.Share(proc, p.speeds)
		}
		p.note(v, proc, until)
	}
	return p.docket.until()
}

// share works out the speeds of the tasks of a processor, and when that has to be
// done again if nothing else happens: when the part that runs is over, and at the
// deadline of every optional part.
func (p *mandatoryFirst) share(v book.View, tasks []book.Task, rating float64) (changed bool, next market.Time) {
	p.speeds = zeroed(p.speeds, len(tasks))
	now, first, guests := v.Now(), -1, 0
	next = market.Never
	for i := range p.parts {
		q := &p.parts[i]
		switch {
		case q.class == kept:
			continue
		case q.class == guest:
			guests++
		case first < 0 || p.before(q, &p.parts[first]):
			first = i
		}
		if q.class == optional {
			next = min(next, q.due)
		}
	}
	if p.lends {
		if who, until := p.borrower(now, rating); who >= 0 {
			first, next = who, min(next, until)
		}
	}
	if first >= 0 {
		q := &p.parts[first]
		p.speeds[q.task] = rating
		if q.class != overdrawn {
			next = min(next, p.over(&tasks[q.task], q, now, rating))
		}
	}
	for i := range p.parts {
		q := &p.parts[i]
		if first < 0 && q.class == guest {
			p.speeds[q.task] = rating / float64(guests)
		}
		changed = changed || tasks[q.task].Speed != p.speeds[q.task]
	}
	return changed, next
}

// over is when a part is done that has the processor. For one that has had it
// already that is reckoned from when it got it: another sum, made from now, would
// differ in its last digit, and what is remembered in seen would not be what a
// restored cluster works out.
func (*mandatoryFirst) over(t *book.Task, q *part, now market.Time, rating float64) market.Time {
	if t.Speed == rating {
		return t.Since + market.Time(float64(t.Left)/rating)
	}
	return now + market.Time(float64(q.left)/rating)
}

var _ Policy = (*mandatoryFirst)(nil)
