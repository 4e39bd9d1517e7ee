package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// mostCost is what is held for a request at a price on so many processors, of which
// so much is for memory and disk.
func (x *pricer) mostCost(r *trade.Request, price market.Money, s *trade.Storage, width int) market.Money {
	_, estimate := r.Width(width)
	margin := x.marginFor(price-s.Amount(), int64(float64(estimate)*1e3))
	return bill.Most(x.rules(), price, margin, r.Budget, r.OptionalTerms())
}

// pieces is what the lanes of an array have room for, by what is in it: elements
// that do not fill the last round of all lanes cost nothing where every processor
// is paid for. 1: all of it.
func (x *pricer) pieces(r *trade.Request, width int) float64 {
	if r.Array == nil || !x.rules().Paid() || x.epoch().Setting("per") != "processor" {
		return 1
	}
	n, lanes := r.Array.Len(), max(1, width/r.PerProgram())
	return float64(lanes*((n+lanes-1)/lanes)) / float64(n)
}

// inPieces is the price of a request that the core priced by the room it takes.
func (x *pricer) inPieces(r *trade.Request, width int, price market.Price) market.Price {
	return price / market.Price(x.pieces(r, width))
}

// cannotPromise says why the penalty that a request asks for is not sold with it at
// a price, of which so much is for memory and disk; "" where it is. The job it is for
// does not count, where it is there.
func (x *pricer) cannotPromise(r *trade.Request, price market.Money, s *trade.Storage, width int, except int64) (reason, detail string) {
	ruled := x.rules()
	if r.PenaltyMicros == 0 || !ruled.Paid() {
		return "", ""
	}
	_, estimate := r.Width(width)
	if ruled.PenaltyLimit != rules.None {
		times := bill.Proportion(price-s.Amount(), int64(ruled.PenaltyLimit), int64(rules.Whole))
		allowed := bill.Proportion(times, 1000, int64(float64(estimate)*1e3))
		if market.Money(r.PenaltyMicros) > allowed {
			return trade.ReasonPenalty, fmt.Sprintf("a penalty of %s a second is more than is sold with it: at most %s a second, %s times its price of %s for %s",
				market.Money(r.PenaltyMicros).Exact()+" "+market.Sign, allowed.Exact()+" "+market.Sign, market.Money(ruled.PenaltyLimit), (price - s.Amount()).Said(), market.Span(int64(float64(estimate)*1e3)))
		}
	}
	if ruled.OwnerFloor == rules.NoFloor {
		return "", ""
	}
	if left := x.ownerLeft(except); left-price < ruled.OwnerFloor {
		return trade.ReasonPenalty, fmt.Sprintf("no penalties are sold at the moment: with all that is promised the owner's account could fall below its floor of %s; without a penalty it may be taken",
			ruled.OwnerFloor.Said())
	}
	return "", ""
}

// ownerLeft is what the owner's account would be left with if every promise with a
// penalty were broken, but for that to one job: each can cost the price of its job.
func (x *pricer) ownerLeft(except int64) market.Money {
	var left market.Money
	if owner, known := x.ledger.Account(ledger.Owner); known {
		left = owner.Free
	}
	for j := range x.jobs.All() {
		if j.ID != except && j.Request.PenaltyMicros > 0 && x.rulesOf(j).Paid() {
			left -= bill.Proportion(market.Money(j.Price), int64(max(rules.Whole, x.rulesOf(j).PenaltyCap)), int64(rules.Whole))
		}
	}
	return left
}

// fitting is what the core is asked: of an array without a limit, the most
// lanes that the market takes.
func (x *pricer) fitting(j *underway.Job) market.Job {
	t := x.time()
	first := j.Request.Asked(j.ID, j.Owner, t, j.Request.Lanes(x.nodes))
	first.Where = roster.Clear(x.nodes.Census(), first.Where, underway.Until(j, x.now))
	if j.DueUS > 0 { // part of the deadline may be gone, waiting for others
		first.SLA.Deadline = max(0, x.timeOf(j.DueUS)-t)
	}
	budget, factor := first.SLA.Budget, x.rates.Factor(j.Request.Partition)
	first.SLA = trade.SLAPer(first.SLA, factor) // with which forCore asks where it would be
	first.SLA.Budget = x.forCore(&j.Request, &first, budget)
	if j.Request.Array == nil || j.Request.Array.Limit > 0 {
		return first
	}
	for try := first; ; {
		if _, err := x.cluster.Quote(t, try); err == nil {
			return try
		}
		if int(try.Width) <= j.Threads() { // one lane
			return first
		}
		trade.Narrow(&try, &j.Request)
		try.SLA.Budget = x.forCore(&j.Request, &try, budget)
	}
}

// onlyPrecise says why a request with an optional part cannot be taken here; ""
// where it can, or has none.
func (x *pricer) onlyPrecise(r *trade.Request) string {
	if r.Optional == nil {
		return ""
	}
	if !x.kind.Imprecise {
		return fmt.Sprintf("under %s there are no optional parts: leave it out, or ask where mf-edf or mf-hbf is in force", x.epoch().Policy)
	}
	if n := x.nodes.Batch(); n != nil {
		return fmt.Sprintf("%s runs the jobs of node %s, and knows no optional parts", n.Runs, n.Node)
	}
	return ""
}

// fill completes a quote with what the core answered, but for when it would be done.
func (x *pricer) fill(q *quote.Held, asked *market.Job, core market.Quote) {
	q.Firm, q.Owed, q.Procs = core.Firm, core.Price, core.Procs
	q.Price = x.quoted(&q.Request, q.Width, core.Price) + int64(q.Storage.Amount())
	if core.Firm {
		q.FinishUS = x.unix(core.Finish)
	}
	if d := asked.SLA.Deadline; d.Finite() && d > 0 && core.Firm {
		q.Share = min(1, float64(asked.Estimate)/float64(d))
	}
	q.Odds, _ = x.record.Odds(core.Firm)
	q.Formula = q.Working.Formula
	q.Worked = bill.Worked(q.Formula, q.Working.Inputs, market.Money(q.Price), q.Storage.Amount()-q.Storage.ForGPUs(), q.Storage.ForGPUs())
	if gain, err := core.Gain.Money(); err == nil {
		q.Gain = int64(gain)
	}
	q.OptionalMost = int64(q.Request.OptionalTerms().Most(x.rules()))
}

// quoted is the price of a request in money, where the core asks so much.
func (x *pricer) quoted(r *trade.Request, width int, asks market.Price) int64 {
	price, err := x.amount(r, width, asks)
	if err != nil {
		return 0
	}
	return int64(max(0, price))
}

// whyNot is the reason for which a request is refused now.
func (x *pricer) whyNot(j *underway.Job, r trade.Request) market.Reason {
	trial := &underway.Job{Job: trade.Job{ID: x.next, Owner: j.Owner, Request: r}}
	_, err := x.cluster.Quote(x.time(), x.fitting(trial))
	return refusalOf(err)
}

// refusalOf is the reason of a refusal, if an answer is one.
func refusalOf(answer error) market.Reason {
	if rejected, ok := answer.(*market.Rejection); ok { //nolint:errorlint // the cluster returns it as it is
		return rejected.Reason
	}
	return market.NoReason
}

// ask is a quote that binds nobody.
func (x *pricer) ask(j *underway.Job, r trade.Request) (trade.Quote, bool) {
	q, asked, core, ok := x.terms(j, r)
	if ok {
		q.PredictedUS = x.predict(&asked, core)
	}
	return q, ok
}

// terms is such a quote without a forecast, and what it comes from. A forecast looks
// at all that run beside it, which costs several times the rest.
func (x *pricer) terms(j *underway.Job, r trade.Request) (q trade.Quote, asked market.Job, core market.Quote, ok bool) {
	trial := &underway.Job{Job: trade.Job{ID: x.next, Owner: j.Owner, Request: r}}
	asked = x.fitting(trial)
	core, err := x.quote(&r, asked)
	if err != nil || !core.Price.Limited() {
		return trade.Quote{}, asked, core, false
	}
	trial.Storage = x.storage(&asked, core.Procs)
	x.prepareWorking(trial, &asked)
	held := &quote.Held{Working: trial.Working, Quote: trade.Quote{
		Storage: trial.Storage, Owner: j.Owner, Request: r, MadeUS: x.now, Width: int(asked.Width), Policy: x.epoch().Policy,
	}}
	x.fill(held, &asked, core)
	return held.Quote, asked, core, !held.Storage.Over(&r, market.Money(held.Price))
}

// amount is the price of a request in money. Where jobs pay for what they use, one
// that costs anything costs the smallest unit at least: all that it takes beyond its
// estimate is reckoned from that. More than a job can bid is no price.
func (x *pricer) amount(r *trade.Request, width int, asks market.Price) (market.Money, error) {
	asks = x.inPieces(r, width, asks)
	price, err := bill.Amount(x.rules(), asks)
	if price > bill.MaxAmount {
		return 0, market.ErrAmount
	}
	if price == 0 && asks > 0 && err == nil && x.rules().Paid() {
		price = 1
	}
	return price, err
}
