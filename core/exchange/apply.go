package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// apply makes true, outside the core, one thing that the core has said.
func (x *floor) apply(e *market.Event) {
	switch e.Kind {
	case market.Wake:
		x.wake = e.Finish
		return
	case market.Shared:
		x.applyShares(e)
		return
	default:
	}
	if q := x.quotes.reservation(int64(e.Job)); q != nil {
		x.applyToQuote(q, e)
		return
	}
	j := x.jobs[int64(e.Job)]
	if j == nil {
		return
	}
	switch e.Kind {
	case market.Queued:
		j.State, j.Owed, j.Firm = trade.Queued, e.Price, false
		x.changed(j)
	case market.Accepted:
		x.accepted(j, e)
	case market.Granted:
		x.granted(j, e)
	case market.Evicted:
		x.vacate(j)
		j.State, j.Share, j.Work = trade.Queued, 0, 0
		j.Attempt++
		j.UsedUS = 0
		j.beginAgain()
		x.changed(j)
	case market.Rejected:
		x.end(j, trade.Rejected, e.Reason.String(), trade.RefusalText(e.Reason))
	case market.Stopped:
		x.stopped(j, e)
	case market.Completed:
		x.completed(j, e)
	case market.Prolonged:
		x.prolonged(j, e)
	case market.Overran:
		x.overran(j, e)
	default: // inputs are not said
	}
}

// accepted gives a job its promise and, where that is decided, its place.
func (x *floor) accepted(j *activeJob, e *market.Event) {
	j.Owed, j.Firm = e.Price, e.Firm && !j.Void
	if e.Finish.Finite() && e.Firm {
		j.PromisedUS = x.unix(e.Finish)
	}
	if e.Procs.Len() > 0 {
		x.place(j, e.Procs)
	}
	x.changed(j)
}

// granted sets the share of a job that advances as one.
func (x *floor) granted(j *activeJob, e *market.Event) {
	x.touchSpeed(j, e.Speed)
	if len(j.Ranks) == 0 {
		x.place(j, e.Procs)
		x.changed(j)
	}
	j.setSpeed(e.Speed)
	for i := range j.Ranks {
		x.fx.mark(x.nodes[j.Ranks[i].Node], shares)
	}
	x.shareChanged(j)
}

// applyShares sets the shares of the tasks on one processor.
func (x *floor) applyShares(e *market.Event) {
	for _, s := range e.Slices {
		j := x.jobs[int64(s.Job)]
		if j == nil {
			continue
		}
		j.Apart = true
		for i := range j.Ranks {
			if r := &j.Ranks[i]; r.Proc == e.Proc {
				r.Speed = s.Speed
				x.fx.mark(x.nodes[r.Node], shares)
			}
		}
		x.shareChanged(j)
	}
}

// shareChanged notes that the speed of a job has changed.
func (x *floor) shareChanged(j *activeJob) {
	if j.reckonShare(x.nodes) {
		j.moved = true
	}
}

// setSpeed sets the one speed of a job that advances as one.
func (j *activeJob) setSpeed(speed float64) {
	for i := range j.Ranks {
		j.Ranks[i].Speed = speed
	}
}

// setSpeedOn sets the speed of a job's task on one processor.
func (j *activeJob) setSpeedOn(proc int32, speed float64) {
	for i := range j.Ranks {
		if r := &j.Ranks[i]; r.Proc == proc {
			r.Speed = speed
		}
	}
}

// reckonShare works out the share of a job, the least that it has of a
// processor; false: it is as it was.
func (j *activeJob) reckonShare(nodes []*node) bool {
	if len(j.Ranks) == 0 {
		return false
	}
	least := 0.0
	for i := range j.Ranks {
		r := &j.Ranks[i]
		share := r.Speed / nodes[r.Node].Rating
		if i == 0 || share < least {
			least = share
		}
	}
	changed := least != j.Share
	j.Share = least
	return changed
}

// notePoint adds the share that a job has after a command to its timeline, if it
// is another one.
func (j *activeJob) notePoint(now int64) {
	n := len(j.Timeline)
	if n == 0 && j.Share == 0 || n > 0 && j.Timeline[n-1].Share == j.Share {
		return
	}
	j.Timeline = thin(append(j.Timeline, trade.Point{AtUS: now, Share: j.Share}))
}

// mostPoints bounds what is kept of a job's shares over time.
const mostPoints = 256

// blink is the time within which of several shares only the last is kept, but
// for the first of all.
const blink = 250_000 // microseconds

// thin keeps a timeline short: of its older half every other point goes, so
// that what is recent is exact.
func thin(points []trade.Point) []trade.Point {
	if n := len(points); n > 2 && points[n-1].AtUS-points[n-2].AtUS < blink {
		points[n-2] = points[n-1]
		points = points[:n-1]
	}
	if len(points) <= mostPoints {
		return points
	}
	kept := points[:0]
	for i, p := range points {
		if i%2 == 0 || i >= mostPoints/2 {
			kept = append(kept, p)
		}
	}
	return kept
}

// place puts the tasks of a job on its processors, in their order.
func (x *floor) place(j *activeJob, procs market.Procs) {
	j.State = trade.Running
	if j.StartedUS == 0 {
		j.StartedUS = x.now
	} else {
		j.PlacedUS = x.now
	}
	j.Ranks, j.Places, j.specs = nil, nil, nil
	j.beginAgain()
	for proc := range procs.All() {
		index := x.nodes.of(proc)
		n := x.nodes[index]
		j.Ranks = append(j.Ranks, rank{Node: index, Processor: proc - n.First, Proc: market.Int32(proc)})
		j.Places = append(j.Places, trade.Place{Node: n.Node, Processor: proc - n.First})
		x.fx.mark(n, tasks)
		n.addTenant(j)
	}
}

// vacate takes the tasks of a job off their nodes.
func (x *floor) vacate(j *activeJob) {
	for i := range j.Ranks {
		n := x.nodes[j.Ranks[i].Node]
		x.fx.mark(n, tasks)
		n.removeTenant(j)
	}
	j.Ranks = nil
}

// stopped ends a job that left the cluster without being done.
func (x *floor) stopped(j *activeJob, e *market.Event) {
	switch {
	case j.End != "":
		x.end(j, j.End, j.Reason, j.Detail)
	case e.Reason == market.OutOfPatience:
		j.Owed = e.Price
		x.end(j, trade.Expired, e.Reason.String(), "waited until its limit")
	case e.Reason == market.ByUser:
		x.end(j, trade.Cancelled, e.Reason.String(), "cancelled")
	default:
		x.end(j, trade.Lost, e.Reason.String(), "its node is gone and no other can take it in time")
	}
}

// completed ends a job that ran to its end, well or not.
func (x *floor) completed(j *activeJob, e *market.Event) {
	j.Work = int64(float64(e.Work) * 1e3)
	if j.Request.Optional != nil {
		j.Work = 0
		for i := range j.Ranks {
			j.Work = max(j.Work, int64(float64(j.Ranks[i].Mandatory())*1e3))
		}
	}
	fine := j.Owed - e.Price // where the policy is liable, the price falls with the delay
	state, reason, detail := j.verdict()
	if j.End != "" {
		state, reason, detail = j.End, j.Reason, j.Detail
	}
	x.endAt(j, state, reason, detail, fine)
}
