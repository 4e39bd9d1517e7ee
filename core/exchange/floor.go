package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/underway"
)

// step lets something happen to the cluster and applies what it says.
func (x *floor) step(happened ...market.Event) error {
	t := x.time()
	said, err := x.cluster.Step(t, happened)
	if err != nil {
		return err
	}
	x.fx.note(t, happened, said)
	for i := range happened {
		x.touch(&happened[i])
	}
	for i := range said {
		x.touch(&said[i])
		x.apply(&said[i])
	}
	return nil
}

// touch notes whom an event of the core, from outside or its own, changes. It
// must come before the event is heard: where a job was counts too.
func (x *floor) touch(e *market.Event) {
	x.touched.stepped = true
	switch e.Kind {
	case market.Wake, market.Woken, market.NodeDown, market.NodeUp, market.NodeClosed, market.NodeOpened:
		return
	case market.Granted: // the commonest by far: see touchSpeed
		return
	case market.Shared:
		x.touched.proc(e.Proc)
		for i := range e.Slices {
			x.touched.job(int64(e.Slices[i].Job), false)
		}
		return
	default:
	}
	id := int64(e.Job)
	j := x.jobs.Find(id)
	x.touched.job(id, true)
	q := x.quotes.Reservation(id)
	if q != nil {
		x.touched.quote(q.ID)
	}
	if !x.cluster.Independent() {
		return
	}
	if j != nil {
		for i := range j.Ranks {
			x.touched.proc(j.Ranks[i].Proc)
		}
	}
	if q != nil {
		x.touched.all(q.Procs)
	}
	x.touched.all(e.Procs)
}

// touchSpeed notes that a job that advances as one has another speed.
func (x *floor) touchSpeed(j *underway.Job, speed float64) {
	switch {
	case len(j.Ranks) == 0:
		x.touched.job(j.ID, true)
	case !j.WroteSpeed(speed):
		x.touched.job(j.ID, false)
	}
}

// changed notes that something of a job has changed that is worth showing.
func (x *floor) changed(j *underway.Job) {
	x.fx.touch(j)
	x.touched.job(j.ID, true)
	x.storeBy = min(x.storeBy, x.owed.storeBy(j))
}

// over notes that a job has ended.
func (x *floor) over(j *underway.Job) {
	x.fx.over(j)
	x.touched.job(j.ID, true)
}

// applyToQuote notes what the core says of a job that nobody has taken yet.
func (x *floor) applyToQuote(q *quote.Held, e *market.Event) {
	switch e.Kind {
	case market.Rejected, market.Stopped:
		q.Refused, q.Reserved = e.Reason.String(), false
		if !q.Ending && x.bank.holds(q) { // its node is gone, and the room with it
			x.endHold(q, 0)
			q.Binding, q.NotBinding = false, "the room that was kept is gone with its node"
		}
	case market.Accepted:
		q.Owed = e.Price
		q.Procs = append(q.Procs[:0], e.Procs...)
	default: // it holds room and runs nowhere
	}
}

// removeQuote forgets a quote.
func (x *floor) removeQuote(q *quote.Held) {
	x.touched.quote(q.ID)
	x.quotes.Remove(q)
}
