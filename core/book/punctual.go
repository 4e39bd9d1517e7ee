package book

import "github.com/libra-market/libra/core/market"

// EventsOnTime are the events of this step, with a wake-up for all that comes
// with time alone, and not only for what the policy asked for: the next job
// that will have waited in vain, and the next estimate that will be used up.
//
// Who has been woken, be it a little early, waits for nothing any more: then
// the next wake-up is said even if it is the last one again.
func (d *Draft) EventsOnTime(woken bool) []market.Event {
	if woken {
		d.asked = market.Never
	}
	next := min(d.b.nextTooLate(), d.b.nextUsedUp())
	if d.wake >= d.b.now { // else it is over, and the policy asked for no other
		next = min(next, d.wake)
	}
	d.emitWake(next)
	return d.events
}

// nextTooLate is when the next waiting job will be among the late: its latest
// start has then passed by more than rounding.
func (b *Book) nextTooLate() market.Time {
	const passed = 2 * market.TimeSlack
	return b.latestFromAfter(0, b.now-passed) + passed
}

// latestFromAfter is the first latest start after a time, in the heap from one
// of its places down.
func (b *Book) latestFromAfter(i int, after market.Time) market.Time {
	items := b.queue.latest.items
	if i >= len(items) {
		return market.Never
	}
	at := market.Time(items[i].key)
	if at > after && b.queue.still(items[i]) {
		return at
	}
	return min(b.latestFromAfter(2*i+1, after), b.latestFromAfter(2*i+2, after))
}
