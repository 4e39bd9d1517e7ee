package ledger

import (
	"errors"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// CanHold is what Hold would answer for a new job, and changes nothing.
func (l *Ledger) CanHold(at int64, account market.Account, amount market.Money) error {
	payer, err := l.findOrdinary(account)
	if err != nil {
		return err
	}
	if amount < 0 {
		return fmt.Errorf("%w: %s of %s (want 0 or more)", market.ErrAmount, KindHold, amount)
	}
	if err := checkTime(at); err != nil {
		return err
	}
	if err := payer.checkLimits(monthOf(at), amount, nil); err != nil {
		return err
	}
	if _, left := drawFrom(payer, amount); left > 0 {
		return &Shortage{Account: account, Wanted: amount, Have: amount - left}
	}
	return nil
}

// CanHoldAtFirst is what CanHold would answer for an account that is to be opened with so
// much in it. What it lacks those above have, as with any account, and their limits are
// its own.
func (l *Ledger) CanHoldAtFirst(at int64, account market.Account, with, amount market.Money) error {
	above, some := parent(account)
	if !some {
		return fmt.Errorf("%w: %s", ErrUnknown, account)
	}
	err := l.CanHold(at, above, amount)
	var short *Shortage
	if !errors.As(err, &short) {
		return err
	}
	if with >= amount-short.Have {
		return nil
	}
	return &Shortage{Account: account, Wanted: amount, Have: short.Have + with}
}

// Available is the most that could be held for the account's jobs now: nothing
// where there is no such account.
func (l *Ledger) Available(at int64, account market.Account) market.Money {
	payer, err := l.findOrdinary(account)
	if err != nil || checkTime(at) != nil {
		return 0
	}
	_, left := drawFrom(payer, math.MaxInt64)
	most := math.MaxInt64 - left
	for n := payer; n != nil; n = n.up {
		if n.Limit != NoLimit {
			most = min(most, n.Limit-saturated(n.Reserved, n.spentIn(monthOf(at))))
		}
	}
	return max(0, most)
}
