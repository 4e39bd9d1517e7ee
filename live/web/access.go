package web

import (
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// belongings is whose a thing is. What is empty says nothing.
type belongings struct {
	roles   []trade.Role // for these alone
	user    string       // this user's
	account string       // this account, of somebody who may spend from those of bound
	bound   accounts.Bindings
}

// may is the one place where it is decided who sees and touches what. The owner
// of the cluster may all; a user what is their own; a node nothing here.
func may(who trade.Identity, what belongings) bool {
	switch {
	case what.roles != nil && !slices.Contains(what.roles, who.Role):
		return false
	case who.Role == trade.RoleOwner:
		return true
	case who.Role != trade.RoleUser || who.User == "":
		return false
	case what.user != "" && what.user != who.User:
		return false
	case what.account != "" && !what.bound.May(what.account):
		return false
	}
	return true
}

// job is a job that the caller may see; for all others it is not there.
func (c *call) job(id int64) (v1.Job, error) {
	j, err := c.h.market.Job(c.r.Context(), id)
	if err == nil && !may(c.who, belongings{user: j.Owner}) {
		return v1.Job{}, errNotFound
	}
	return j, err
}

// account is the account that was named, or the caller's own ("": they have none),
// if they may look at it.
func (c *call) account(named string) (string, error) {
	if named == "" {
		return c.h.market.AccountOf(c.r.Context(), c.who.User)
	}
	bound, err := c.h.market.Bindings(c.r.Context(), c.who.User)
	switch {
	case err != nil:
		return "", err
	case ledger.CheckPath(market.Account(named)) != nil && !ledger.System(market.Account(named)):
		return "", errNotFound
	case !may(c.who, belongings{account: named, bound: bound}):
		return "", errNotFound
	}
	return named, nil
}

// accounts lists an account and those below it that the caller may see; with "", all
// they may spend from.
func (c *call) accounts(path string) ([]v1.Account, error) {
	ctx := c.r.Context()
	bound, err := c.h.market.Bindings(ctx, c.who.User)
	if err != nil {
		return nil, err
	}
	roots := []string{path}
	if path == "" {
		roots = bound.Roots()
	}
	var list []v1.Account
	for _, root := range roots {
		below, err := c.h.market.Accounts(ctx, root)
		if err != nil {
			return nil, err
		}
		list = append(list, slices.DeleteFunc(below, func(a v1.Account) bool {
			return !may(c.who, belongings{account: a.Path, bound: bound})
		})...)
	}
	return list, nil
}

// everybody reports whether the caller sees everybody's jobs.
func (c *call) everybody() bool { return may(c.who, belongings{roles: owners}) }
