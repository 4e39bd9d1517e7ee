package controller

import (
	"context"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// allowances is what was paid as allowances in a period.
func (c *Controller) allowances(ctx context.Context, fromUS, toUS int64) (paid int64, err error) {
	for tx, err := range c.txs(ctx, store.TxQuery{Account: string(ledger.Allowances), From: fromUS, To: toUS}) {
		if err != nil {
			return 0, err
		}
		if tx.Kind == ledger.KindIncome {
			paid += int64(tx.Postings[1].Amount)
		}
	}
	return paid, nil
}

// Tally is the business of a period, by the jobs submitted in it: promises
// made, kept, missed and paid, and what was earned beside what could have been; and
// by what quotes paid in it that were not taken.
func (c *Controller) Tally(ctx context.Context, fromUS, toUS int64) (trade.Tally, error) {
	t := trade.Tally{FromUS: fromUS, ToUS: toUS, Reasons: map[string]int64{}}
	var speed float64
	if err := c.query(ctx, func(x *exchange.Exchange) { speed = x.SpeedOfAll() }); err != nil {
		return t, err
	}
	b := bound{now: c.now()}
	err := c.eachJob(ctx, store.Query{From: fromUS, To: toUS}, func(j *trade.Job) error {
		t.Count(j)
		if j.PromisedUS > 0 && (j.Firm || j.State == trade.Lost) {
			t.CountPromise(j, j.InTimeBy())
		}
		b.add(j)
		return nil
	})
	if err != nil {
		return t, err
	}
	if err = c.rents(ctx, fromUS, toUS, func(_ *ledger.Tx, rent market.Money) { t.Rent += int64(rent) }); err != nil {
		return t, err
	}
	if t.Allowances, err = c.allowances(ctx, fromUS, toUS); err != nil {
		return t, err
	}
	t.Close()
	capacity := b.capacity(speed)
	t.Bound, t.BoundHow = b.most(speed), b.how()
	if capacity > 0 {
		t.Utilized = t.Used / capacity
	}
	return t, nil
}
