package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/underway"
)

// raise keeps more for a job, of what was asked to be there.
func (x *floor) raise(j *underway.Job, more market.Money) {
	tx, err := x.ledger.Raise(x.now, j.ID, more)
	if err != nil {
		broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
	}
	x.fx.tx(tx)
	j.Held += int64(more)
}

// holdFunds keeps the most that a job can cost.
func (x *floor) holdFunds(j *underway.Job) error {
	if hold, held := x.ledger.HoldOf(j.ID); held { // by the quote that it was submitted on
		j.Held = int64(hold.Amount())
		return nil
	}
	amount := x.price.mostCost(&j.Request, market.Money(j.Price), j.Storage, j.Width)
	tx, err := x.ledger.Hold(x.now, j.ID, market.Account(j.Account), amount)
	if err != nil {
		return err
	}
	j.Held = int64(amount)
	x.fx.tx(tx)
	return nil
}

// releaseHold gives back what is kept for a job.
func (x *floor) releaseHold(j *underway.Job) {
	tx, err := x.ledger.Release(x.now, j.ID)
	if err != nil {
		broken(15, fmt.Sprintf("job %d: %v", j.ID, err))
	}
	j.Held = 0
	x.fx.tx(tx)
}

// holdForQuote sets the most that the job can cost aside, under the number that the
// job will have.
func (x *floor) holdForQuote(q *quote.Held, most market.Money) {
	ruled := x.rules()
	if !ruled.QuoteHold {
		return
	}
	tx, err := x.ledger.Hold(x.now, q.Job, market.Account(q.Account), most)
	if err != nil {
		broken(15, fmt.Sprintf("quote %s: %v", q.ID, err)) // it was asked before
	}
	x.fx.tx(tx)
	q.Held = int64(most)
	q.Rent = int64(bill.PartOf(ruled, market.Money(q.Price), int64(ruled.QuoteRent), int64(rules.Whole)))
}

// endHold gives what a quote holds back, less its rent.
func (x *floor) endHold(q *quote.Held, rent market.Money) {
	var tx ledger.Tx
	var err error
	if rent > 0 {
		tx, err = x.ledger.Rent(x.now, q.Job, rent, x.bank.rentMemo(q))
	} else {
		tx, err = x.ledger.Release(x.now, q.Job)
	}
	if err != nil {
		broken(15, fmt.Sprintf("quote %s: %v", q.ID, err))
	}
	x.fx.tx(tx)
	q.Held, q.Rent, q.Keeps = 0, 0, 0
}
