package exchange

import (
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// What a job owes is worked out in package bill. Here it is told what was agreed
// and how the job ended, or would if it did now.

// agreed is what was agreed with a job.
func (j *activeJob) agreed(c *clock) bill.Job {
	a := bill.Job{
		Price: market.Money(j.Price), Formula: j.Working.Formula, Held: market.Money(j.Held), EstimateMS: j.askedMS(),
		Due: c.sometime(j.DueUS), Promised: j.PromisedUS != 0, Penalty: market.Money(j.Request.PenaltyMicros),
		Optional: j.Request.optionalTerms(),
	}
	if a.Optional != nil {
		a.Formula = formula(j.Policy, false) // of the mandatory part alone
	}
	for _, e := range j.Extensions {
		a.Extensions = append(a.Extensions, bill.Extension{WorkMS: e.WorkMS, Price: market.Money(e.Price)})
	}
	return a
}

// ending is how a job has ended.
func (j *activeJob) ending(c *clock, fine market.Price) *bill.Ending {
	if j.State == Expired {
		fine = -j.Owed
	}
	return &bill.Ending{
		Way: j.way(), At: c.timeOf(j.EndedUS), Begun: j.StartedUS != 0, WorkMS: j.Work, OptionalMS: j.OptionalMS,
		Mandatory: c.sometime(j.MandatoryUS), UsedUp: c.sometime(j.OverUS), Fine: fine,
	}
}

// owedNow is the bill of a job under way if it ended now: by itself, or as it was
// told to.
func (x *state) owedNow(j *activeJob) bill.Bill { return x.owedAs(j, j.endsIn()) }

// owedAs is the bill of a job under way if it ended now in a state.
func (x *state) owedAs(j *activeJob, state State) bill.Bill {
	agreed := j.agreed(&x.clock)
	return bill.Owed(x.rules(), &agreed, x.endingNow(j, state))
}

// penaltyNow is what the delay of a job has come to so far: that part of its bill
// alone, for it is asked for every job that is looked at.
func (x *state) penaltyNow(j *activeJob) market.Money {
	if j.DueUS == 0 || x.now <= j.DueUS {
		return 0
	}
	agreed := j.agreed(&x.clock)
	amount, _ := bill.Penalty(x.rules(), &agreed, x.endingNow(j, j.endsIn()))
	return amount
}

// endsIn is the state in which a job under way would end by itself, or is told to.
func (j *activeJob) endsIn() State {
	if j.State == Stopping {
		return j.End
	}
	return Completed
}

// endingNow is how a job under way would end in a state now.
func (x *state) endingNow(j *activeJob, state State) *bill.Ending {
	e := j.ending(&x.clock, x.fineNow(j))
	e.Way, e.At, e.WorkMS, e.OptionalMS = wayOf(state), x.time(), x.workNow(j), x.optionalNow(j)
	return e
}

// workNow is the work that a job is taken to have done.
func (x *state) workNow(j *activeJob) int64 {
	if len(j.Ranks) == 0 {
		return j.Work
	}
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running || stand.Refining {
		return j.Work
	}
	return max(j.Work, int64(float64(stand.Estimate-max(0, stand.Left))*1e3))
}

// fineNow is what the policy would take off the price if a job ended now, where
// it is liable for delays.
func (x *state) fineNow(j *activeJob) market.Price {
	if len(j.Ranks) == 0 || x.now <= j.DueUS {
		return 0
	}
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Terms.Liable {
		return 0
	}
	late := x.time() - x.timeOf(j.DueUS)
	return j.Owed - stand.Terms.Price + bill.Delay(market.Money(j.Request.PenaltyMicros), late)
}

// way is how a job has ended, as bills have it.
func (j *activeJob) way() bill.Way {
	if j.Reason == ReasonVoided {
		return bill.Voided
	}
	return wayOf(j.State)
}

func wayOf(s State) bill.Way {
	switch s {
	case Completed, Failed:
		return bill.Ended
	case Stopped:
		return bill.Stopped
	case Cancelled:
		return bill.Cancelled
	case Expired:
		return bill.Expired
	case Lost:
		return bill.Lost
	default:
		return bill.Refused
	}
}

// askedMS is the estimate on each processor: of an array, of a whole lane.
func (j *activeJob) askedMS() int64 {
	_, estimate := j.Request.width(j.Width)
	return int64(float64(estimate)*1e3 + 0.5)
}

// optionalTerms is what the optional part of a request costs, if it has one.
func (r *Request) optionalTerms() *bill.Optional {
	if r.Optional == nil {
		return nil
	}
	return &bill.Optional{WorkMS: r.Optional.WorkMS, Processors: r.Procs(), Rate: market.Money(r.Optional.RateMicros)}
}

// mostCost is what is held for a request at a price.
func (r *Request) mostCost(price market.Money) market.Money {
	return bill.Most(price, r.Budget, r.optionalTerms())
}
