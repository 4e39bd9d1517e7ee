package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// hol is head-of-the-line priority with admission probabilities and bounded
// penalties: the provider of 004, section VI. Jobs of the class whose value
// decays fastest go first, in the order of arrival within a class, without
// preemption and without backfilling.
//
// The agreement of that paper counts the delay of the start: it is free up to
// tau_min, then costs the decay for each second, until at tau_min + value/decay
// nothing is left of the value and the job leaves. In the words of the market
// the budget is the value, the penalty rate the decay, and the deadline tau_min
// plus the runtime.
type hol struct {
	admit   []float64 // probability by class; beyond the end: 1
	forfeit float64
	seed    float64
	least   reserve
	lapsed  []book.Slot
}

func newHOL() *hol { return &hol{admit: []float64{1}, forfeit: 0.05} }

func (p *hol) settings() []Setting {
	return []Setting{
		numbers("q", &p.admit, "admission probability of each class, by its number; classes not named are all admitted"),
		number("forfeit", &p.forfeit, "part of its value that a job costs which leaves the queue at its limit"),
		number("seed", &p.seed, "seed of the admission draws"),
		p.least.setting(),
	}
}

// Admit draws a lot for the class of the job and queues it.
func (p *hol) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	if p.least.unmet(v, j, j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	if class := int(j.Class); class < len(p.admit) && !(draw(uint64(p.seed), market.Bits(j.ID)) < p.admit[class]) {
		a.refuse(market.NotAdmitted)
		return
	}
	a.queue(book.Terms{
		Price: j.SLA.Budget, Liable: true, Finish: market.Never, Rank: market.Number(-j.SLA.Penalty), Latest: patience(j),
	})
}

// patience is the time at which nothing is left of what a job is worth.
func patience(j *market.Job) market.Time {
	if j.SLA.Penalty == 0 {
		return market.Never
	}
	free := j.SLA.Deadline - market.Time(j.Estimate)
	return j.Submit + free + market.Time(float64(j.SLA.Budget)/float64(j.SLA.Penalty))
}

// Plan lets those go whose patience is at its end, starts the others from the
// head while they fit, and asks to be woken for the next whose patience ends.
func (p *hol) Plan(v book.View, d *book.Draft) {
	p.lapsed = v.Lapsed(p.lapsed[:0])
	for _, s := range p.lapsed {
		d.Expire(s, -market.Price(p.forfeit)*v.Entry(s).Job.SLA.Budget)
	}
	startHeads(v, d)
	d.Wake(v.NextLatest())
}

// draw is a number in [0, 1) that depends on the seed and the job alone, so
// that the same job draws the same lot whatever else happens (the finaliser of
// splitmix64 twice).
func draw(seed, id uint64) float64 {
	const mantissa = 53
	return float64(scramble(scramble(seed)^id)>>(64-mantissa)) / (1 << mantissa)
}

func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

var _ Policy = (*hol)(nil)
