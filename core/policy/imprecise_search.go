package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// note keeps in the docket what is to be kept of a processor whose parts are drawn. Mandatory parts
// alone count: places that are only kept, and parts that borrow, make others later and nobody sooner.
func (p *mandatoryFirst) note(v book.View, proc int, until market.Time) {
	s, free, rating := anything(until), v.Now(), v.Rating(proc)
	s.stake = 0
	for i := range p.parts {
		q := &p.parts[i]
		if q.class != guest {
			s.stake += q.stake()
		}
		if q.class != mandatory {
			continue
		}
		free += market.Time(float64(q.left) / rating)
		if !s.clear.Finite() { // it is the first
			s.first, s.clear = q.rank, free
		}
		s.last, s.all, s.slack = q.rank, free, market.Never
		if q.due.Finite() {
			s.slack = q.due - free
			s.spare = min(s.spare, s.slack)
		}
	}
	p.docket.set(v, proc, s)
}

// stake is what the optional part could pay and the times by which that is reckoned: the sums
// of gain are off by so many roundings of it.
func (q *part) stake() float64 {
	switch {
	case q.optional.Done() || q.bonus == 0:
		return 0
	case q.bonus < 0: // whoever displaces it gains
		return math.Inf(1)
	}
	return q.bonus * (float64(q.optional) + math.Abs(float64(q.due)))
}

// follow brings the docket up to date with what was touched since the last plan. Whose estimate is over
// since then is promised nothing any more, and rules nobody out: who fits before that deadline is
// done by then.
func (p *mandatoryFirst) follow(v book.View) {
	d := &p.docket
	d.begin(v)
	for _, at := range v.Touched() {
		if proc := int(at); !d.known(v, proc) {
			p.draw(v, proc)
			p.note(v, proc, d.on(proc).until)
		}
	}
}

// quest is a job that looks for the best processors.
type quest struct {
	now, floor market.Time // the mandatory part is done at floor where nothing is before it
	due        market.Time
	rank       float64 // of its deadline
	estimate   market.Time
	worth      float64
	optional   float64
	bonus      float64
	stake      float64
	fastest    bool
	last       bool  // it has a deadline, and goes after all who are due when it is
	least      place // what it brings itself, done at floor
}

// questOf is that of a job that brings the same wherever it is.
func questOf(v book.View, j *market.Job) quest {
	long, due := market.Time(j.Estimate), j.Due()
	floor := v.Now() + long
	return quest{now: v.Now(), floor: floor, due: due, rank: due.Rank(), estimate: long, fastest: j.Objective == market.Fastest, least: placeOn(0, 0, floor)}
}

// roundingOff is by how much, in seconds, what is worked out from now may differ from what is
// kept: the last bit of a part counts as done.
const roundingOff market.Time = 1e-4

// roundingOf is the same for gains, as a part of what is at stake.
const roundingOf = 1e-12

// best is the best that processors of which a slip holds could be for a job: no gain is
// more, and no mandatory part done sooner; false: none of them can take it. Behind: of those alone where something
// is due no later than it.
func (q *quest) best(s *slip, behind bool) (gain float64, finish market.Time, some bool) {
	finish = q.floor
	if s.first < q.rank || q.last && (behind || s.first == q.rank) { // on each of them something goes before it
		finish = max(finish, s.clear+q.estimate-roundingOff)
	}
	if finish.After(q.due) {
		return 0, 0, false
	}
	// On each of them something comes after it, and the last of that would be late.
	if q.rank < s.last && s.slack < q.estimate-roundingOff {
		return 0, 0, false
	}
	gain = q.worth
	if q.bonus > 0 {
		begins := max(q.now, s.all-roundingOff) + q.estimate
		gain += q.bonus * max(0, min(float64(q.due-begins), q.optional))
	}
	return gain + roundingOf*(q.stake+s.stake), finish, true
}

// search asks those processors alone that may be among the best, and keeps as many as
// the job is wide. All are alike but for what is on them.
func (p *mandatoryFirst) search(v book.View, j *market.Job, worth float64) {
	if v.Ratings() != nil || v.Choosy(j) || v.Confined() { // else the docket is of what is there, too
		p.offers(v, j, worth)
		return
	}
	added := p.newcomer(j)
	q := questOf(v, j)
	q.worth, q.optional, q.bonus, q.stake = worth, float64(added.optional), added.bonus, added.stake()
	q.least, q.last = placeOn(0, worth, q.floor), q.due.Finite() && j.ID > p.docket.newest
	want := int(j.Width)
	p.among(v, j, &q, want, func(proc int) {
		if gain, finish, ok := p.gain(v, proc, &added); ok {
			p.keep(placeOn(proc, worth+gain, finish), want, q.fastest)
		}
	})
}

// place is a place that brings so much and is done then: most bring what the job does, and as soon
// as can be.
func (q *quest) place(gain float64, finish market.Time, proc int) place {
	x := q.least
	x.proc = market.Int32(proc)
	if gain != x.gain {
		x.brings = market.Time(gain).Rank()
	}
	if finish != x.finish {
		x.rank = finish.Rank()
	}
	return x
}

// foremost reports whether a processor can let a job go first, where it is done as soon as can be: all
// that is there comes after it and could be so much later.
func (q *quest) foremost(s *slip) bool {
	return q.rank < s.first && !(s.spare < q.estimate-roundingOff)
}

// among visits the processors that may be among so many best ones, and is told of those by keep: first
// those that can let it go first, and then, if any of them may still be as good, the others.
func (p *mandatoryFirst) among(v book.View, j *market.Job, q *quest, want int, visit func(proc int)) {
	p.follow(v)
	p.places = p.places[:0]
	everywhere := v.AllRoom(j)
	promising := func(s *slip, from int, behind bool) bool {
		gain, finish, some := q.best(s, behind)
		if !some || len(p.places) < want {
			return some
		}
		bound := q.place(gain, finish, from)
		return bound.before(&p.places[0], q.fastest)
	}
	ask := func(proc int) {
		if everywhere || v.Room(proc, j) {
			visit(proc)
		}
	}
	p.docket.walk(func(s *slip, from int) bool { return q.foremost(s) && promising(s, from, false) }, ask)
	p.docket.walk(func(s *slip, from int) bool { return promising(s, from, true) }, func(proc int) {
		if p.docket.on(proc).first <= q.rank {
			ask(proc)
		}
	})
}

// keep keeps a place if it is among the best: the worst of those stands first, and each
// before two that are better (a heap).
func (p *mandatoryFirst) keep(x place, want int, fastest bool) {
	if len(p.places) < want {
		p.places = append(p.places, x)
		at := len(p.places) - 1
		for at > 0 && p.places[(at-1)/2].before(&x, fastest) {
			p.places[at] = p.places[(at-1)/2]
			at = (at - 1) / 2
		}
		p.places[at] = x
		return
	}
	if !x.before(&p.places[0], fastest) {
		return
	}
	at := 0
	for {
		worse := 2*at + 1
		if worse >= want {
			break
		}
		if worse+1 < want && p.places[worse].before(&p.places[worse+1], fastest) {
			worse++
		}
		if !x.before(&p.places[worse], fastest) {
			break
		}
		p.places[at] = p.places[worse]
		at = worse
	}
	p.places[at] = x
}
