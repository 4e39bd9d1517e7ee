package reading

import "math"

// playApart is play where the tasks of a job advance each on its own: nodes have
// nothing to do with each other between arrivals, and each sets its shares at its
// own events, as in 001 and 002.
func (e *engine) playApart() {
	since := make([]float64, len(e.bodies))
	for next := range e.jobs {
		t := max(e.now, float64(e.jobs[next].Job.Submit))
		for n := range e.bodies {
			e.until(n, since[n], t)
			since[n] = t
		}
		e.now = t
		if e.admit(next) {
			for n := range e.bodies {
				if k := len(e.bodies[n]); k > 0 && e.bodies[n][k-1].job == next {
					e.shareOn(n, t)
				}
			}
		}
	}
	for n := range e.bodies {
		e.until(n, since[n], math.Inf(1))
	}
}

// until takes a node from one time to another.
func (e *engine) until(n int, now, end float64) {
	for len(e.bodies[n]) > 0 {
		t := end
		for _, b := range e.bodies[n] {
			t = min(t, b.next(now))
		}
		var gone []*body
		some := false
		for _, b := range e.bodies[n] {
			ends, uses := b.pass(now, t)
			some = some || ends || uses
			if ends {
				gone = append(gone, b)
			}
		}
		now = t
		for _, b := range gone {
			e.leave(b, now)
		}
		if !some {
			return
		}
		e.shareOn(n, now)
	}
}

// shareOn sets the rates of one node.
func (e *engine) shareOn(n int, now float64) {
	load := 0.0
	for _, b := range e.bodies[n] {
		b.share = e.need(b, now)
		load += b.share
	}
	if e.none {
		load = max(1, load)
	}
	for _, b := range e.bodies[n] {
		b.rate = b.share / load
	}
}
