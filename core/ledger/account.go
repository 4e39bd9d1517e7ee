package ledger

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Account is what the ledger knows of an account.
type Account struct {
	Path   market.Account `json:"path"`
	Free   market.Money   `json:"free_micros"`   // what can be spent
	Held   market.Money   `json:"held_micros"`   // what is set aside of its own money
	Limit  market.Money   `json:"limit_micros"`  // the most to be used in a month, with all below it; NoLimit: none
	Credit market.Money   `json:"credit_micros"` // how far below zero Free may go
	// Reserved is what is held for its own jobs and those of all below it,
	// whosever money that is. Held, in turn, is its own money, whosever jobs
	// that is for.
	Reserved market.Money `json:"reserved_micros"`
	// Spent is what it was charged and gave away, with all below it, in Month,
	// less refunds. What moves between two accounts below it is not given away.
	Spent market.Money `json:"spent_micros"`
	// Sent is what of that it gave away.
	Sent   market.Money `json:"sent_micros,omitempty"`
	Month  int32        `json:"month"` // 202603 is March 2026; 0: nothing was ever spent
	Closed bool         `json:"closed,omitempty"`
}

// Overdrawn says by how much the account is below zero. For the owner this is
// what it has paid in penalties and refunds beyond what it ever earned.
func (a Account) Overdrawn() market.Money { return -max(min(a.Free, 0), -math.MaxInt64) }

// SpentIn is what was spent in the month that has the instant in it.
func (a Account) SpentIn(at int64) market.Money {
	if checkTime(at) == nil && a.Month == monthOf(at) {
		return a.Spent
	}
	return 0
}

// SpentSince reports whether something was spent in the month that has the instant in it,
// or later: what was before the last month in which it spent, nobody remembers.
func (a Account) SpentSince(at int64) bool {
	return a.Month != 0 && a.Month >= monthOf(min(max(at, 0), lastInstant))
}

// SentIn is what of that was given away.
func (a Account) SentIn(at int64) market.Money {
	if checkTime(at) == nil && a.Month == monthOf(at) {
		return a.Sent
	}
	return 0
}

// Used is what counts against the limit of the account in the month that has
// the instant in it: what is held, and what was spent that month. What is held
// counts in every month it lasts.
func (a Account) Used(at int64) market.Money {
	return saturated(a.Reserved, a.SpentIn(at))
}

// node is an account in its tree.
type node struct {
	Account
	up    *node // nil at the top
	below int   // open accounts one step down
	jobs  int   // jobs of its own that have a hold, be it of nothing
}

// credit is what can be taken beyond what is there. Nobody may ever be overdrawn
// beyond their credit, so it is never less than nothing.
func (n *node) credit() market.Money { return n.Credit + min(0, n.Free) }

// spentIn is what was spent in a month. Time does not run back, so a month that
// is not the account's is a new one.
func (n *node) spentIn(month int32) market.Money {
	if n.Month != month {
		return 0
	}
	return n.Spent
}

// checkLimits says which account, from n upwards and below another, would be
// beyond its limit if more were held or given away. A job for free is never beyond
// a limit, not even where all of it is used up.
func (n *node) checkLimits(month int32, more market.Money, within *node) error {
	for ; n != within && more > 0; n = n.up {
		used := saturated(n.Reserved, n.spentIn(month))
		if n.Limit != NoLimit && saturated(used, more) > n.Limit {
			return &OverLimit{Account: n.Path, Limit: n.Limit, Used: used, Wanted: more}
		}
	}
	return nil
}

// find is the open account of that path.
func (l *Ledger) find(path market.Account) (*node, error) {
	n, there := l.accounts[path]
	switch {
	case !there && path == Allowances:
		return &node{Account: Account{Path: path, Limit: NoLimit}}, nil
	case !there:
		return nil, fmt.Errorf("%w: %q", ErrUnknown, path)
	case n.Closed:
		return nil, fmt.Errorf("%w: %s", ErrClosed, path)
	}
	return n, nil
}

// findOrdinary is the open account of that path, if it is no system account.
func (l *Ledger) findOrdinary(path market.Account) (*node, error) {
	if system(path) {
		return nil, fmt.Errorf("%w: %s", ErrSystem, path)
	}
	return l.find(path)
}

// saturated adds, and stops at the edge of what money can be: for sums that
// are compared or shown, never for money itself.
func saturated(a, b market.Money) market.Money {
	sum, err := a.Plus(b)
	switch {
	case err == nil:
		return sum
	case b > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}
