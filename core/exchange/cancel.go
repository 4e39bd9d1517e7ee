package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
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
	detail := "cancelled by its user"
	if by.User != j.Owner {
		detail = "cancelled by " + by.User
	}
	if x.unheard(j) {
		if err := x.abandon(j, detail); err != nil {
			return trade.Outcome{}, err
		}
	} else if err := x.runs.stop(j, task.Terminate, trade.Cancelled, market.ByUser.String(), detail); err != nil {
		return trade.Outcome{}, err
	}
	if err := x.followUp(); err != nil {
		return trade.Outcome{}, err
	}
	v := x.tell.view(j)
	return trade.Outcome{Job: &v}, nil
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
