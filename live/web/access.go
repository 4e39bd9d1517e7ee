package web

import (
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/api"
)

// belongings is whose a thing is. What is empty says nothing.
type belongings struct {
	roles   []v1.Role // for these alone
	user    string    // this user's
	account string    // this account, of somebody whose own account is home
	home    string
}

// may is the one place where it is decided who sees and touches what. The owner
// of the cluster may all; a user what is their own; a node nothing here.
func may(who api.Identity, what belongings) bool {
	switch {
	case what.roles != nil && !slices.Contains(what.roles, who.Role):
		return false
	case who.Role == v1.RoleOwner:
		return true
	case who.Role != v1.RoleUser || who.User == "":
		return false
	case what.user != "" && what.user != who.User:
		return false
	case what.account != "" && !ledger.Within(market.Account(what.account), market.Account(what.home)):
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

// account is the account that was named, or the caller's own, if they may look
// at it.
func (c *call) account(named string) (string, error) {
	home, err := c.h.market.AccountOf(c.r.Context(), c.who.User)
	switch {
	case err != nil:
		return "", err
	case named == "":
		return home, nil
	case ledger.CheckPath(market.Account(named)) != nil && named != string(ledger.Owner) && named != string(ledger.Mint):
		return "", errNotFound
	case !may(c.who, belongings{account: named, home: home}):
		return "", errNotFound
	}
	return named, nil
}

// everybody reports whether the caller sees everybody's jobs.
func (c *call) everybody() bool { return may(c.who, belongings{roles: owners}) }
