package grid

import (
	"slices"
	"sort"

	"github.com/libra-market/libra/core/market"
)

// contract is an application at a site: taken, or only asked about.
type contract struct {
	terms
	id       string
	position int
	due      market.Time
	dueRank  float64 // as deadlines compare
	value    float64 // b(o) - b(0), as budgets compare
	rate     float64 // b(o) - b(0) over o, as rates compare
	budget   Budget
	jobs     []job
	staying  int  // jobs that have not left
	expired  bool // the deadline has passed
	receipt  Receipt
}

// phase is which part of a job is next.
type phase uint8

const (
	mandatory phase = iota
	optional
	gone
)

// job is one job of a contract.
type job struct {
	of     *contract
	left   market.Work // of the part in this phase, at since
	since  market.Time
	speed  float64     // MI per second from since on
	finish market.Time // of this part at this speed
	ready  market.Time // when its optional part can begin: scratch of an estimate
	index  int32
	phase  phase
	slots  [2]int32 // in a queue, and among those that will finish
}

// draw makes the contract for an application; its jobs reuse the memory of the
// last contract drawn on the same paper.
func (c *contract) draw(a *Application, p *Policy) {
	jobs := slices.Grow(c.jobs[:0], a.Jobs)[:a.Jobs]
	*c = contract{
		terms:    p.terms(a),
		id:       a.ID,
		position: a.Position,
		due:      a.Due(),
		dueRank:  a.Due().Rank(),
		value:    market.RoundSignificant(float64(a.Budget.Between(0, a.Optional))),
		rate:     a.meanRate(),
		budget:   a.Budget,
		jobs:     jobs,
		staying:  a.Jobs,
	}
	for i := range jobs {
		jobs[i] = job{of: c, left: c.mandatory, finish: market.Never, index: market.Int32(i)}
	}
}

// at is what is left of the part at a time.
func (j *job) at(t market.Time) market.Work {
	if j.speed == 0 {
		return j.left
	}
	return max(0, j.left-market.Work(j.speed*float64(t-j.since)))
}

// run sets the speed from a time on.
func (j *job) run(now market.Time, speed float64) {
	j.left, j.since, j.speed = j.at(now), now, speed
	j.finish = market.Never
	if speed > 0 {
		j.finish = now + market.Time(float64(j.left)/speed)
	}
}

// roll is contracts in an order.
type roll struct {
	order     order
	contracts []*contract
}

// around are the contracts before and after a contract that is not among them.
func (r *roll) around(c *contract) (before, after []*contract) {
	at := sort.Search(len(r.contracts), func(i int) bool { return r.order(c, r.contracts[i]) })
	return r.contracts[:at], r.contracts[at:]
}

func (r *roll) add(c *contract) {
	before, _ := r.around(c)
	r.contracts = slices.Insert(r.contracts, len(before), c)
}

func (r *roll) remove(c *contract) {
	at := slices.Index(r.contracts, c)
	r.contracts = slices.Delete(r.contracts, at, at+1)
}
