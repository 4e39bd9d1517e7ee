package allowance

import (
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Awaits is the account that somebody who is bound to none would get with their first
// job: whoever asks for a price before is told what they will be told then.
func (b *Book) Awaits(by trade.Identity, books *ledger.Ledger, people *accounts.Register) (account string, some bool) {
	path, some := b.Welcomes(by.User)
	if !some || by.Role != trade.RoleUser || len(people.Of(by.User)) > 0 {
		return "", false
	}
	if _, taken := books.Account(market.Account(path)); taken || ledger.CheckPath(market.Account(path)) != nil { // nobody is welcome whose name is none of an account
		return "", false
	}
	return path, true
}

// AtFirst is what an account would have that nobody has opened yet.
func (b *Book) AtFirst(account string, books *ledger.Ledger) (have market.Money, some bool) {
	if _, opened := books.Account(market.Account(account)); opened {
		return 0, false
	}
	a, has := b.own(account)
	if !has {
		return 0, false
	}
	return a.fill(0, 1), true
}
