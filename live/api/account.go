package api

import (
	"net/http"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/allowance"
	"github.com/libra-market/libra/core/trade"
)

// mayTouch refuses accounts that the caller is not bound to.
func (c *call) mayTouch(path string) error {
	if !validAccount(path) {
		return notFound("account " + short(path))
	}
	if c.owner() {
		return nil
	}
	own, err := c.h.accounts.Bindings(c.r.Context(), c.who.User)
	if err != nil {
		return err
	}
	if !own.May(path) {
		return notFound("account " + path)
	}
	return nil
}

// maySeeBelow refuses an account with those below it, where the caller is bound to
// it alone.
func (c *call) maySeeBelow(path string) error {
	if c.owner() {
		return nil
	}
	own, err := c.h.accounts.Bindings(c.r.Context(), c.who.User)
	if err == nil && !own.MayBelow(path) {
		return notFound("account " + path + " with those below it")
	}
	return err
}

// mayPay refuses to let somebody else pay; "" is the caller's own account. A name that
// an account goes by becomes its path.
func (c *call) mayPay(path *string) error {
	if *path == "" {
		return nil
	}
	if named := c.h.options.Named; named != nil {
		*path = named(c.r.Context(), c.who.User, *path)
	}
	return c.mayTouch(*path)
}

// account is the account that a parameter names; "" is the caller's own.
func (c *call) account(path string) (string, error) {
	if path != "" {
		return path, c.mayTouch(path)
	}
	path, err := c.h.accounts.AccountOf(c.r.Context(), c.who.User)
	if err == nil && path == "" {
		return "", notFound("an account that " + c.who.User + " is bound to (the owner types: libra account bind " + c.who.User + " ACCOUNT)")
	}
	return path, err
}

func listAccounts(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	prefix := p.text("prefix")
	if prefix != "" {
		if err = c.mayTouch(prefix); err != nil {
			return err
		}
	}
	list, err := c.accountsBelow(prefix)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, v1.AccountList{Accounts: some(list)})
}

// accountsBelow lists an account and those below it, or all (""), as far as the
// caller may see them.
func (c *call) accountsBelow(prefix string) ([]v1.Account, error) {
	ctx := c.r.Context()
	if c.owner() {
		return c.h.accounts.Accounts(ctx, prefix)
	}
	own, err := c.h.accounts.Bindings(ctx, c.who.User)
	if err != nil {
		return nil, err
	}
	roots := []string{prefix}
	if prefix == "" {
		roots = own.Roots()
	}
	var list []v1.Account
	for _, root := range roots {
		some, err := c.h.accounts.Accounts(ctx, root)
		if err != nil {
			return nil, err
		}
		list = append(list, slices.DeleteFunc(some, func(a v1.Account) bool { return !own.May(a.Path) })...)
	}
	return list, nil
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
	m := trade.MoneyCommand{
		Op: want.Op, To: want.Account, Amount: want.Amount, None: want.None, Memo: want.Memo,
		User: want.User, Below: want.Below, First: want.First,
		Most: want.Most, Each: want.Each, Welcome: want.Welcome,
	}
	people := false // whether it says who may spend
	switch want.Op {
	case "open":
		people = true
	case "bind", "unbind":
		people = true
		if want.User == "" {
			return badField("user", "the name of a user")
		}
	case "allow":
		if want.Every < 0 || want.Every > allowance.MostEveryUS/1000 {
			return badField("every_ms", "a minute to 366 days")
		}
		m.EveryUS = want.Every * 1000
	case "close", "limit", "credit":
	default:
		return badField("op", "open, bind, unbind, allow, limit, credit or close")
	}
	if want.Op != "allow" && (want.Every != 0 || want.Most != 0 || want.Each || want.Welcome) {
		return badField("every_ms", "it, most_micros, each and welcome with op allow")
	}
	switch {
	case !validAccount(want.Account):
		return badField("account", "the path of an account")
	case want.Amount < 0:
		return badField("amount_micros", "0 or more")
	case want.None && want.Op != "limit":
		return badField("none", "it with op limit")
	case want.User != "" && (!people || !validUser(want.User)):
		return badField("user", "the name of a user, with op open, bind or unbind")
	case (want.Below || want.First) && (want.User == "" || want.Op == "unbind"):
		return badField("below", "it, and first, with the user of an open or a bind")
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
	m := trade.MoneyCommand{Op: "transfer", From: from, To: want.To, Amount: want.Amount, Memo: want.Memo}
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
	return c.money(http.StatusOK, &trade.MoneyCommand{Op: "grant", To: want.To, Amount: want.Amount, Memo: want.Memo}, want.To)
}

// money has money moved and answers with an account as it stands then.
func (c *call) money(status int, m *trade.MoneyCommand, show string) error {
	o, err := c.do(trade.Command{Money: m})
	if err != nil {
		return err
	}
	if o.Account != nil && o.Account.Path == show {
		return c.answer(status, o.Account)
	}
	return c.showAccount(status, show)
}
