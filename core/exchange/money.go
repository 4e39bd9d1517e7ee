package exchange

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// money moves money or changes an account. Users may transfer what is theirs;
// everything else is for the owner.
func (x *Exchange) money(by Identity, m *MoneyCommand) (Outcome, error) {
	if by.Role != RoleOwner && (m.Op != "transfer" || !belongs(m.From, by.User)) {
		return Outcome{}, fmt.Errorf("%s %s: %w", m.Op, m.From, ErrForbidden)
	}
	if strings.HasPrefix(m.From, "@") || strings.HasPrefix(m.To, "@") && m.Op != "transfer" {
		return Outcome{}, fmt.Errorf("%s: %w: the market's own accounts move with the market", m.Op, ErrForbidden)
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
		return Outcome{}, bad("op", "open, grant, transfer, limit, credit or close")
	}
	if reason, why := shortage(err); reason != "" {
		return Outcome{Refusal: &Refusal{Reason: reason, Detail: why, Offers: []Offer{}}}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	x.fx.tx(tx)
	if m.Op == "open" || m.Op == "close" {
		x.indexAccounts()
	}
	path := to
	if m.Op == "transfer" {
		path = market.Account(m.From)
	}
	a, found := x.Account(string(path))
	if !found { // closed for good
		return Outcome{}, nil
	}
	return Outcome{Account: &a}, nil
}

// belongs reports whether an account is a user's: its path, or that of one
// above it, ends in the user's name.
func belongs(path, user string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == user {
			return true
		}
	}
	return false
}

// payer is the account that pays for somebody's job.
func (x *state) payer(by Identity, named string) (string, error) {
	if named == "" {
		return x.AccountOf(by.User), nil
	}
	if by.Role != RoleOwner && !belongs(named, by.User) {
		return "", fmt.Errorf("account %s: %w", named, ErrForbidden)
	}
	if _, open := x.ledger.Account(market.Account(named)); !open {
		return "", fmt.Errorf("account %s: %w", named, ErrUnknown)
	}
	return named, nil
}

// AccountOf is the account of a user: the first whose path ends in the user's
// name, whether or not one is open.
func (x *state) AccountOf(user string) string {
	if path, has := x.home[user]; has {
		return path
	}
	return user
}

// indexAccounts finds every user's account, after one was opened or closed.
func (x *Exchange) indexAccounts() {
	x.home = map[string]string{}
	for _, a := range x.ledger.Accounts("") {
		path := string(a.Path)
		user := path[strings.LastIndex(path, "/")+1:]
		if _, has := x.home[user]; !has && !a.Closed {
			x.home[user] = path
		}
	}
}

// Account is how an account stands.
func (x *state) Account(path string) (Account, bool) {
	a, found := x.ledger.Account(market.Account(path))
	if !found {
		return Account{}, false
	}
	return x.accountView(a), true
}

// Accounts lists an account and all below it, or all.
func (x *state) Accounts(prefix string) []Account {
	var views []Account
	for _, a := range x.ledger.Accounts(market.Account(prefix)) {
		views = append(views, x.accountView(a))
	}
	return views
}
