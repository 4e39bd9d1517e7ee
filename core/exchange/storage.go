package exchange

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Where the market sells memory and disk (rules.StorageHeld), and GPUs always, they cost
// the same under every policy: the rate, for the longest time for which the job may hold
// them. That is part of its price; what is owed of it is by the time in which
// it did, whether it worked or slept (package bill).

// storage is what the memory, the disk and the GPUs of a request cost on some processors,
// or where none are known yet on any; nil where they have no price of their own.
func (x *pricer) storage(asked *market.Job, on market.Procs) *trade.Storage {
	if !x.rates.Sells(asked, x.rules().Stores()) {
		return nil
	}
	return x.rates.Storage(asked, x.rules().Stores(), x.longest(asked, on))
}

// sized gives a request its partition, and the least that is sold. To begin and to be ended takes some
// milliseconds, however small a job is: less than a node can hold a job to is not sold.
// And one that asks for no memory, where that has a price of its own, is sold some: it is
// its limit, it is kept for it, and it is paid for. Where most nodes are small that is no
// more than a processor's part.
func (x *pricer) sized(r *trade.Request) error {
	if err := x.rates.Settle(r); err != nil {
		return err
	}
	if least, _ := x.rules().Least.Count(); x.rules().Paid() {
		r.EstimateMS = max(r.EstimateMS, least)
	}
	if r.MemoryMB == 0 && x.rules().Stores() && x.rates.Base().Memory > 0 {
		most, _ := x.rules().Unasked.Count()
		r.MemoryMB = max(0, x.nodes.Usual(most))
	}
	return nil
}

// longest is the longest time for which a job may hold its memory and disk as agreed,
// in milliseconds: until its deadline, or where it has none (or has GPUs, and a processor
// to itself from when it starts) its estimate on the slowest
// node that it is on, or could be, and a tenth of that; and what it takes to be told to
// end, and to be gone.
func (x *pricer) longest(asked *market.Job, on market.Procs) int64 {
	time := float64(asked.SLA.Deadline)
	if !asked.SLA.Deadline.Finite() || asked.GPUs > 0 && !x.kind.TimeShared {
		time = float64(asked.Estimate) / x.nodes.Slowest(asked, on) * 1.1
	}
	return int64(min(float64(bill.MaxMS), math.Ceil(time*1e3))) + 2*bill.LeadMS(x.rules())
}

// forWork is what is left of a budget for processors, by where it would be with all of it.
func (x *pricer) forWork(asked *market.Job, budget market.Price) market.Price {
	if !budget.Limited() || x.storage(asked, nil) == nil {
		return budget
	}
	var on market.Procs
	if !asked.SLA.Deadline.Finite() && x.cluster != nil {
		if core, err := x.cluster.Quote(x.time(), *asked); err == nil {
			on = core.Procs
		}
	}
	return max(0, budget-x.storage(asked, on).Amount().Price())
}

// storedFor is what memory and disk of a request cost on so many processors.
func (x *pricer) storedFor(r *trade.Request, width int) int64 {
	asked := r.Asked(0, "", x.time(), width)
	return int64(x.storage(&asked, nil).Amount())
}

// storeBy is before when a job has to be sold more time for its memory and disk. Never:
// as things stand it needs none.
func (x *assessor) storeBy(j *underway.Job) market.Time {
	if j.Storage == nil || len(j.Ranks) == 0 || j.State == trade.Stopping && j.Stop == task.Kill {
		return market.Never
	}
	agreed, ending := x.holding(j)
	lead := market.Time(float64(bill.LeadMS(x.rulesOf(j))) / 1e3)
	if j.State == trade.Stopping { // it is told to end, and has some of that time for it
		lead *= 2. / bill.Beats
	}
	return agreed.PaidUntil(x.rulesOf(j), &ending) - lead
}

// holding is what has to be known of a job to say for how long it has held what it
// holds: its bill says no other.
func (x *assessor) holding(j *underway.Job) (bill.Job, bill.Ending) {
	s := j.Storage
	return bill.Job{
			Due: x.sometime(j.DueUS), Promised: j.PromisedUS != 0, Storage: s.Bill(),
		}, bill.Ending{
			At: x.time(), Since: x.timeOf(j.SinceUS()), UsedUp: min(x.sometime(j.OverUS), x.sometime(j.UsedUS)), Told: x.sometime(j.StopUS),
		}
}

// sellTime sells more time to the jobs that hold memory and disk for longer than was
// agreed, and ends those that cannot pay for it.
func (x *overseer) sellTime() error {
	if x.cluster == nil || x.time() < x.storeBy-market.TimeSlack {
		return nil
	}
	x.storeBy = market.Never
	for _, id := range x.jobs.IDs() {
		j := x.jobs.Find(id)
		if j == nil {
			continue
		}
		by := x.owed.storeBy(j)
		if by-market.TimeSlack > x.time() {
			x.storeBy = min(x.storeBy, by)
			continue
		}
		if err := x.sellTimeTo(j); err != nil {
			return err
		}
	}
	return nil
}

// sellTimeTo sells a job a tenth of what it had; where that is too dear, as little as
// is worth while.
func (x *overseer) sellTimeTo(j *underway.Job) error {
	s, lead := *j.Storage, bill.LeadMS(x.rulesOf(j))
	cost := bill.Storage{Price: s.Amount(), MS: s.TimeMS}
	agreed, ending := x.owed.holding(j)
	least := 2*lead + int64(max(0, x.time()-agreed.PaidUntil(x.rulesOf(j), &ending))*1e3) // and what nobody was there to sell
	for _, ms := range []int64{max(least, (s.TimeMS+s.MoreMS)/10), least} {
		amount := cost.For(x.rulesOf(j), s.MoreMS+ms) - cost.For(x.rulesOf(j), s.MoreMS)
		if amount.Price() > x.owed.leeway(j) {
			continue
		}
		if j.Request.Budget == nil && amount > 0 {
			x.floor.raise(j, amount)
		}
		s.MoreMS += ms
		j.Storage = &s
		x.floor.changed(j)
		return nil
	}
	if j.State == trade.Stopping {
		return x.hurry(j)
	}
	what, why := s.What(), "its account cannot pay for longer"
	if j.Request.Budget != nil {
		why = "its budget does not pay for longer"
	}
	return x.stop(j, task.Terminate, trade.Stopped, trade.ReasonOverrun,
		fmt.Sprintf("it holds its %s for longer than the %s that were agreed: %s", what, market.Span(s.TimeMS), why))
}
