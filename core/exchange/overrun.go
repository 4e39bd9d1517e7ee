package exchange

import (
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// overruns asks for more on behalf of the jobs whose estimate is used up,
// before the policy is asked: a job that needs more than it said takes it from
// nobody.
//
// That it was reckoned to be used up is not enough: the job may have begun later
// than it was told to, or be on a node that cannot be reached. Somebody must have
// measured it.
func (x *overseer) overruns() error {
	if x.cluster == nil {
		return nil
	}
	if err := x.refinements(); err != nil {
		return err
	}
	for _, id := range x.cluster.UsedUp(x.time()) {
		j := x.jobs.Find(int64(id))
		if j == nil || j.Void || j.State != trade.Running {
			continue
		}
		next := x.extend
		if !x.owed.hadAll(j) {
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

// payOn sells more to a job that goes on without a promise and has used up all
// that was sold to it: one that never had a deadline, one that is late by its own
// doing, one that was told to end and takes its time. Who cannot pay ends.
func (x *overseer) payOn(j *underway.Job) error {
	if x.jobs.Find(j.ID) != j || !x.owed.watched(j) || !x.rulesOf(j).Paid() || len(j.Ranks) == 0 || !x.owed.hadAll(j) {
		return nil
	}
	if x.rulesOf(j).Held() && j.UsedUS == 0 {
		j.UsedUS = x.now
	}
	for i := range j.Ranks {
		if j.Ranks[i].Status == nil {
			return x.extend(j)
		}
	}
	return nil // all of it has ended, or is past its mandatory part
}

// setBack takes a job that is reckoned to have had all of its estimate to be a
// second behind, until somebody measures it: to the policy, one past its estimate
// would need all there is.
func (x *overseer) setBack(j *underway.Job) error {
	if !x.kind.TimeShared {
		return nil
	}
	const least = 0.02 // what is not worth measuring
	stand, _ := x.cluster.Status(market.JobID(j.ID), x.time())
	had := market.Event{Kind: market.Used, Job: market.JobID(j.ID), Proc: market.AllTasks}
	if !j.Apart {
		if x.rulesOf(j).Paid() {
			had.Presumed = true
			x.floor.touched.Job(j.ID, journal.Whole)
		}
		had.Work = stand.Estimate - market.Work(max(least, stand.Speed))
		return x.floor.step(had)
	}
	var back []market.Event
	for _, t := range stand.Tasks {
		if t.Left.Done() && !t.Refining {
			had.Proc, had.Work = market.Int32(t.Proc), stand.Estimate-market.Work(max(least, t.Speed))
			back = append(back, had)
		}
	}
	return x.floor.step(back...)
}

// extend sells more to a job; where that cannot be it ends, or goes on as its user
// chose.
func (x *overseer) extend(j *underway.Job) error {
	if sold, err := x.sellMore(j); sold || err != nil {
		return err
	}
	return x.stopOverrun(j)
}

// sellMore asks for a tenth of the estimate more, and for twice as much each
// time after that; where there is no room for it, for a quarter of it; and for what it can pay for. What the
// job has had beyond its estimate by now is to be paid for at the same price.
func (x *overseer) sellMore(j *underway.Job) (sold bool, err error) {
	const least = 1000                                                                                                // milliseconds
	whole := int64(min(float64(trade.MaxMS), math.Max(least, float64(j.AskedMS())/10*math.Pow(2, float64(j.Tries))))) // who is sold little is asked often
	before, void, detail := len(j.Extensions), j.Void, j.Detail
	x.floor.touched.Job(j.ID, journal.Whole)
	stand, _ := x.cluster.Status(market.JobID(j.ID), x.time())
	j.Over = int64(max(0, -float64(stand.Left)) * 1e3)
	pieces := []int64{whole, max(least, whole/4)}
	if x.rulesOf(j).Paid() { // who can pay for a little is not stopped because a lot is asked for
		pieces = append(pieces, max(least, j.AskedMS()/10), min(whole, bill.Affords(x.owed.leeway(j), j.WorkPrice(), x.owed.paidMS(j), j.Over, least)))
	}
	for _, ms := range pieces {
		j.Piece = ms
		more := market.Event{
			Kind: market.Extended, Job: market.JobID(j.ID), Work: market.Work(float64(ms) / 1e3),
			Price: x.owed.leeway(j) * market.Price(float64(ms)/float64(ms+j.Over)),
		}
		if own := x.owed.flat(j, &stand, ms); own.Price() > more.Price {
			x.floor.overran(j, &market.Event{Reason: market.CannotMeetBudget, Price: own.Price()})
			continue
		}
		more.Price = trade.Per(more.Price, x.factorOf(j))
		if err := x.floor.step(more); err != nil {
			return false, err
		}
		if len(j.Extensions) > before || j.Void && !void {
			j.Tries, j.Detail = j.Tries+1, detail // of what was not sold, something was
			return true, nil
		}
	}
	return false, nil
}

// stopOverrun does with a job what its user chose for this case.
func (x *overseer) stopOverrun(j *underway.Job) error {
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
		x.floor.changed(j)
		return x.floor.step(market.Event{Kind: market.Released, Job: market.JobID(j.ID)})
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
func (x *overseer) stopUnpaid(j *underway.Job, detail string) error {
	if j.State == trade.Stopping {
		return x.hurry(j)
	}
	if j.OverUS == 0 {
		j.OverUS = x.now
	}
	choice := j.Request.OnOverrun()
	if choice == trade.OverrunLate && !j.Guest() {
		j.Void, j.Firm = true, false
		j.Detail = detail + "; it goes on with what others leave, without a promise"
		x.floor.changed(j)
		if err := x.floor.step(market.Event{Kind: market.Released, Job: market.JobID(j.ID)}); err != nil {
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
func (x *overseer) hurry(j *underway.Job) error {
	if j.Stop == task.Kill {
		return nil
	}
	return x.stop(j, task.Kill, j.End, j.Reason, j.Detail)
}
