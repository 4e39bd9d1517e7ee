package grid

import "github.com/libra-market/libra/core/market"

// ranked gives whole processors to the first parts of an order; the others
// wait. Mandatory parts are always served so. The cost of a change grows with
// the logarithm of the number of parts.
type ranked struct {
	mips      float64
	before    func(a, b *job) bool
	running   heap // the last of the order on top: the first to be preempted
	waiting   heap // the first of the order on top
	finishing heap // those running, the earliest to finish on top
}

func newRanked(by order, mips float64) *ranked {
	before := by.jobs
	after := func(a, b *job) bool { return before(b, a) }
	return &ranked{
		mips:      mips,
		before:    before,
		running:   heap{before: after, slot: slotQueue},
		waiting:   heap{before: before, slot: slotQueue},
		finishing: heap{before: sooner, slot: slotFinish},
	}
}

// sooner orders parts by the time they finish; ties as in the input, so that
// sums are made in the same order in every run.
func sooner(a, b *job) bool {
	if a.finish != b.finish {
		return a.finish < b.finish
	}
	return order(byPosition).jobs(a, b)
}

func (r *ranked) add(j *job) { r.waiting.push(j) }

func (r *ranked) remove(now market.Time, j *job) {
	if j.speed == 0 {
		r.waiting.remove(j)
		return
	}
	r.stop(now, j)
}

func (r *ranked) stop(now market.Time, j *job) {
	r.running.remove(j)
	r.finishing.remove(j)
	j.run(now, 0)
}

func (r *ranked) start(now market.Time, j *job) {
	r.waiting.remove(j)
	j.run(now, r.mips)
	r.running.push(j)
	r.finishing.push(j)
}

func (r *ranked) share(now market.Time, processors int) {
	for r.running.len() > processors {
		last := r.running.first()
		r.stop(now, last)
		r.waiting.push(last)
	}
	for r.waiting.len() > 0 {
		next := r.waiting.first()
		if r.running.len() == processors {
			if processors == 0 || !r.before(next, r.running.first()) {
				return
			}
			last := r.running.first()
			r.stop(now, last)
			r.waiting.push(last)
		}
		r.start(now, next)
	}
}

func (r *ranked) next() market.Time {
	if r.finishing.len() == 0 {
		return market.Never
	}
	return r.finishing.first().finish
}

func (r *ranked) popDue(by market.Time, into []*job) []*job {
	for r.next() <= by {
		j := r.finishing.first()
		into = append(into, j)
		r.stop(j.finish, j)
	}
	return into
}
