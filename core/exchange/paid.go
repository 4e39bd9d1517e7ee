package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Where jobs pay for what they use (rules.EndingsUsed), somebody has to say what
// that is, when it was, and by whose doing.

// paidMS is the work that the price of a job is for, on each of its processors: of
// an array, all of its elements.
func (x *state) paidMS(j *activeJob) int64 {
	if j.Request.Array == nil || !x.rulesOf(j).Paid() {
		return j.askedMS()
	}
	return max(1, j.Request.EstimateMS*int64(j.Request.Array.Len())/int64(max(1, j.Width)))
}

// measuredMS is the work that a job was measured to have had, on each of its
// processors, one for the other.
func (j *activeJob) measuredMS() int64 {
	if len(j.Ranks) == 0 {
		return j.Work
	}
	sum := 0.0
	for i := range j.Ranks {
		sum += float64(j.Ranks[i].Mandatory())
	}
	return int64(sum*1e3/float64(len(j.Ranks)) + 1e-3) // but for rounding
}

// measuredEnd is when a job ended by the clocks of its nodes: what it took them to
// report is not its delay. A clock that is wrong can make that no earlier than the
// job can have run, and no later than the market has heard of it.
func (x *state) measuredEnd(j *activeJob) market.Time {
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
func (x *state) inTimeAt(j *activeJob) market.Time {
	r := x.rulesOf(j)
	if !r.Paid() {
		return x.timeOf(j.EndedUS)
	}
	return min(x.timeOf(j.EndedUS), x.measuredEnd(j)) - market.Time(float64(r.Reporting)/float64(rules.Whole))
}

// blame adds to how a job ended what of it is its own doing.
func (x *state) blame(j *activeJob, e *bill.Ending) {
	begun, refused := false, false
	e.Gone = true
	for i := range j.Ranks {
		r := &j.Ranks[i]
		s := r.Status
		never := s != nil && s.NeverBegan()
		begun, refused = begun || !never, refused || never
		if s == nil {
			continue
		}
		declined := float64(s.DeclinedUS) / float64(j.threads()) / 1e3 * x.nodes[r.Node].Speed
		e.DeclinedMS = max(e.DeclinedMS, int64(declined))
		e.ByUser = e.ByUser || s.Cancelled
		// One that a living node has lost may have seen to that itself.
		e.Gone = e.Gone && (s.State != task.Lost || x.nodes[r.Node].Runs != "")
	}
	e.Begun, e.Part = e.Begun && begun, begun && refused
	if j.UsedUS != 0 {
		e.UsedUp = min(e.UsedUp, x.timeOf(j.UsedUS))
	}
	e.UsedUp = min(e.UsedUp, x.usedUpBy(j, e.At, e.WorkMS))
}

// usedUpBy is when, at the latest, a job had used up its estimate that ended with
// more work than that: since then it cannot have gone faster than its node.
func (x *state) usedUpBy(j *activeJob, at market.Time, workMS int64) market.Time {
	over, speed := workMS-x.paidMS(j), 0.0
	for i := range j.Ranks {
		speed = max(speed, x.nodes[j.Ranks[i].Node].Speed)
	}
	if over <= 0 || speed <= 0 {
		return market.Never
	}
	return at - market.Time(float64(over)/1e3/speed)
}

// beyond is what a job has taken beyond all that was sold to it, because nobody
// could know in time: it is owed at the price of the job itself.
func (x *state) beyond(j *activeJob, workMS int64) (bill.Extension, bool) {
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
	return bill.Extension{WorkMS: over, Price: bill.AtRateOf(market.Money(j.Price), over, paid)}, true
}

// short is what is missing of what is held to pay a bill, as far as the account of
// a job without a budget has it.
func (x *state) short(r *rules.Rules, j *activeJob, agreed *bill.Job, e *bill.Ending) market.Money {
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

// raise keeps more for a job, of what was asked to be there.
func (x *Exchange) raise(j *activeJob, more market.Money) {
	tx, err := x.ledger.Raise(x.now, j.ID, more)
	if err != nil {
		broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
	}
	x.fx.tx(tx)
	j.Held += int64(more)
}

// mostCost is what is held for a request at a price on so many processors.
func (x *state) mostCost(r *trade.Request, price market.Money, width int) market.Money {
	_, estimate := r.Width(width)
	margin := bill.Margin(x.rules(), price, int64(float64(estimate)*1e3))
	return bill.Most(price, margin, r.Budget, r.OptionalTerms())
}

// pieces is what the lanes of an array have room for, by what is in it: elements
// that do not fill the last round of all lanes cost nothing where every processor
// is paid for. 1: all of it.
func (x *state) pieces(r *trade.Request, width int) float64 {
	if r.Array == nil || !x.rules().Paid() || x.epoch().PolicySettings()["per"] != "processor" {
		return 1
	}
	n, lanes := r.Array.Len(), max(1, width)
	return float64(lanes*((n+lanes-1)/lanes)) / float64(n)
}

// inPieces is the price of a request that the core priced by the room it takes.
func (x *state) inPieces(r *trade.Request, width int, price market.Price) market.Price {
	return price / market.Price(x.pieces(r, width))
}

// cannotPromise says why the penalty that a request asks for is not sold with it at
// a price; "" where it is. The job it is for does not count, where it is there.
func (x *state) cannotPromise(r *trade.Request, price market.Money, width int, except int64) (reason, detail string) {
	ruled := x.rules()
	if r.PenaltyMicros == 0 || !ruled.Paid() {
		return "", ""
	}
	_, estimate := r.Width(width)
	if ruled.PenaltyLimit != rules.None {
		times := bill.Proportion(price, int64(ruled.PenaltyLimit), int64(rules.Whole))
		allowed := bill.Proportion(times, 1000, int64(float64(estimate)*1e3))
		if market.Money(r.PenaltyMicros) > allowed {
			return trade.ReasonPenalty, fmt.Sprintf("a penalty of %s a second is more than is sold with it: at most %s a second, %s times its price of %s for %s",
				market.Money(r.PenaltyMicros), allowed, market.Money(ruled.PenaltyLimit), price, market.Span(int64(float64(estimate)*1e3)))
		}
	}
	if ruled.OwnerFloor == rules.NoFloor {
		return "", ""
	}
	if left := x.ownerLeft(except); left-price < ruled.OwnerFloor {
		return trade.ReasonPenalty, fmt.Sprintf("no penalties are sold at the moment: with all that is promised the owner's account could fall below its floor of %s; without a penalty it may be taken",
			ruled.OwnerFloor)
	}
	return "", ""
}

// ownerLeft is what the owner's account would be left with if every promise with a
// penalty were broken, but for that to one job: each can cost the price of its job.
func (x *state) ownerLeft(except int64) market.Money {
	var left market.Money
	if owner, known := x.ledger.Account(ledger.Owner); known {
		left = owner.Free
	}
	for _, j := range x.jobs {
		if j.ID != except && j.Request.PenaltyMicros > 0 && x.rulesOf(j).Paid() {
			left -= bill.Proportion(market.Money(j.Price), int64(max(rules.Whole, x.rulesOf(j).PenaltyCap)), int64(rules.Whole))
		}
	}
	return left
}
