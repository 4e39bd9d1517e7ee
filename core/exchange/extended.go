package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// prolonged notes an extension, and keeps the money for it.
func (x *floor) prolonged(j *underway.Job, e *market.Event) {
	ruled := x.rulesOf(j)
	price, err := bill.Amount(ruled, e.Price)
	if err != nil {
		price = 0
	}
	total := int64(float64(e.Work) * 1e3)
	ms, over := total-j.AskedMS()-j.Extra, j.Over
	if ruled.Paid() { // the price is for the piece that was asked for, and all else is over
		over = max(0, ms-j.Piece)
	}
	if stand, here := x.cluster.Status(market.JobID(j.ID), x.time()); here {
		price = max(price, x.owed.flat(j, &stand, ms-over))
	}
	more := bill.Extend(ruled, price, ms, over)
	if left, err := x.owed.leeway(j).Money(); err == nil && ruled.Up() {
		more.Price = min(more.Price, left) // it was asked whether it can be paid, but for rounding
	}
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
	if ruled.Held() {
		for i := range j.Ranks { // they may let it have more
			x.nodes.Mark(j.Ranks[i].Node, roster.Tasks)
		}
	}
	j.Extensions = append(j.Extensions, trade.Extension{AtUS: x.now, WorkMS: ms, Price: int64(more.Price)})
	x.changed(j)
}

// overran hears that there is no more to be had: extend decides what follows.
func (x *floor) overran(j *underway.Job, e *market.Event) {
	why := trade.RefusalText(e.Reason)
	if j.State == trade.Stopping { // that is why it ends
		return
	}
	switch paid := x.rulesOf(j).Paid(); {
	case e.Reason == market.CannotMeetDeadline: // whether or not others are in its way
		why = "that cannot be done by its deadline"
	case e.Reason == market.NotFirm:
		why = "no more can be promised to it now"
	case e.Reason == market.CannotMeetBudget && e.Price == 0: // the policy said so, of what it pays for a second
		why = "it pays less than is asked for as much work now"
	case e.Reason == market.CannotMeetBudget && paid:
		why = x.unpayable(j, e.Price)
	}
	j.Detail = "needs more than it estimated: " + why
}

// unpayable says what the next piece costs that a job cannot pay for, with what it took
// meanwhile, and what there is for it.
func (x *floor) unpayable(j *underway.Job, price market.Price) string {
	costs, err := (price * market.Price(float64(j.Piece+j.Over)/float64(max(1, j.Piece)))).Money()
	left, bad := x.owed.leeway(j).Money()
	if err != nil || bad != nil {
		costs, left = 0, 0
	}
	need, have := market.Apart(costs, left)
	next := fmt.Sprintf("the next %s cost %s %s", market.Span(j.Piece+j.Over), need, market.Sign)
	if j.Request.Budget == nil {
		return fmt.Sprintf("%s, and its account has %s %s", next, have, market.Sign)
	}
	return fmt.Sprintf("%s, and its budget of %s has %s %s for that", next, market.Money(*j.Request.Budget).Said(), have, market.Sign)
}
