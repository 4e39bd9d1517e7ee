package exchange

import (
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/trade"
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
	met, left := x.jobs.Meet(said), x.jobs.Left()
	for i := range said {
		if j := met[i]; j != nil && left == x.jobs.Left() && x.quotes.Reservation(int64(said[i].Job)) == nil {
			x.touched.Stepped = true
			x.granted(j, &said[i]) // as apply does, of whom there are many
			continue
		}
		x.touch(&said[i])
		x.apply(&said[i])
	}
	return nil
}

// touch notes whom an event of the core, from outside or its own, changes. It
// must come before the event is heard: where a job was counts too.
func (x *floor) touch(e *market.Event) {
	x.touched.Stepped = true
	switch e.Kind {
	case market.Wake, market.Woken, market.NodeDown, market.NodeUp, market.NodeClosed, market.NodeOpened, market.NodeWithheld:
		return
	case market.Granted: // the commonest by far: see touchSpeed
		return
	case market.Shared:
		x.touched.Proc(e.Proc)
		for i := range e.Slices {
			x.touched.Job(int64(e.Slices[i].Job), journal.Speed)
		}
		return
	default:
	}
	id := int64(e.Job)
	j := x.jobs.Find(id)
	what := journal.Whole
	if e.Kind == market.Used {
		what = journal.Used
	}
	x.touched.Job(id, what)
	q := x.quotes.Reservation(id)
	if q != nil {
		x.touched.Quote(q.ID)
	}
	if !x.cluster.Independent() {
		return
	}
	if j != nil {
		for i := range j.Ranks {
			x.touched.Proc(j.Ranks[i].Proc)
		}
	}
	if q != nil {
		x.touched.OnAll(q.Procs)
	}
	x.touched.OnAll(e.Procs)
}

// touchSpeed notes that a job that advances as one has another speed.
func (x *floor) touchSpeed(j *underway.Job, speed float64) {
	switch {
	case len(j.Ranks) == 0:
		x.touched.Job(j.ID, journal.Whole)
	case !j.WroteSpeed(speed):
		x.touched.Job(j.ID, journal.Speed)
	}
}

// changed notes that something of a job has changed that is worth showing.
func (x *floor) changed(j *underway.Job) {
	x.fx.touch(j)
	x.touched.Job(j.ID, journal.Whole)
	x.storeBy = min(x.storeBy, x.owed.storeBy(j))
}

// over notes that a job has ended.
func (x *floor) over(j *underway.Job) {
	x.fx.over(j)
	x.touched.Job(j.ID, journal.Whole)
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
		q.Owed = trade.Times(e.Price, x.epochs[x.eraOf(q)].Rates.Factor(q.Request.Partition))
		q.Procs = append(q.Procs[:0], e.Procs...)
	default: // it holds room and runs nowhere
	}
}

// removeQuote forgets a quote.
func (x *floor) removeQuote(q *quote.Held) {
	x.touched.Quote(q.ID)
	x.quotes.Remove(q)
}
