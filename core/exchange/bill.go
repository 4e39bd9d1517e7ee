package exchange

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// FormulaVersion numbers the rules by which bills are made. It changes when one
// of them does.
const FormulaVersion = "1"

// holdFor keeps the most that a job can cost.
func (x *Exchange) holdFor(j *live) error {
	amount := x.mostCost(&j.Request, market.Money(j.Price))
	tx, err := x.ledger.Hold(x.now, j.ID, market.Account(j.Account), amount)
	if err != nil {
		return err
	}
	j.Held = int64(amount)
	x.fx.tx(tx)
	return nil
}

// unhold gives back what is kept for a job.
func (x *Exchange) unhold(j *live) {
	tx, err := x.ledger.Release(x.now, j.ID)
	if err != nil {
		broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
	}
	j.Held = 0
	x.fx.tx(tx)
}

// cannotHold says why an account cannot keep an amount for a job; "" where it
// can.
func (x *Exchange) cannotHold(account string, amount market.Money) (reason, detail string) {
	return shortage(x.ledger.CanHold(x.now, market.Account(account), amount))
}

// shortage turns the ledger's refusals into reasons.
func shortage(err error) (reason, detail string) {
	var short *ledger.Shortage
	var over *ledger.OverLimit
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &short):
		return ReasonFunds, fmt.Sprintf("%s has %s free, %s is needed", short.Account, short.Have, short.Wanted)
	case errors.As(err, &over):
		return ReasonLimit, fmt.Sprintf("%s may spend %s a month and has used %s; %s more is needed", over.Account, over.Limit, over.Used, over.Wanted)
	case errors.Is(err, ledger.ErrUnknown):
		return ReasonFunds, "there is no such account"
	default:
		return "", ""
	}
}

// end ends a job without a fine by the policy.
func (x *Exchange) end(j *live, state State, reason, detail string) {
	x.endAt(j, state, reason, detail, 0)
}

// endAt ends a job: bills it, tells those who wait for it, and forgets it.
// fine is what the policy itself takes off the price for lateness.
func (x *Exchange) endAt(j *live, state State, reason, detail string, fine market.Price) {
	_, under := x.jobs[j.ID]
	if !under {
		return
	}
	j.State, j.Reason, j.Detail, j.EndedUS, j.Share = state, reason, detail, x.now, 0
	if state != Lost && state != Rejected {
		j.OptionalMS, j.Optional = x.optionalDue(j)
	}
	if j.MandatoryUS != 0 {
		j.EndedUS = min(x.now, max(j.DueUS, j.MandatoryUS))
	}
	for rank := range j.programs() {
		if s := j.first(rank).Status; s != nil {
			j.Tasks = append(j.Tasks, *s)
		}
	}
	x.bill(j, fine)
	x.leavePlaces(j)
	x.judge(j)
	delete(x.jobs, j.ID)
	x.fx.over(j)
	x.follow(j)
}

// judge counts whether a deadline was met.
func (x *Exchange) judge(j *live) {
	if j.DueUS == 0 || j.State != Completed && j.State != Failed && j.State != Lost {
		return
	}
	met := j.State != Lost && !x.timeOf(j.EndedUS).After(x.timeOf(j.DueUS))
	switch {
	case j.Void:
	case j.PromisedUS != 0:
		x.record.Promised++
		if met {
			x.record.Kept++
		}
	default:
		x.record.Hoped++
		if met {
			x.record.Met++
		}
	}
}

// bill settles a job's money: what is held is captured or given back, and a
// broken promise is paid for.
func (x *Exchange) bill(j *live, fine market.Price) {
	charge, lines := x.charge(j)
	if charge > j.Held { // never more than was agreed to
		charge = j.Held
	}
	var seqs []int64
	if hold, held := x.ledger.HoldOf(j.ID); held {
		charge = min(charge, int64(hold.Amount()))
		tx, err := x.ledger.Capture(x.now, j.ID, market.Money(charge))
		if err != nil {
			broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
		}
		x.fx.tx(tx)
		seqs = append(seqs, tx.Seq)
	}
	penalty, line := x.penalty(j, fine)
	if penalty > 0 {
		tx, err := x.ledger.Penalty(x.now, j.ID, market.Account(j.Account), market.Money(penalty))
		if err != nil {
			broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
		}
		x.fx.tx(tx)
		seqs = append(seqs, tx.Seq)
		lines = append(lines, line)
	}
	j.Held, j.Charged, j.Penalty = 0, charge, penalty
	if j.State == Rejected {
		return
	}
	j.Receipt = &Receipt{
		Job: j.ID, Policy: j.Policy, Settings: x.epoch().Settings, Version: FormulaVersion, Formula: j.Working.Formula,
		Inputs: j.Working.Inputs, Lines: lines, Charged: charge, Penalty: penalty, Net: charge - penalty, IssuedUS: x.now, TxSeqs: seqs,
	}
}

// charge is what a job owes, by how it ended.
func (x *Exchange) charge(j *live) (int64, []ReceiptLine) {
	switch j.State {
	case Completed, Failed, Stopped:
		return x.fullCharge(j)
	case Cancelled:
		if j.MandatoryUS != 0 {
			return x.fullCharge(j)
		}
		return x.partCharge(j)
	default: // never ran, or was lost by no fault of its own
		return 0, nil
	}
}

// fullCharge is the price agreed and what was used of extensions.
func (x *Exchange) fullCharge(j *live) (int64, []ReceiptLine) {
	total := j.Price
	lines := []ReceiptLine{{What: "price as agreed", Formula: j.Working.Formula, Amount: j.Price}}
	over := j.Work - j.askedMS()
	for i := range j.Extensions {
		e := &j.Extensions[i]
		e.UsedMS = min(max(0, over), e.WorkMS)
		over -= e.UsedMS
		part := proportion(e.Price, e.UsedMS, e.WorkMS)
		total += part
		lines = append(lines, ReceiptLine{
			What:    fmt.Sprintf("over-run: %s of %s more", span(e.UsedMS), span(e.WorkMS)),
			Formula: fmt.Sprintf("%s * %d / %d", market.Money(e.Price), e.UsedMS, e.WorkMS), Amount: part,
		})
	}
	if j.Request.Optional != nil {
		part, line := x.optionalCharge(j)
		lines[0].What, lines[0].Formula = "mandatory part, as agreed", formula(j.Policy)
		total, lines = total+part, append(lines, line)
	}
	return total, lines
}

// partCharge is what a cancelled job owes: the price in proportion to the work
// it had, never more than the price.
func (x *Exchange) partCharge(j *live) (int64, []ReceiptLine) {
	asked := j.askedMS()
	if j.StartedUS == 0 || asked <= 0 {
		return 0, nil
	}
	had := min(j.Work, asked)
	part := proportion(j.Price, had, asked)
	return part, []ReceiptLine{{
		What:    fmt.Sprintf("cancelled after %s of %s", span(had), span(asked)),
		Formula: fmt.Sprintf("%s * %d / %d", market.Money(j.Price), had, asked), Amount: part,
	}}
}

// askedMS is the estimate on each processor: of an array, of a whole lane.
func (j *live) askedMS() int64 {
	_, estimate := j.Request.width(j.Width)
	return int64(float64(estimate)*1e3 + 0.5)
}

// penalty is what the owner owes a job that is late. Where the policy is
// liable by its own rules (001, 004) that is its fine; else it is the rate of
// the job for every second after a firm promise. A job that over-ran its own
// estimate is owed nothing.
func (x *Exchange) penalty(j *live, fine market.Price) (int64, ReceiptLine) {
	if j.State == Expired {
		fine = -market.Price(j.Owed)
	}
	late := x.lateness(j)
	switch {
	case fine > 0 && j.OverUS == 0 && (late > 0 || j.State == Expired):
	case j.PromisedUS == 0 || late <= 0 || j.State != Completed && j.State != Failed:
		return 0, ReceiptLine{}
	default:
		fine = market.Price(float64(late) * float64(market.Money(j.Request.PenaltyMicros).Price()))
	}
	amount, err := fine.Money()
	if err != nil || amount <= 0 {
		return 0, ReceiptLine{}
	}
	return int64(amount), ReceiptLine{
		What:    fmt.Sprintf("penalty: %.6f s late", float64(late)),
		Formula: fmt.Sprintf("%s a second * %.6f s", market.Money(j.Request.PenaltyMicros), float64(late)), Amount: -int64(amount),
	}
}

// lateness is by how much a job is, or was, late, as far as that is not its own
// doing: time after it had used up its estimate does not count.
func (x *Exchange) lateness(j *live) market.Time {
	if j.DueUS == 0 {
		return 0
	}
	until := j.EndedUS
	if until == 0 {
		until = x.now
	}
	if j.OverUS != 0 {
		until = min(until, j.OverUS)
	}
	if j.MandatoryUS != 0 {
		until = min(until, j.MandatoryUS) // that was what was promised
	}
	late := x.timeOf(until) - x.timeOf(j.DueUS)
	if late <= market.TimeSlack {
		return 0
	}
	return late
}

// proportion is amount*part/whole, rounded down, without overflow for any
// amount of money and any period that a request can have.
func proportion(amount, part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	q, r := amount/whole, amount%whole
	return q*part + int64(float64(r)*float64(part)/float64(whole))
}

// broken stops the program: the books contradict the market.
func broken(invariant int, what string) {
	panic(fmt.Sprintf("libra: invariant %d broken: %s", invariant, what))
}
