package allowance

import (
	"fmt"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Allow gives an account an allowance, or each below it, or takes it away. The first is
// paid at once.
func (b *Book) Allow(now int64, m *trade.MoneyCommand, books *ledger.Ledger, people *accounts.Register) ([]ledger.Tx, error) {
	if at, found := books.Account(market.Account(m.To)); !found || at.Closed {
		return nil, fmt.Errorf("account %s: %w", m.To, trade.ErrUnknown)
	}
	a := asked(m)
	if err := a.Check(); err != nil {
		return nil, err
	}
	b.Set(now, a)
	return b.Pay(now, books, people), nil
}

// Welcome opens an account for a user who is bound to none, where there is an
// allowance for such, and pays it the first time.
func (b *Book) Welcome(now int64, by trade.Identity, books *ledger.Ledger, people *accounts.Register) []ledger.Tx {
	path, some := b.Welcomes(by.User)
	if !some || by.Role != trade.RoleUser || len(people.Of(by.User)) > 0 {
		return nil
	}
	opened, err := books.Open(now, market.Account(path))
	if err != nil { // it is another's, or their name is no name of an account
		return nil
	}
	people.Bind(by.User, accounts.Binding{Account: path}, false)
	return append([]ledger.Tx{opened}, b.First(now, path, books, people)...)
}

// Kept is that of an account which has an allowance and is to give away what came by it.
type Kept struct {
	Account string
	Most    market.Money
}

func (k *Kept) Error() string {
	return fmt.Sprintf("%s has an allowance: what it owns up to %s is for jobs, and cannot be given away", k.Account, k.Most.Said())
}

// MayGive says why somebody cannot transfer what an account has: an allowance is there to
// be used. What is above the most that it brings came from elsewhere.
func (b *Book) MayGive(by trade.Identity, m *trade.MoneyCommand, books *ledger.Ledger, people *accounts.Register) error {
	a, has := b.own(m.From)
	if a.Account != m.From && len(people.Users(m.From)) == 0 { // it is for those below that are somebody's
		return nil
	}
	from, there := books.Account(market.Account(m.From))
	if !has || !there || by.Role == trade.RoleOwner || m.Amount <= 0 {
		return nil
	}
	if owns, err := from.Free.Plus(from.Held); err == nil && owns >= a.Most && owns-a.Most >= market.Money(m.Amount) {
		return nil
	}
	return &Kept{Account: m.From, Most: a.Most}
}
