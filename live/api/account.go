package api

import (
	"net/http"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// mayTouch refuses accounts that are not the caller's own or below it.
func (c *call) mayTouch(path string) error {
	if !validAccount(path) {
		return notFound("account " + short(path))
	}
	if c.owner() {
		return nil
	}
	own, err := c.h.accounts.AccountOf(c.r.Context(), c.who.User)
	if err != nil {
		return err
	}
	if !ledger.Within(market.Account(path), market.Account(own)) {
		return notFound("account " + path)
	}
	return nil
}

// mayPay refuses to let somebody else pay; "" is the caller's own account.
func (c *call) mayPay(path string) error {
	if path == "" {
		return nil
	}
	return c.mayTouch(path)
}

// account is the account that a parameter names; "" is the caller's own.
func (c *call) account(path string) (string, error) {
	if path == "" {
		return c.h.accounts.AccountOf(c.r.Context(), c.who.User)
	}
	return path, c.mayTouch(path)
}

func listAccounts(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	prefix := p.text("prefix")
	if prefix != "" || !c.owner() {
		if prefix, err = c.account(prefix); err != nil {
			return err
		}
	}
	list, err := c.h.accounts.Accounts(c.r.Context(), prefix)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, v1.AccountList{Accounts: some(list)})
}

func readAccount(c *call) error {
	path := c.r.PathValue("path")
	if err := c.mayTouch(path); err != nil {
		return err
	}
	return c.showAccount(http.StatusOK, path)
}

// showAccount answers with an account as it stands.
func (c *call) showAccount(status int, path string) error {
	list, err := c.h.accounts.Accounts(c.r.Context(), path)
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].Path == path {
			return c.answer(status, &list[i])
		}
	}
	return notFound("account " + path)
}

func changeAccount(c *call) error {
	var want v1.AccountChange
	if err := c.decode(&want); err != nil {
		return err
	}
	m := MoneyCommand{Op: want.Op, To: want.Account, Amount: want.Amount, None: want.None, Memo: want.Memo}
	switch want.Op {
	case "open", "close", "limit", "credit":
	default:
		return badField("op", "open, limit, credit or close")
	}
	switch {
	case !validAccount(want.Account):
		return badField("account", "the path of an account")
	case want.Amount < 0:
		return badField("amount_micros", "0 or more")
	case want.None && want.Op != "limit":
		return badField("none", "it with op limit")
	}
	return c.money(http.StatusOK, &m, want.Account)
}

func transfer(c *call) error {
	var want v1.Transfer
	if err := c.decode(&want); err != nil {
		return err
	}
	switch {
	case !validAccount(want.To):
		return badField("to", "the path of an account")
	case want.Amount <= 0:
		return badField("amount_micros", "more than 0")
	}
	from, err := c.account(want.From)
	if err != nil {
		return err
	}
	m := MoneyCommand{Op: "transfer", From: from, To: want.To, Amount: want.Amount, Memo: want.Memo}
	// What the other side has is none of the sender's business: the answer is
	// the account that the money came from.
	return c.money(http.StatusOK, &m, from)
}

func grant(c *call) error {
	var want v1.Grant
	if err := c.decode(&want); err != nil {
		return err
	}
	switch {
	case !validAccount(want.To):
		return badField("to", "the path of an account")
	case want.Amount <= 0:
		return badField("amount_micros", "more than 0")
	}
	return c.money(http.StatusOK, &MoneyCommand{Op: "grant", To: want.To, Amount: want.Amount, Memo: want.Memo}, want.To)
}

// money has money moved and answers with an account as it stands then.
func (c *call) money(status int, m *MoneyCommand, show string) error {
	o, err := c.do(Command{Money: m})
	if err != nil {
		return err
	}
	if o.Account != nil && o.Account.Path == show {
		return c.answer(status, o.Account)
	}
	return c.showAccount(status, show)
}
