package exchange

import (
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Where jobs pay for what they use (rules.EndingsUsed), somebody has to say what
// that is, when it was, and by whose doing.

// paidMS is the work that the price of a job is for, on each of its processors: of
// an array, all of its elements.
func (x *assessor) paidMS(j *underway.Job) int64 {
	if j.Request.Array == nil || !x.rulesOf(j).Paid() {
		return j.AskedMS()
	}
	return max(1, j.Request.EstimateMS*int64(j.Request.Array.Len())/int64(max(1, j.Width/j.Threads())))
}

// measuredEnd is when a job ended by the clocks of its nodes: what it took them to
// report is not its delay. A clock that is wrong can make that no earlier than the
// job can have run, and no later than the market has heard of it.
func (x *assessor) measuredEnd(j *underway.Job) market.Time {
	end := int64(0)
	for i := range j.Ranks {
		s := j.Ranks[i].Status
		if s == nil || s.EndedUS == 0 {
			return x.time()
		}
		ran := max(0, s.EndedUS-s.StartedUS)
		if s.StartedUS == 0 {
			ran = 0
		}
		end = max(end, s.EndedUS, j.StartedUS+ran)
	}
	if end == 0 {
		return x.time()
	}
	return x.timeOf(min(x.now, end))
}

// inTimeAt is when a job ended, as far as its promise is concerned.
func (x *assessor) inTimeAt(j *underway.Job) market.Time {
	r := x.rulesOf(j)
	if !r.Paid() {
		return x.timeOf(j.EndedUS)
	}
	return min(x.timeOf(j.EndedUS), x.measuredEnd(j)) - market.Time(float64(r.Reporting)/float64(rules.Whole))
}

// blame adds to how a job ended what of it is its own doing.
func (x *assessor) blame(j *underway.Job, e *bill.Ending) {
	e.Gone = !x.inTimeAnew(j, e.At)
	e.Most = x.lossLeft(j)
	for i := range j.Ranks {
		r := &j.Ranks[i]
		s := r.Status
		never, of := j.NeverBegan(i)
		e.Never, e.Of = e.Never+never, e.Of+of
		speed := x.nodes.At(r.Node).Speed
		declined := float64(j.DeclinedUS(j.First(i/j.Threads()), speed)) / float64(j.Threads()) / 1e3 * speed
		e.DeclinedMS = max(e.DeclinedMS, int64(declined))
		if s == nil {
			continue
		}
		e.ByUser = e.ByUser || s.Cancelled
		// One that a living node has lost may have seen to that itself.
		e.Gone = e.Gone && (s.State != task.Lost || x.nodes.At(r.Node).Runs != "")
	}
	e.Begun = e.Begun && e.Never < e.Of
	if j.UsedUS != 0 {
		e.UsedUp = min(e.UsedUp, x.timeOf(j.UsedUS))
	}
	e.UsedUp = min(e.UsedUp, x.usedUpBy(j, e.At, e.WorkMS))
}

// usedUpBy is when, at the latest, a job had used up its estimate that ended with
// more work than that: since then it cannot have gone faster than its node.
func (x *assessor) usedUpBy(j *underway.Job, at market.Time, workMS int64) market.Time {
	over, speed := workMS-x.paidMS(j), 0.0
	for i := range j.Ranks {
		speed = max(speed, x.nodes.At(j.Ranks[i].Node).Speed)
	}
	if over <= 0 || speed <= 0 {
		return market.Never
	}
	return at - market.Time(float64(over)/1e3/speed)
}

// beyond is what a job has taken beyond all that was sold to it, because nobody
// could know in time: it is owed at the price of the job itself.
func (x *assessor) beyond(j *underway.Job, workMS int64) (bill.Extension, bool) {
	if !x.rulesOf(j).Paid() {
		return bill.Extension{}, false
	}
	paid := x.paidMS(j)
	over := workMS - paid
	for _, e := range j.Extensions {
		over -= e.WorkMS
	}
	if over <= 0 || paid <= 0 {
		return bill.Extension{}, false
	}
	price := bill.AtRateOf(x.rulesOf(j), j.WorkPrice(), over, paid)
	if j.Request.Budget != nil && x.rulesOf(j).Held() && x.nodesHold(j) { // what its node let it have beyond its budget is not its debt
		agreed := x.agreed(j)
		price = min(price, x.mostCharged(j, &agreed)-agreed.Optional.Most(x.rulesOf(j))-agreed.Sold(x.rulesOf(j)))
		if price <= 0 {
			return bill.Extension{}, false
		}
	}
	return bill.Extension{WorkMS: over, Price: price}, true
}

// short is what is missing of what is held to pay a bill, as far as the account of
// a job without a budget has it.
func (x *assessor) short(r *rules.Rules, j *underway.Job, agreed *bill.Job, e *bill.Ending) market.Money {
	if !r.Paid() || j.Request.Budget != nil || j.Held == 0 {
		return 0
	}
	open := *agreed
	open.Held = bill.MaxAmount
	owed := bill.Owed(r, &open, e)
	if owed.Charge <= agreed.Held {
		return 0
	}
	return min(owed.Charge-agreed.Held, x.ledger.Available(x.now, market.Account(j.Account)))
}

// watched reports whether somebody waits for a job to use up its estimate: where
// jobs pay for what they use, whatever was promised to it, until it is gone.
func (x *assessor) watched(j *underway.Job) bool {
	return j.State == trade.Running && !j.Void || (j.State == trade.Running || j.State == trade.Stopping) && x.rulesOf(j).Paid()
}

// hadAll reports whether a job was measured to have had all of its estimate.
func (x *assessor) hadAll(j *underway.Job) bool {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if here && x.rulesOf(j).Held() {
		return x.hadSold(j)
	}
	return here && meter.HadAll(stand.Estimate, j.Apart, j.Measured())
}

// flat is what further work costs at the least, in a market where jobs pay for what
// they use, if the price of the moment says nothing: where the price of a job is for
// the whole, however long that takes, the core has no price for more; and one that
// has lost its promise, or is past it, would pay as if it had never had one. Only who
// chose to go on late does. That is as much for a second as before.
func (x *assessor) flat(j *underway.Job, stand *cluster.JobStatus, ms int64) market.Money {
	past := j.DueUS != 0 && (j.Void || x.now > j.DueUS) && j.Request.OnOverrun() != trade.OverrunLate
	if !stand.Terms.Flat && !past || !x.rulesOf(j).Paid() {
		return 0
	}
	return bill.AtRateOf(x.rulesOf(j), j.WorkPrice(), ms, x.paidMS(j))
}

// leeway is what a job may still be charged for more.
func (x *assessor) leeway(j *underway.Job) market.Price {
	if j.Request.Budget != nil {
		agreed := x.agreed(j)
		most := market.Money(*j.Request.Budget)
		if r := x.rulesOf(j); r.Paid() { // the margin is for what cannot be sold in time
			most = market.Money(j.Held) - agreed.Optional.Most(r) - x.marginOf(j, &agreed)
			if r.Held() {
				most = min(most, market.Money(*j.Request.Budget))
			}
		}
		return max(0, most-agreed.Sold(x.rulesOf(j))).Price()
	}
	return x.ledger.Available(x.now, market.Account(j.Account)).Price()
}
