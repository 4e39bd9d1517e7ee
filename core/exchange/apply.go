package exchange

import (
	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
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
	if q := x.quotes.Reservation(int64(e.Job)); q != nil {
		x.applyToQuote(q, e)
		return
	}
	j := x.jobs.Find(int64(e.Job))
	if j == nil {
		return
	}
	e = trade.InPartition(e, x.factorOf(j))
	switch e.Kind {
	case market.Queued:
		j.State, j.Owed, j.Firm = trade.Queued, e.Price, false
		x.changed(j)
	case market.Accepted:
		x.accepted(j, e)
	case market.Granted:
		x.granted(j, e)
	case market.Evicted:
		x.leave(j)
		x.vacate(j)
		j.State, j.Share, j.Work = trade.Queued, 0, 0
		j.Attempt++
		j.UsedUS = 0
		j.BeginAgain()
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
func (x *floor) accepted(j *underway.Job, e *market.Event) {
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
func (x *floor) granted(j *underway.Job, e *market.Event) {
	x.touchSpeed(j, e.Speed)
	if len(j.Ranks) == 0 {
		x.place(j, e.Procs)
		x.changed(j)
	}
	j.SetSpeed(e.Speed)
	for i := range j.Ranks {
		x.nodes.Mark(j.Ranks[i].Node, roster.Shares)
	}
	x.shareChanged(j)
}

// applyShares sets the shares of the tasks on one processor.
func (x *floor) applyShares(e *market.Event) {
	for _, s := range e.Slices {
		j := x.jobs.Find(int64(s.Job))
		if j == nil {
			continue
		}
		j.Apart = true
		for i := range j.Ranks {
			if r := &j.Ranks[i]; r.Proc == e.Proc {
				r.Speed = s.Speed
				x.nodes.Mark(r.Node, roster.Shares)
			}
		}
		x.shareChanged(j)
	}
}

// shareChanged notes that the speed of a job has changed.
func (x *floor) shareChanged(j *underway.Job) {
	if j.ReckonShare(x.ratingOf) {
		j.Moved = true
	}
}

// place puts the tasks of a job on its processors, in their order.
func (x *floor) place(j *underway.Job, procs market.Procs) {
	j.State = trade.Running
	if j.StartedUS == 0 {
		j.StartedUS = x.now
	} else {
		j.PlacedUS = x.now
	}
	if j.BornUS = x.now; j.BornUS == j.SubmittedUS {
		j.BornUS = 0
	}
	j.Ranks, j.Places, j.Specs = nil, nil, nil
	j.BeginAgain()
	for proc := range procs.All() {
		index := x.nodes.Of(proc)
		n := x.nodes.At(index)
		j.Ranks = append(j.Ranks, underway.Rank{Node: index, Slot: dispatch.Slot{Processor: proc - n.First}, Proc: market.Int32(proc)})
		j.Places = append(j.Places, trade.Place{Node: n.Node, Processor: proc - n.First})
		x.nodes.Mark(index, roster.Tasks)
		n.AddTenant(j.ID)
	}
}

// vacate takes the tasks of a job off their nodes.
func (x *floor) vacate(j *underway.Job) {
	for i := range j.Ranks {
		index := j.Ranks[i].Node
		x.nodes.Mark(index, roster.Tasks)
		x.nodes.At(index).RemoveTenant(j.ID)
	}
	j.Ranks = nil
}

// stopped ends a job that left the cluster without being done.
func (x *floor) stopped(j *underway.Job, e *market.Event) {
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
func (x *floor) completed(j *underway.Job, e *market.Event) {
	j.Work = int64(float64(e.Work) * 1e3)
	if j.Request.Optional != nil {
		j.Work = 0
		for i := range j.Ranks {
			j.Work = max(j.Work, int64(float64(j.Ranks[i].Mandatory())*1e3))
		}
	}
	fine := j.Owed - e.Price // where the policy is liable, the price falls with the delay
	state, reason, detail := j.Verdict()
	if j.End != "" {
		state, reason, detail = j.End, j.Reason, j.Detail
	}
	x.endAt(j, state, reason, detail, fine)
}
