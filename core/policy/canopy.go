package policy

import "math"

// canopy bounds what any of some processors could bring with a further task: it has the
// best that one of them has of everything. The closer they are to each other, the closer
// that is to what each could.
type canopy struct {
	worth, free      float64
	lowRank, topRank float64 // of their top tasks
	last, first      footing // what a task meets that would not be the top one, and one that would
}

// footing is what a task meets on a processor where it needs more than nobody does.
type footing struct {
	rest  float64 // as in [prospect]
	slope float64 // what each further share of the processor costs the others
	value float64 // what the processor brings before that, with what the others cost each other
	past  float64 // by how much they cost each other more than they were expected to
}

// bare is the canopy of nobody.
var bare = canopy{
	worth: math.Inf(-1), free: math.Inf(-1), lowRank: math.Inf(1), topRank: math.Inf(-1), last: nowhere, first: nowhere,
}

var nowhere = footing{rest: math.Inf(-1), slope: math.Inf(1), value: math.Inf(-1), past: math.Inf(1)}

// footingOn is that of one processor.
func footingOn(q *prospect, rest, fines float64) footing {
	if rest <= 0 || math.IsInf(q.free, 0) {
		return nowhere
	}
	slope := fines / rest
	cost := -q.free * slope
	return footing{rest: rest, slope: slope, value: q.worth - cost, past: cost - q.gap}
}

// over is the canopy of one processor.
func over(q *prospect) canopy {
	return canopy{
		worth: q.worth, free: q.free, lowRank: q.rank, topRank: q.rank,
		last: footingOn(q, q.rest[0], q.fines[0]), first: footingOn(q, q.rest[1], q.fines[1]),
	}
}

// join spreads it over what another one is spread over, and reports whether it was not
// before.
func (c *canopy) join(d *canopy) (wider bool) {
	raise(&c.worth, d.worth, &wider)
	raise(&c.free, d.free, &wider)
	lower(&c.lowRank, d.lowRank, &wider)
	raise(&c.topRank, d.topRank, &wider)
	c.last.join(&d.last, &wider)
	c.first.join(&d.first, &wider)
	return wider
}

func (p *footing) join(d *footing, wider *bool) {
	raise(&p.rest, d.rest, wider)
	lower(&p.slope, d.slope, wider)
	raise(&p.value, d.value, wider)
	lower(&p.past, d.past, wider)
}

// cover is join for who does not ask whether it was so before: without a branch, where which of two is more is
// anybody's guess.
func (c *canopy) cover(d *canopy) {
	c.worth, c.free = max(c.worth, d.worth), max(c.free, d.free)
	c.lowRank, c.topRank = min(c.lowRank, d.lowRank), max(c.topRank, d.topRank)
	c.last.cover(&d.last)
	c.first.cover(&d.first)
}

func (p *footing) cover(d *footing) {
	p.rest, p.slope = max(p.rest, d.rest), min(p.slope, d.slope)
	p.value, p.past = max(p.value, d.value), min(p.past, d.past)
}

func raise(x *float64, to float64, wider *bool) {
	if to > *x {
		*x, *wider = to, true
	}
}

func lower(x *float64, to float64, wider *bool) {
	if to < *x {
		*x, *wider = to, true
	}
}

// greater and lesser are max and min of numbers that are none of them NaN.
func greater(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

func lesser(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}

// bound is what one of the processors could bring at most with a task; -Inf: none would
// take it. It is that of [prospect], for those whose top task would stay that and for
// the others.
func (c *canopy) bound(a *asking) float64 {
	over, most := a.need-c.free, a.most(c.worth)
	if over <= 0 || a.slim {
		return most
	}
	best := math.Inf(-1)
	if a.rank <= c.topRank {
		if a.hard {
			best = c.last.bound(a, over, most, a.need, 0)
		} else {
			best = c.last.bound(a, over, most, 0, a.fines)
		}
	}
	if a.rank > c.lowRank {
		best = greater(best, c.first.bound(a, over, most, a.need, 0))
	}
	return best
}

// bound is what a task could bring at most that takes from the rest what it needs, or
// has fines of its own. It costs the others, of what it needs beyond what is free, what
// they cost each other (see value and past) and the slope for what it needs; the less it
// leaves the more.
func (p *footing) bound(a *asking, over, most, takes, fines float64) float64 {
	rest := p.rest - takes
	if rest <= 0 {
		return math.Inf(-1)
	}
	cost := a.need*p.slope + over*(p.slope*takes+fines)/rest
	doubt := unsure * (most + math.Abs(p.value))
	if a.worth+doubt < p.past+cost {
		return math.Inf(-1)
	}
	return lesser(most, p.value-cost+a.worth+1e-3*doubt)
}
