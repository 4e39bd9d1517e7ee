package exchange

import (
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// overruns asks for more on behalf of the jobs whose estimate is used up,
// before the policy is asked: a job that needs more than it said takes it from
// nobody.
//
// That it was reckoned to be used up is not enough: the job may have begun later
// than it was told to, or be on a node that cannot be reached. Somebody must have
// measured it.
func (x *Exchange) overruns() error {
	if x.cluster == nil {
		return nil
	}
	if err := x.refinements(); err != nil {
		return err
	}
	for _, id := range x.cluster.UsedUp(x.time()) {
		j := x.jobs[int64(id)]
		if j == nil || j.Void || j.State != trade.Running {
			continue
		}
		next := x.extend
		if !x.hadAll(j) {
			next = x.setBack
		} else if j.UsedUS == 0 && x.rulesOf(j).Paid() {
			j.UsedUS = x.now
		}
		if err := next(j); err != nil {
			return err
		}
	}
	return nil
}

// watched reports whether somebody waits for a job to use up its estimate: where
// jobs pay for what they use, whatever was promised to it, until it is gone.
func (x *state) watched(j *activeJob) bool {
	return j.State == trade.Running && !j.Void || (j.State == trade.Running || j.State == trade.Stopping) && x.rulesOf(j).Paid()
}

// payOn sells more to a job that goes on without a promise and has used up all
// that was sold to it: one that never had a deadline, one that is late by its own
// doing, one that was told to end and takes its time. Who cannot pay ends.
func (x *Exchange) payOn(j *activeJob) error {
	if x.jobs[j.ID] != j || !x.watched(j) || !x.rulesOf(j).Paid() || len(j.Ranks) == 0 || !x.hadAll(j) {
		return nil
	}
	for i := range j.Ranks {
		if j.Ranks[i].Status == nil {
			return x.extend(j)
		}
	}
	return nil // all of it has ended, or is past its mandatory part
}

// guest reports whether a job runs without a promise that more work would be
// fitted into.
func (j *activeJob) guest() bool { return j.Void || j.DueUS == 0 }

// hadAll reports whether a job was measured to have had all of its estimate.
func (x *state) hadAll(j *activeJob) bool {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	return here && meter.HadAll(stand.Estimate, j.Apart, j.tasks())
}

// setBack takes a job that is reckoned to have had all of its estimate to be a
// second behind, until somebody measures it: to the policy, one past its estimate
// would need all there is.
func (x *Exchange) setBack(j *activeJob) error {
	if !x.kind.TimeShared {
		return nil
	}
	const least = 0.02 // what is not worth measuring
	stand, _ := x.cluster.Status(market.JobID(j.ID), x.time())
	had := market.Event{Kind: market.Used, Job: market.JobID(j.ID), Proc: market.AllTasks}
	if !j.Apart {
		had.Work = stand.Estimate - market.Work(max(least, stand.Speed))
		return x.step(had)
	}
	var back []market.Event
	for _, t := range stand.Tasks {
		if t.Left.Done() && !t.Refining {
			had.Proc, had.Work = market.Int32(t.Proc), stand.Estimate-market.Work(max(least, t.Speed))
			back = append(back, had)
		}
	}
	return x.step(back...)
}

// extend asks for a tenth of the estimate more, and for twice as much each
// time after that; where there is no room for it, for a quarter of it. What the
// job has had beyond its estimate by now is to be paid for at the same price.
func (x *Exchange) extend(j *activeJob) error {
	const least = 1000 // milliseconds
	whole := int64(math.Max(least, float64(j.askedMS())/10*math.Pow(2, float64(j.Tries))))
	before, void := len(j.Extensions), j.Void
	x.touched.job(j.ID, true)
	stand, _ := x.cluster.Status(market.JobID(j.ID), x.time())
	j.over = int64(max(0, -float64(stand.Left)) * 1e3)
	pieces := []int64{whole, max(least, whole/4)}
	if x.rulesOf(j).Paid() { // who can pay for a little is not stopped because a lot is asked for
		pieces = append(pieces, max(least, j.askedMS()/10))
	}
	for _, ms := range pieces {
		j.piece = ms
		more := market.Event{
			Kind: market.Extended, Job: market.JobID(j.ID), Work: market.Work(float64(ms) / 1e3),
			Price: x.leeway(j) * market.Price(float64(ms)/float64(ms+j.over)),
		}
		if own := x.flat(j, &stand, ms); own.Price() > more.Price {
			x.overran(j, &market.Event{Reason: market.CannotMeetBudget})
			continue
		}
		if err := x.step(more); err != nil {
			return err
		}
		if len(j.Extensions) > before || j.Void && !void {
			j.Tries++
			return nil
		}
	}
	return x.stopOverrun(j)
}

// flat is what further work costs at the least, in a market where jobs pay for what
// they use, if the price of the moment says nothing: where the price of a job is for
// the whole, however long that takes, the core has no price for more; and one that
// has lost its promise, or is past it, would pay as if it had never had one. Only who
// chose to go on late does. That is as much for a second as before.
func (x *state) flat(j *activeJob, stand *cluster.JobStatus, ms int64) market.Money {
	past := j.DueUS != 0 && (j.Void || x.now > j.DueUS) && j.Request.OnOverrun() != trade.OverrunLate
	if !stand.Terms.Flat && !past || !x.rulesOf(j).Paid() {
		return 0
	}
	return bill.AtRateOf(market.Money(j.Price), ms, x.paidMS(j))
}

// leeway is what a job may still be charged for more.
func (x *state) leeway(j *activeJob) market.Price {
	if j.Request.Budget != nil {
		agreed := x.agreed(j)
		most := market.Money(*j.Request.Budget)
		if r := x.rulesOf(j); r.Paid() { // the margin is for what cannot be sold in time
			most = market.Money(j.Held) - agreed.Optional.Most() - bill.Margin(r, agreed.Price, agreed.EstimateMS)
		}
		return max(0, most-agreed.Sold()).Price()
	}
	return x.ledger.Available(x.now, market.Account(j.Account)).Price()
}

// prolonged notes an extension, and keeps the money for it.
func (x *Exchange) prolonged(j *activeJob, e *market.Event) {
	price, err := e.Price.Money()
	if err != nil {
		price = 0
	}
	total := int64(float64(e.Work) * 1e3)
	ms, over := total-j.askedMS()-j.Extra, j.over
	if x.rulesOf(j).Paid() { // the price is for the piece that was asked for, and all else is over
		over = max(0, ms-j.piece)
	}
	if stand, here := x.cluster.Status(market.JobID(j.ID), x.time()); here {
		price = max(price, x.flat(j, &stand, ms-over))
	}
	more := bill.Extend(price, ms, over)
	if j.Request.Budget == nil && more.Price > 0 {
		tx, err := x.ledger.Raise(x.now, j.ID, more.Price)
		if err != nil { // it was asked what there is; what changed in between is ours to bear
			more.Price = 0
		} else {
			x.fx.tx(tx)
			j.Held += int64(more.Price)
		}
	}
	j.Extra += ms
	j.Extensions = append(j.Extensions, trade.Extension{AtUS: x.now, WorkMS: ms, Price: int64(more.Price)})
	x.changed(j)
}

// overran hears that there is no more to be had: extend decides what follows.
func (x *Exchange) overran(j *activeJob, e *market.Event) {
	why := trade.RefusalText(e.Reason)
	if j.State == trade.Stopping { // that is why it ends
		return
	}
	if e.Reason == market.CannotMeetBudget && j.Request.Budget == nil && x.rulesOf(j).Paid() {
		why = "its account cannot pay for that"
	}
	j.Detail = "needs more than it estimated: " + why
}

// stopOverrun does with a job what its user chose for this case.
func (x *Exchange) stopOverrun(j *activeJob) error {
	detail := j.Detail
	if x.rulesOf(j).Paid() {
		return x.stopUnpaid(j, detail)
	}
	j.OverUS = x.now
	choice := j.Request.OnOverrun()
	if j.DueUS != 0 && x.now > j.DueUS {
		choice = trade.OverrunLate // it was late before, which is not its doing: let it end
	}
	switch choice {
	case trade.OverrunLate:
		j.Void, j.Firm = true, false
		j.Detail = detail + "; it goes on with what others leave, without a promise"
		x.changed(j)
		return x.step(market.Event{Kind: market.Released, Job: market.JobID(j.ID)})
	case trade.OverrunKill:
		return x.stop(j, task.Kill, trade.Stopped, trade.ReasonOverrun, detail)
	default:
		return x.stop(j, task.Terminate, trade.Stopped, trade.ReasonOverrun, detail)
	}
}

// stopUnpaid does the same where jobs pay for what they use. One that is to go on
// late does so behind the others, and pays for that from now on; one that cannot
// pay, or has no promise left to lose, ends; and one that was told to end and still
// takes what it cannot pay is killed.
func (x *Exchange) stopUnpaid(j *activeJob, detail string) error {
	if j.State == trade.Stopping {
		return x.hurry(j)
	}
	if j.OverUS == 0 {
		j.OverUS = x.now
	}
	choice := j.Request.OnOverrun()
	if choice == trade.OverrunLate && !j.guest() {
		j.Void, j.Firm = true, false
		j.Detail = detail + "; it goes on with what others leave, without a promise"
		x.changed(j)
		if err := x.step(market.Event{Kind: market.Released, Job: market.JobID(j.ID)}); err != nil {
			return err
		}
		return x.extend(j)
	}
	how := task.Terminate
	if choice == trade.OverrunKill {
		how = task.Kill
	}
	return x.stop(j, how, trade.Stopped, trade.ReasonOverrun, detail)
}

// hurry kills a job that was told to end.
func (x *Exchange) hurry(j *activeJob) error {
	if j.Stop == task.Kill {
		return nil
	}
	return x.stop(j, task.Kill, j.End, j.Reason, j.Detail)
}
