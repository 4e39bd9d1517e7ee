package exchange

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// end ends a job without a fine by the policy.
func (x *floor) end(j *underway.Job, state trade.State, reason, detail string) {
	x.endAt(j, state, reason, detail, 0)
}

// endAt ends a job: bills it, tells those who wait for it, and forgets it.
// fine is what the policy itself takes off the price for lateness.
func (x *floor) endAt(j *underway.Job, state trade.State, reason, detail string, fine market.Price) {
	if x.jobs.Find(j.ID) == nil {
		return
	}
	// 1. Say how it ended, and what it had.
	j.State, j.Reason, j.Detail, j.EndedUS, j.Share, j.OnHold = state, reason, detail, x.now, 0, false
	x.conclude(j)

	// 2. Settle its money.
	x.bill(j, fine)

	// 3. Take it off its nodes.
	x.tidy(j)
	x.vacate(j)
	x.left(j, nobody)

	// 4. Count whether its promise was kept.
	if j.DueUS != 0 {
		j.InTime = j.State != trade.Lost && j.State != trade.Rejected && !x.owed.inTimeAt(j).After(x.timeOf(j.DueUS))
		x.record.Count(&j.Job, j.Void, j.InTime)
	}

	// 5. Forget it, and note who waited for it.
	x.jobs.Remove(j.ID)
	x.over(j)
	x.jobs.Ended(j, x.release)
}

// conclude notes what a job that has ended had, by what was measured of it.
func (x *floor) conclude(j *underway.Job) {
	if x.rulesOf(j).Paid() && len(j.Ranks) > 0 {
		j.Work = j.MeasuredMS()
	}
	if j.State != trade.Lost && j.State != trade.Rejected {
		j.OptionalMS = x.owed.optionalDue(j)
	}
	if j.MandatoryUS != 0 {
		j.EndedUS = min(x.now, max(j.DueUS, j.MandatoryUS))
	}
	for rank := range j.Placed() {
		if s := j.First(rank).Status; s != nil {
			j.Tasks = append(j.Tasks, *s)
		}
	}
}

// tidy takes back what is not true of a job after all: one that was placed and never
// began did not start and did no work, and one that was to begin again and did not
// was not started anew.
func (x *floor) tidy(j *underway.Job) {
	switch {
	case x.again: // as the first version had it
	case j.State == trade.Rejected && j.Attempt == 0:
		j.Firm, j.PromisedUS, j.StartedUS, j.Places = false, 0, 0, nil
	case j.Attempt > 0 && len(j.Ranks) == 0:
		j.Attempt--
	case j.Attempt == 0 && len(j.Ranks) > 0 && x.rulesOf(j).Paid() && !x.owed.ending(j, 0).Begun:
		j.StartedUS, j.Work = 0, 0
	}
}

// bill settles a job's money: what is held is charged or given back, and a
// broken promise is paid for.
func (x *floor) bill(j *underway.Job, fine market.Price) {
	// 1. Say what was agreed, with what it had beyond that, and how it ended.
	agreed, ending := x.owed.agreed(j), x.owed.ending(j, fine)
	if more, some := x.owed.beyond(j, j.Work); some {
		j.Extensions = append(j.Extensions, trade.Extension{AtUS: x.now, WorkMS: more.WorkMS, Price: int64(more.Price)})
		agreed.Extensions = append(agreed.Extensions, more)
	}
	x.cover(j, &agreed, ending)

	// 2. Ask what is owed: the one function that every preview asks.
	owed := bill.Owed(x.rulesOf(j), &agreed, ending)

	// 3. Book it.
	var seqs []int64
	for _, p := range owed.Postings {
		seqs = append(seqs, x.post(j, p)...)
	}
	for i, used := range owed.UsedMS {
		j.Extensions[i].UsedMS = used
	}
	j.Held, j.Charged, j.Penalty, j.Optional = 0, int64(owed.Charge), int64(owed.Penalty), int64(owed.Optional)
	if j.State == trade.Lost {
		x.lost(j, owed.Penalty)
	}

	// 4. Write the receipt. Who was refused has none.
	if j.State != trade.Rejected {
		j.Receipt = x.receipt(j, &owed, ending, seqs)
	}
}

// cover holds what is short of what a job owes, where it may be; no more than is held
// is charged.
func (x *floor) cover(j *underway.Job, agreed *bill.Job, ending *bill.Ending) {
	hold, held := x.ledger.HoldOf(j.ID)
	if !held {
		return
	}
	if more := x.owed.short(x.rulesOf(j), j, agreed, ending); more > 0 {
		x.raise(j, more)
		agreed.Held += more
		hold, _ = x.ledger.HoldOf(j.ID)
	}
	agreed.Held = min(agreed.Held, hold.Amount())
}

// receipt is the bill of a job, with all that it was worked out from.
func (x *floor) receipt(j *underway.Job, owed *bill.Bill, ending *bill.Ending, seqs []int64) *trade.Receipt {
	lines := owed.Lines
	if j.Reason == trade.ReasonVoided {
		lines = append([]bill.Line{{What: j.Detail, Formula: "nothing is owed"}}, lines...)
	}
	inputs := j.Working.Inputs
	if x.rulesOf(j).Paid() && ending.Begun { // what is charged by its work says what that was
		inputs = slices.Concat(inputs, underway.WorkedFrom(j, func(node int) float64 { return x.nodes.At(node).Speed }))
	}
	return &trade.Receipt{
		Job: j.ID, Policy: j.Policy, Settings: x.epochs[x.era(j)].Settings, Version: bill.Version(x.rulesOf(j), j.Storage != nil), Formula: j.Working.Formula,
		Inputs: inputs, Lines: lines,
		Charged: j.Charged, Penalty: j.Penalty, Net: int64(owed.Net()), IssuedUS: x.now, TxSeqs: seqs,
	}
}

// post carries one posting of a bill into the ledger: the numbers of what is
// written there.
func (x *floor) post(j *underway.Job, p bill.Posting) []int64 {
	var tx ledger.Tx
	var err error
	switch p.Kind {
	case bill.TakeHeld:
		if _, held := x.ledger.HoldOf(j.ID); !held {
			return nil // it ended before anything was held
		}
		tx, err = x.ledger.Charge(x.now, j.ID, p.Amount)
	case bill.PayPenalty:
		tx, err = x.ledger.Penalty(x.now, j.ID, market.Account(j.Account), p.Amount)
	}
	if err != nil {
		broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
	}
	x.fx.tx(tx)
	return []int64{tx.Seq}
}

// broken stops the program: the books contradict the market.
func broken(invariant int, what string) {
	panic(fmt.Sprintf("libra: invariant %d broken: %s", invariant, what))
}
