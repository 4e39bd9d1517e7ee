package revenue

import (
	"math"
	"math/bits"

	"github.com/libra-market/libra/core/market"
)

// Engine simulates the cluster of a [System], job by job, under head-of-the-line
// priority without preemption. Hand it the jobs in order of arrival with Arrive,
// then call Finish.
//
// What happens, exactly:
//
//  1. Times that differ by 1e-6 s or less from the first of them are one
//     instant, and the latest is its time.
//  2. At one instant: all jobs that end free their processors; all jobs that
//     arrive join the queues of their classes (a job wider than the cluster is
//     rejected); jobs whose delay has reached their limit leave; then jobs start.
//  3. Jobs start in order of class, the most urgent first, and inside a class in
//     order of arrival (of equal arrivals, in order of the input). The first of
//     all waiting jobs starts if it fits the free processors; if it does not,
//     nobody starts (no backfilling).
//  4. A job that starts with delay d earns value - decay*max(0, d - tau_min).
//     One that would start at the very instant at which its delay reaches the
//     limit has expired. Expiry is an event: it is booked at arrival + limit,
//     and if the job blocked others, they are looked at again.
//  5. With a period, nothing is booked that happens after its end.
//
// A waiting job that is not the first of all changes nothing by expiring, so it
// is only looked at when it comes to the head.
type Engine struct {
	system *System
	ranks  []int // classes by urgency
	rankOf []int32
	period float64

	anchor, now float64 // first time of the instant under way, and its latest
	open        bool    // jobs may have to start in it
	wake        float64 // when the job that blocks the others expires
	free        int32
	running     finishes
	queues      []ring // by rank
	waiting     uint64 // ranks with a queue that is not empty

	byClass  []Tally
	last     float64 // latest end or expiry
	outcomes []Outcome
}

// slack is how far apart two times of one instant may be.
const slack = float64(market.TimeSlack)

// NewEngine makes an engine for a system that is valid.
func NewEngine(s *System) *Engine {
	e := &Engine{
		system: s, ranks: s.ranks(), rankOf: make([]int32, len(s.Classes)),
		queues: make([]ring, len(s.Classes)), byClass: make([]Tally, len(s.Classes)),
	}
	for rank, class := range e.ranks {
		e.rankOf[class] = market.Int32(rank)
	}
	e.Reset(s.Period)
	return e
}

// Reset empties the cluster for a new run. A period of infinity runs until
// nothing more happens.
func (e *Engine) Reset(period float64) {
	e.period = period
	e.anchor, e.now, e.open, e.wake = math.Inf(-1), math.Inf(-1), false, math.Inf(1)
	e.free = market.Int32(e.system.Processors)
	e.running = e.running[:0]
	for i := range e.queues {
		e.queues[i].head, e.queues[i].count = 0, 0
	}
	e.waiting = 0
	e.last, e.outcomes = math.Inf(-1), nil
	clear(e.byClass)
}

// Arrive brings the next job, which is number so-and-so of a list.
func (e *Engine) Arrive(j *Job, number int) {
	if j.Arrival > e.anchor+slack {
		e.turnTo(j.Arrival)
	}
	e.now = max(e.now, j.Arrival)
	e.byClass[j.Class].Arrived++
	if int(j.Width) > e.system.Processors {
		e.reject(j, number)
		return
	}
	value, limit := e.system.patience(j)
	rank := e.rankOf[j.Class]
	e.queues[rank].push(&waiter{
		arrival: j.Arrival, length: j.Length, value: value, expiry: j.Arrival + limit, width: j.Width, number: market.Int32(number),
	})
	e.waiting |= 1 << rank
	e.open = true
}

// refuse counts a job that the admission rule does not let in. It is no event:
// nothing else changes.
func (e *Engine) refuse(j *Job, number int) {
	e.byClass[j.Class].Arrived++
	e.reject(j, number)
}

func (e *Engine) reject(j *Job, number int) {
	e.byClass[j.Class].Rejected++
	if e.outcomes != nil {
		e.outcomes[number] = Outcome{Fate: Rejected, Time: j.Arrival}
	}
}

// turnTo closes the instant under way, lets everything before a time happen and
// opens the instant of that time.
func (e *Engine) turnTo(at float64) {
	e.advance(at - slack)
	e.anchor, e.now = min(at, e.next()), at
	e.release()
}

// advance does all instants that begin before a time.
func (e *Engine) advance(before float64) {
	if e.open {
		e.start()
	}
	for {
		at := e.next()
		if !(at < before) {
			return
		}
		e.anchor, e.now = at, at
		e.release()
		e.start()
	}
}

// next is when something happens of itself.
func (e *Engine) next() float64 {
	if len(e.running) > 0 && e.running[0].at < e.wake {
		return e.running[0].at
	}
	return e.wake
}

// release frees the processors of all jobs that end at this instant.
func (e *Engine) release() {
	for len(e.running) > 0 && e.running[0].at <= e.anchor+slack {
		e.now = max(e.now, e.running[0].at)
		e.free += e.running[0].width
		e.running.pop()
		e.open = true
	}
	if e.wake <= e.anchor+slack {
		e.now = max(e.now, e.wake)
		e.open = true
	}
}

// start closes the instant: jobs at their limit leave and jobs that fit start.
func (e *Engine) start() {
	e.open, e.wake = false, math.Inf(1)
	for e.waiting != 0 && e.free > 0 {
		rank := bits.TrailingZeros64(e.waiting)
		queue := &e.queues[rank]
		w := queue.first()
		if w.expiry > e.now+slack && w.width > e.free {
			e.wake = w.expiry
			return
		}
		if w.expiry <= e.now+slack {
			e.expire(w, e.ranks[rank])
		} else {
			e.run(w, e.ranks[rank])
		}
		queue.pop()
		if queue.count == 0 {
			e.waiting &^= 1 << rank
		}
	}
}

func (e *Engine) run(w *waiter, class int) {
	delay := e.now - w.arrival
	late := max(0, delay-float64(e.system.Grace*w.length))
	earned := w.value - float64(e.system.Classes[class].Decay*late)
	end := e.now + w.length
	e.free -= w.width
	e.running.push(finish{at: end, width: w.width})
	e.last = max(e.last, end)
	t := &e.byClass[class]
	t.Ran++
	t.Revenue += earned
	t.Delay += delay
	t.Busy += float64(w.width) * (min(end, e.period) - e.now)
	if e.outcomes != nil {
		e.outcomes[w.number] = Outcome{Fate: Ran, Time: e.now, Delay: delay, Revenue: earned}
	}
}

func (e *Engine) expire(w *waiter, class int) {
	j := Job{Length: w.length, Class: market.Int32(class), Width: w.width}
	_, limit := e.system.patience(&j)
	cost := e.system.Penalty * w.value
	e.last = max(e.last, w.expiry)
	t := &e.byClass[class]
	t.Expired++
	t.Revenue -= cost
	t.ExpiredDelay += limit
	if e.outcomes != nil {
		e.outcomes[w.number] = Outcome{Fate: Expired, Time: w.expiry, Delay: limit, Revenue: -cost}
	}
}

// Finish lets everything happen that is left, up to the end of the period.
func (e *Engine) Finish() Tally {
	e.advance(math.Nextafter(e.period, math.Inf(1)))
	// Of those that still wait, some have expired unseen.
	for rank := range e.queues {
		queue := &e.queues[rank]
		for ; queue.count > 0; queue.pop() {
			if w := queue.first(); w.expiry <= e.period {
				e.expire(w, e.ranks[rank])
			}
		}
	}
	e.waiting = 0
	var total Tally
	for i := range e.byClass {
		total.Add(&e.byClass[i])
	}
	return total
}

// ByClass are the tallies of the classes after Finish, in the order of the
// system. They hold until the next Reset.
func (e *Engine) ByClass() []Tally { return e.byClass }
