package exchange

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/allowance"
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// payer is the account that pays for somebody's job.
func (x *bank) payer(by trade.Identity, named string) (string, error) {
	if named == "" {
		return x.AccountOf(by.User), nil
	}
	if by.Role != trade.RoleOwner && !x.accounts.Of(by.User).May(named) {
		return "", fmt.Errorf("account %s: %w", named, trade.ErrForbidden)
	}
	if _, open := x.ledger.Account(market.Account(named)); !open {
		return "", fmt.Errorf("account %s: %w", named, trade.ErrUnknown)
	}
	return named, nil
}

// AccountOf is the account that pays for a user who names none; "" where they are
// bound to none.
func (x *bank) AccountOf(user string) string {
	path, some := x.accounts.Pays(user, func(path string) bool {
		a, found := x.ledger.Account(market.Account(path))
		return found && !a.Closed
	})
	if !some && !x.bound {
		return user
	}
	return path
}

// Bindings are the accounts that a user may spend from.
func (x *bank) Bindings(user string) accounts.Bindings { return x.accounts.Of(user) }

// Account is how an account stands.
func (x *bank) Account(path string) (trade.Account, bool) {
	a, found := x.ledger.Account(market.Account(path))
	if !found {
		return trade.Account{}, false
	}
	return x.accountView(a), true
}

// Accounts lists an account and all below it, or all.
func (x *bank) Accounts(prefix string) []trade.Account {
	var views []trade.Account
	for _, a := range x.ledger.Accounts(market.Account(prefix)) {
		views = append(views, x.accountView(a))
	}
	return views
}

func (x *bank) accountView(a ledger.Account) trade.Account {
	v := trade.Account{
		Path: string(a.Path), Free: int64(a.Free), Held: int64(a.Held), Spent: int64(a.SpentIn(x.now) - a.SentIn(x.now)), Sent: int64(a.SentIn(x.now)), Used: int64(a.Used(x.now)),
		Credit: int64(a.Credit), Closed: a.Closed, Users: x.accounts.Users(string(a.Path)),
	}
	if a.Limit != ledger.NoLimit {
		limit := int64(a.Limit)
		v.Limit = &limit
	}
	x.income.Show(&v)
	return v
}

// Owned is what an account owns, and how much of that is held; with all below
// it, if asked.
func (x *bank) Owned(path string, subtree bool) (owned, held market.Money) {
	for _, a := range x.ledger.Accounts(market.Account(path)) {
		if subtree || string(a.Path) == path {
			owned, held = owned+a.Free+a.Held, held+a.Held
		}
	}
	return owned, held
}

// LedgerHead is where the chain of the ledger ends.
func (x *bank) LedgerHead() (seq int64, hash ledger.Hash) { return x.ledger.Head() }

// LedgerTotal is the sum of all accounts: zero.
func (x *bank) LedgerTotal() market.Money { return x.ledger.Total() }

// LedgerState is the ledger as it is, to be compared with its log.
func (x *bank) LedgerState() ledger.State { return x.ledger.State() }

// cannotHold says why an account cannot keep an amount for a job; "" where it
// can.
func (x *bank) cannotHold(account string, amount market.Money) (reason, detail string) {
	if account == "" {
		return trade.ReasonFunds, "you are bound to no account: ask the owner for `libra account bind USER ACCOUNT`"
	}
	if have, awaited := x.income.AtFirst(account, x.ledger); awaited {
		return shortage(x.ledger.CanHoldAtFirst(x.now, market.Account(account), have, amount))
	}
	return shortage(x.ledger.CanHold(x.now, market.Account(account), amount))
}

// shortage turns the ledger's refusals into reasons.
func shortage(err error) (reason, detail string) {
	var short *ledger.Shortage
	var over *ledger.OverLimit
	var kept *allowance.Kept
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &short):
		have, wanted := market.Apart(short.Have, short.Wanted)
		return trade.ReasonFunds, fmt.Sprintf("%s has %s %s free, %s %s is needed", short.Account, have, market.Sign, wanted, market.Sign)
	case errors.As(err, &kept):
		return trade.ReasonFunds, kept.Error()
	case errors.As(err, &over):
		return trade.ReasonLimit, fmt.Sprintf("%s may spend %s a month and has used %s; %s more is needed", over.Account, over.Limit.Said(), over.Used.Said(), over.Wanted.Said())
	case errors.Is(err, ledger.ErrUnknown):
		return trade.ReasonFunds, "there is no such account"
	default:
		return "", ""
	}
}

// holds reports whether something is held for a quote, be it nothing.
func (x *bank) holds(q *quote.Held) bool {
	_, held := x.ledger.HoldOf(q.Job)
	return held
}

// rent is what a quote costs that was not taken, for the time until now: by the
// rules under which it was made, and never more than it holds.
func (x *bank) rent(q *quote.Held) market.Money {
	const minute = 60 * int64(1_000_000)
	ruled := &x.ruled[x.eraOf(q)]
	part := int64(ruled.QuoteRent)
	rent := bill.PartOf(ruled, market.Money(q.Price), part*x.keptUS(q), int64(rules.Whole)*minute)
	if rent == 0 && part > 0 && q.Price > 0 { // to ask and drop, again and again, is not free
		rent = 1
	}
	return min(market.Money(q.Held), rent)
}

// keptUS is for how long a quote has kept room.
func (x *bank) keptUS(q *quote.Held) int64 { return min(x.now, q.ExpiresUS) - q.MadeUS }

// rentMemo says what the rent of a quote is for, with the numbers, so that it can be
// worked out by hand. Microseconds are written like money: exactly.
func (x *bank) rentMemo(q *quote.Held) string {
	part := market.Money(x.ruled[x.eraOf(q)].QuoteRent)
	memo := fmt.Sprintf("rent of quote %s, not taken: %s * %s * %s s / 60 s", q.ID, market.Money(q.Price), part, market.Money(x.keptUS(q)))
	switch rent := x.rent(q); {
	case rent == market.Money(q.Held):
		memo += fmt.Sprintf(", no more than %s", market.Money(q.Held))
	case rent == 1:
		memo += ", at least the smallest amount"
	}
	return memo
}
