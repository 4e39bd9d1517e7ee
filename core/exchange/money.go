package exchange

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// money moves money or changes an account. Users may transfer what is theirs;
// everything else is for the owner.
func (x *Exchange) money(by trade.Identity, m *trade.MoneyCommand) (trade.Outcome, error) {
	if by.Role != trade.RoleOwner && (m.Op != "transfer" || !x.accounts.Of(by.User).May(m.From)) {
		return trade.Outcome{}, fmt.Errorf("%s %s: %w", m.Op, m.From, trade.ErrForbidden)
	}
	if strings.HasPrefix(m.From, "@") || strings.HasPrefix(m.To, "@") && m.Op != "transfer" {
		return trade.Outcome{}, fmt.Errorf("%s: %w: the market's own accounts move with the market", m.Op, trade.ErrForbidden)
	}
	if m.Op == "bind" || m.Op == "unbind" {
		return x.bind(m)
	}
	if m.User != "" && m.Op != "open" {
		return trade.Outcome{}, market.Wrong("user", "it with op open, bind or unbind")
	}
	to, amount := market.Account(m.To), market.Money(m.Amount)
	var tx ledger.Tx
	var err error
	switch m.Op {
	case "open":
		tx, err = x.ledger.Open(x.now, to)
	case "grant":
		tx, err = x.ledger.Grant(x.now, to, amount, m.Memo)
	case "transfer":
		if m.From == m.To {
			return trade.Outcome{}, market.Wrong("to", "another account than the one that gives")
		}
		tx, err = x.ledger.Transfer(x.now, market.Account(m.From), to, amount, m.Memo)
	case "limit":
		if m.None {
			amount = ledger.NoLimit
		}
		tx, err = x.ledger.SetLimit(x.now, to, amount)
	case "credit":
		tx, err = x.ledger.SetCredit(x.now, to, amount)
	case "close":
		tx, err = x.ledger.Close(x.now, to)
	default:
		return trade.Outcome{}, market.Wrong("op", "open, bind, unbind, grant, transfer, limit, credit or close")
	}
	if reason, why := shortage(err); reason != "" {
		return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: why, Offers: []trade.Offer{}}}, nil
	}
	if err != nil {
		return trade.Outcome{}, err
	}
	x.fx.tx(tx)
	switch {
	case !x.bound && (m.Op == "open" || m.Op == "close"):
		x.accounts.Replace(accounts.ByName(pathsOf(x.ledger)))
	case m.Op == "open":
		x.bindOpened(m)
	}
	path := to
	if m.Op == "transfer" {
		path = market.Account(m.From)
	}
	a, found := x.Account(string(path))
	if !found { // closed for good
		return trade.Outcome{}, nil
	}
	return trade.Outcome{Account: &a}, nil
}

// bind binds a user to an account that is there, or takes that back.
func (x *Exchange) bind(m *trade.MoneyCommand) (trade.Outcome, error) {
	if m.User == "" || !trade.Printable(m.User, trade.MaxName) {
		return trade.Outcome{}, market.Wrong("user", "the name of a user")
	}
	a, found := x.ledger.Account(market.Account(m.To))
	if !found || a.Closed && m.Op == "bind" {
		return trade.Outcome{}, fmt.Errorf("account %s: %w", m.To, trade.ErrUnknown)
	}
	if m.Op == "bind" {
		x.accounts.Bind(m.User, accounts.Binding{Account: m.To, Below: m.Below}, m.First)
	} else if !x.accounts.Unbind(m.User, m.To) {
		return trade.Outcome{}, fmt.Errorf("%s is not bound to %s: %w", m.User, m.To, trade.ErrUnknown)
	}
	v := x.accountView(a)
	return trade.Outcome{Account: &v}, nil
}

// bindOpened binds the user to whom a new account is given. One of a single name
// that is given to nobody is taken to be for who is called so, unless they have
// one.
func (x *Exchange) bindOpened(m *trade.MoneyCommand) {
	switch {
	case m.User != "":
		x.accounts.Bind(m.User, accounts.Binding{Account: m.To, Below: m.Below}, m.First)
	case !strings.Contains(m.To, "/") && len(x.accounts.Of(m.To)) == 0 && len(x.accounts.Users(m.To)) == 0:
		x.accounts.Bind(m.To, accounts.Binding{Account: m.To}, false)
	}
}

// settle ends the time in which names were looked for in paths: whoever had an
// account by that is bound to it from now on, and nobody else by anything but a
// command.
func (x *Exchange) settle() {
	if x.bound {
		return
	}
	x.bound, x.touched.bound = true, true
	x.ledger.Rule = ledger.RuleGiven
	x.accounts.Replace(x.accounts.All())
}

// pathsOf are the accounts of people, in order.
func pathsOf(l *ledger.Ledger) []string {
	var paths []string
	for _, a := range l.Accounts("") {
		if !strings.HasPrefix(string(a.Path), "@") {
			paths = append(paths, string(a.Path))
		}
	}
	return paths
}

// payer is the account that pays for somebody's job.
func (x *state) payer(by trade.Identity, named string) (string, error) {
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
func (x *state) AccountOf(user string) string {
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
func (x *state) Bindings(user string) accounts.Bindings { return x.accounts.Of(user) }

// Account is how an account stands.
func (x *state) Account(path string) (trade.Account, bool) {
	a, found := x.ledger.Account(market.Account(path))
	if !found {
		return trade.Account{}, false
	}
	return x.accountView(a), true
}

// Accounts lists an account and all below it, or all.
func (x *state) Accounts(prefix string) []trade.Account {
	var views []trade.Account
	for _, a := range x.ledger.Accounts(market.Account(prefix)) {
		views = append(views, x.accountView(a))
	}
	return views
}
