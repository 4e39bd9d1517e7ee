package allowance

import (
	"fmt"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// Pay pays what is due by now, and says when each is due next. What was due several
// times is paid in one.
func (b *Book) Pay(now int64, books *ledger.Ledger, people *accounts.Register) []ledger.Tx {
	if now < b.next {
		return nil
	}
	var txs []ledger.Tx
	for _, a := range b.All() {
		periods := a.due(now)
		if periods == 0 {
			continue
		}
		for _, account := range b.getting(&a, books, people) {
			txs = append(txs, a.pay(now, account, periods, books)...)
		}
		a.NextUS += periods * a.EveryUS
		b.of[a.Account] = a
		b.changed[a.Account] = true
	}
	b.look()
	return txs
}

// First pays to an account that was opened for somebody what those have who are there
// already.
func (b *Book) First(now int64, account string, books *ledger.Ledger, people *accounts.Register) []ledger.Tx {
	a, has := b.own(account)
	if !has || len(people.Users(account)) == 0 {
		return nil
	}
	at, there := books.Account(market.Account(account))
	if !there || at.Free != 0 || at.Held != 0 || at.SpentSince(a.NextUS-a.EveryUS) { // it had what is for this period: who left it and comes again, or instead, waits for the next
		return nil
	}
	return a.pay(now, at, 1, books)
}

// getting are the accounts that get an allowance.
func (b *Book) getting(a *Allowance, books *ledger.Ledger, people *accounts.Register) []ledger.Account {
	if !a.Each {
		if at, there := books.Account(market.Account(a.Account)); there {
			return []ledger.Account{at}
		}
		return nil
	}
	var all []ledger.Account
	for _, at := range books.Accounts(market.Account(a.Account)) {
		if len(people.Users(string(at.Path))) == 0 {
			continue
		}
		if its, has := b.own(string(at.Path)); has && its.Account == a.Account {
			all = append(all, at)
		}
	}
	return all
}

// pay pays an account for so many periods. What is held for its jobs is its own still.
// An account that can take no more, or is closed, gets nothing.
func (a *Allowance) pay(now int64, to ledger.Account, periods int64, books *ledger.Ledger) []ledger.Tx {
	owns, err := to.Free.Plus(to.Held)
	if to.Closed || err != nil || owns >= a.Most {
		return nil
	}
	tx, err := books.Income(now, to.Path, a.fill(owns, periods), a.memo())
	if err != nil {
		return nil
	}
	return []ledger.Tx{tx}
}

// memo says what is paid, so that it can be worked out by hand.
func (a *Allowance) memo() string {
	return fmt.Sprintf("%s every %d s, up to %s", a.Amount, a.EveryUS/1_000_000, a.Most)
}
