package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// cancel takes a job or a quote back.
func (x *door) cancel(by trade.Identity, c *trade.Cancel) (trade.Outcome, error) {
	if c.Quote != "" {
		return x.cancelQuote(by, c.Quote)
	}
	j := x.jobs.Find(c.Job)
	if j == nil || by.Role != trade.RoleOwner && j.Owner != by.User {
		return trade.Outcome{}, fmt.Errorf("job %d: %w, or it has ended", c.Job, trade.ErrUnknown)
	}
	var err error
	switch {
	case len(c.Elements) > 0:
		if err = j.TakeOut(c.Elements); err == nil {
			x.floor.changed(j)
		}
	case x.unheard(j):
		err = x.abandon(j, underway.CancelledBy(j, by.User))
	default:
		err = x.runs.stop(j, task.Terminate, trade.Cancelled, market.ByUser.String(), underway.CancelledBy(j, by.User))
	}
	if err == nil {
		err = x.followUp()
	}
	if err != nil {
		return trade.Outcome{}, err
	}
	return trade.Told(x.tell.view(j)), nil
}

// cancelQuote cancels a quote.
func (x *door) cancelQuote(by trade.Identity, id string) (trade.Outcome, error) {
	q := x.quotes.Find(id)
	if q == nil || by.Role != trade.RoleOwner && q.Owner != by.User {
		return trade.Outcome{}, fmt.Errorf("quote %s: %w, or it has expired", id, trade.ErrUnknown)
	}
	v := q.Quote
	return trade.Outcome{Quote: &v}, x.expireQuote(q)
}

// expireQuote ends a quote that nobody took: the room it kept is paid for.
func (x *door) expireQuote(q *quote.Held) error {
	q.Ending = true
	if q.Reserved && x.cluster != nil {
		if err := x.floor.step(market.Event{Kind: market.Cancelled, Job: market.JobID(q.Job)}); err != nil {
			return err
		}
	}
	if x.bank.holds(q) {
		x.floor.endHold(q, x.bank.rent(q))
	}
	x.floor.removeQuote(q)
	return nil
}
