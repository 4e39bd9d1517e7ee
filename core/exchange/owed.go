package exchange

import (
	"strings"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// What a job owes is worked out in package bill. Here it is told what was agreed
// and how the job ended, or would if it did now.

// agreed is what was agreed with a job.
func (x *assessor) agreed(j *underway.Job) bill.Job {
	a := bill.Job{
		Price: j.WorkPrice(), Formula: j.Working.Formula, Held: market.Money(j.Held), EstimateMS: x.paidMS(j),
		Due: x.sometime(j.DueUS), Promised: j.PromisedUS != 0, Penalty: market.Money(j.Request.PenaltyMicros),
		Optional: j.Request.OptionalTerms(),
	}
	if a.Optional != nil {
		a.Formula = strings.TrimSuffix(a.Formula, executedToo) // of the mandatory part alone
	}
	if s := j.Storage; s != nil {
		a.Storage = s.Bill()
		a.Formula = s.OfWork(a.Formula)
	}
	a.Held = x.mostCharged(j, &a)
	for _, e := range j.Extensions {
		a.Extensions = append(a.Extensions, bill.Extension{WorkMS: e.WorkMS, Price: market.Money(e.Price)})
	}
	return a
}

// ending is how a job has ended.
func (x *assessor) ending(j *underway.Job, fine market.Price) *bill.Ending {
	if j.State == trade.Expired {
		fine = -j.Owed
	}
	e := &bill.Ending{
		Way: j.Way(), At: x.timeOf(j.EndedUS), Since: x.timeOf(j.SinceUS()), Told: x.sometime(j.StopUS), Begun: j.StartedUS != 0, WorkMS: j.Work, OptionalMS: j.OptionalMS,
		Mandatory: x.sometime(j.MandatoryUS), UsedUp: x.sometime(j.OverUS), Fine: fine,
	}
	if x.rulesOf(j).Paid() {
		e.At = min(e.At, x.measuredEnd(j))
		x.blame(j, e)
	}
	return e
}

// owedNow is the bill of a job under way if it ended now: by itself, or as it was
// told to.
func (x *assessor) owedNow(j *underway.Job) bill.Bill { return x.owedAs(j, j.EndsIn()) }

// usedNow is what a job under way has used of each of its extensions.
func (x *assessor) usedNow(j *underway.Job) []int64 {
	owed := x.owedNow(j)
	return owed.UsedMS
}

// owedAs is the bill of a job under way if it ended now in a state.
func (x *assessor) owedAs(j *underway.Job, state trade.State) bill.Bill {
	r, agreed, ending := x.rulesOf(j), x.agreed(j), x.endingNow(j, state)
	if more, some := x.beyond(j, ending.WorkMS); some {
		agreed.Extensions = append(agreed.Extensions, more)
	}
	agreed.Held += x.short(r, j, &agreed, ending)
	return bill.Owed(r, &agreed, ending)
}

// penaltyNow is what the delay of a job has come to so far: that part of its bill
// alone, for it is asked for every job that is looked at.
func (x *assessor) penaltyNow(j *underway.Job) market.Money {
	if j.DueUS == 0 || x.now <= j.DueUS {
		return 0
	}
	r := x.rulesOf(j)
	if r.Paid() {
		owed := x.owedNow(j)
		return owed.Penalty
	}
	agreed := x.agreed(j)
	amount, _ := bill.Penalty(r, &agreed, x.endingNow(j, j.EndsIn()), 0)
	return amount
}

// endingNow is how a job under way would end in a state now.
func (x *assessor) endingNow(j *underway.Job, state trade.State) *bill.Ending {
	e := x.ending(j, x.fineNow(j))
	e.Way, e.At, e.WorkMS, e.OptionalMS = underway.WayOf(state), x.time(), x.workNow(j), x.optionalNow(j)
	if x.rulesOf(j).Paid() {
		e.UsedUp = min(e.UsedUp, x.usedUpBy(j, e.At, e.WorkMS))
	}
	return e
}

// workNow is the work that a job is taken to have done: where it pays for that, what was
// measured, by all that was heard. What is reckoned may turn out to be less, and what
// somebody has been told to owe must not fall.
func (x *assessor) workNow(j *underway.Job) int64 {
	if len(j.Ranks) == 0 {
		return j.Work
	}
	if x.rulesOf(j).Paid() {
		return j.HeardMS(func(node int) float64 { return x.nodes.At(node).Speed })
	}
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running || stand.Refining {
		return j.Work
	}
	return max(j.Work, int64(float64(stand.Estimate-max(0, stand.Left))*1e3))
}

// fineNow is what the policy would take off the price if a job ended now, where
// it is liable for delays.
func (x *assessor) fineNow(j *underway.Job) market.Price {
	if len(j.Ranks) == 0 || x.now <= j.DueUS {
		return 0
	}
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Terms.Liable {
		return 0
	}
	late := x.time() - x.timeOf(j.DueUS)
	return j.Owed - trade.Times(stand.Terms.Price, x.factorOf(j)) + bill.Delay(market.Money(j.Request.PenaltyMicros), late)
}
