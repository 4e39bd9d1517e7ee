package exchange

import (
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// money moves money or changes an account. Users may transfer what is theirs;
// everything else is for the owner.
func (x *treasury) money(by trade.Identity, m *trade.MoneyCommand) (trade.Outcome, error) {
	if by.Role != trade.RoleOwner && (m.Op != "transfer" || !x.accounts.Of(by.User).May(m.From)) {
		return trade.Outcome{}, fmt.Errorf("%s %s: %w", m.Op, m.From, trade.ErrForbidden)
	}
	if strings.HasPrefix(m.From, "@") || strings.HasPrefix(m.To, "@") && m.Op != "transfer" {
		return trade.Outcome{}, fmt.Errorf("%s: %w: the market's own accounts move with the market", m.Op, trade.ErrForbidden)
	}
	// A market from before users were bound did not ask.
	if strings.HasPrefix(m.To, "@") && by.Role != trade.RoleOwner && x.bound {
		return trade.Outcome{}, fmt.Errorf("transfer to %s: %w: the market's own accounts are paid by charges alone, and only its owner may transfer to them", m.To, trade.ErrForbidden)
	}
	switch m.Op {
	case "bind", "unbind":
		return x.bind(m)
	case "allow":
		return x.allow(m)
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
		if err = x.income.MayGive(by, m, x.ledger, x.accounts); err == nil {
			tx, err = x.ledger.Transfer(x.now, market.Account(m.From), to, amount, m.Memo)
		}
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
		return trade.Outcome{}, market.Wrong("op", "open, bind, unbind, allow, grant, transfer, limit, credit or close")
	}
	reason, why := shortage(err)
	if errors.Is(err, ledger.ErrUnknown) { // it is not money that is missing
		reason, why = trade.ReasonAccount, err.Error()
	}
	if reason != "" {
		return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: why, Offers: []trade.Offer{}}}, nil
	}
	if err != nil {
		return trade.Outcome{}, err
	}
	x.floor.fx.tx(tx)
	switch {
	case !x.bound && (m.Op == "open" || m.Op == "close"):
		x.accounts.Replace(accounts.ByName(x.ledger.Paths()))
	case m.Op == "open":
		x.bindOpened(m)
		x.pay(x.income.First(x.now, m.To, x.ledger, x.accounts))
	}
	path := to
	if m.Op == "transfer" {
		path = market.Account(m.From)
	}
	a, found := x.bank.Account(string(path))
	if !found { // closed for good
		return trade.Outcome{}, nil
	}
	return trade.Outcome{Account: &a}, nil
}

// bind binds a user to an account that is there, or takes that back.
func (x *treasury) bind(m *trade.MoneyCommand) (trade.Outcome, error) {
	if m.User == "" || !trade.Printable(m.User, trade.MaxName) {
		return trade.Outcome{}, market.Wrong("user", "the name of a user")
	}
	a, found := x.ledger.Account(market.Account(m.To))
	if !found || a.Closed && m.Op == "bind" {
		return trade.Outcome{}, fmt.Errorf("account %s: %w", m.To, trade.ErrUnknown)
	}
	first := len(x.accounts.Users(m.To)) == 0
	if m.Op == "bind" {
		x.accounts.Bind(m.User, accounts.Binding{Account: m.To, Below: m.Below}, m.First)
	} else if !x.accounts.Unbind(m.User, m.To) {
		return trade.Outcome{}, fmt.Errorf("%s is not bound to %s: %w", m.User, m.To, trade.ErrUnknown)
	}
	if first { // with those who come later it is the same account, and the same allowance
		x.pay(x.income.First(x.now, m.To, x.ledger, x.accounts))
	}
	v, _ := x.bank.Account(m.To)
	return trade.Outcome{Account: &v}, nil
}

// allow gives an account an allowance, or each below it, or takes it away.
func (x *treasury) allow(m *trade.MoneyCommand) (trade.Outcome, error) {
	txs, err := x.income.Allow(x.now, m, x.ledger, x.accounts)
	x.pay(txs)
	v, _ := x.bank.Account(m.To)
	return trade.Outcome{Account: &v}, err
}

// pay notes what came by itself.
func (x *treasury) pay(txs []ledger.Tx) { x.floor.fx.Txs = append(x.floor.fx.Txs, txs...) }

// bindOpened binds the user to whom a new account is given. One of a single name
// that is given to nobody is taken to be for who is called so, unless they have
// one.
func (x *treasury) bindOpened(m *trade.MoneyCommand) {
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
func (x *treasury) settle() {
	if x.bound {
		return
	}
	x.bound, x.floor.touched.Bound = true, true
	x.ledger.Rule = ledger.RuleGiven
	x.accounts.Replace(x.accounts.All())
}
