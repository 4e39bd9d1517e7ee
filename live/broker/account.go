package broker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// Accounts are the clusters'. The broker shows those of a user as a tree of their
// own: USER is all of them together, USER/CLUSTER is the account that the user
// has at a cluster, and what is below it there is below it here. Where a cluster
// has one token for everybody, USER/CLUSTER is what the user's jobs cost there.

// AccountOf is the user's name: the root of all that they have anywhere.
func (b *Broker) AccountOf(_ context.Context, user string) (string, error) { return user, nil }

// Bindings are all that a user has anywhere: the clusters say what that is.
func (b *Broker) Bindings(_ context.Context, user string) (accounts.Bindings, error) {
	return accounts.Bindings{{Account: user, Below: true}}, nil
}

// home is the account that a login has at its cluster.
func (l *login) home(ctx context.Context) (string, error) {
	l.mu.Lock()
	path := l.account
	l.mu.Unlock()
	if path != "" {
		return path, nil
	}
	who, err := l.client.Whoami(ctx)
	l.seller.metIn(err)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.account = who.Account
	return who.Account, nil
}

// users lists all whom the broker knows: by the file, and by their jobs.
func (b *Broker) users() []string {
	all := map[string]bool{}
	for _, s := range b.sellers {
		for user := range s.own {
			all[user] = true
		}
	}
	for _, e := range b.underway() {
		all[e.now().Job.Owner] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Accounts lists an account and all below it, or all.
func (b *Broker) Accounts(ctx context.Context, prefix string) ([]v1.Account, error) {
	if prefix == "" {
		var all []v1.Account
		for _, user := range b.users() {
			some, err := b.accountsOf(ctx, user)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	}
	user, _, _ := strings.Cut(prefix, "/")
	all, err := b.accountsOf(ctx, user)
	return slices.DeleteFunc(all, func(a v1.Account) bool {
		return a.Path != prefix && !strings.HasPrefix(a.Path, prefix+"/")
	}), err
}

// accountsOf lists what a user has, everywhere. A cluster that does not answer is
// shown as it was when it last did.
func (b *Broker) accountsOf(ctx context.Context, user string) ([]v1.Account, error) {
	logins := b.markets(user)
	if len(logins) == 0 {
		return nil, nil
	}
	parts := make([][]v1.Account, len(logins))
	errs := make([]error, len(logins))
	var wait sync.WaitGroup
	for i, l := range logins {
		wait.Go(func() {
			if l.user == "" {
				parts[i], errs[i] = b.sharedAccount(ctx, user, l)
			} else {
				parts[i] = l.ownAccounts(ctx)
			}
		})
	}
	wait.Wait()
	total := v1.Account{Path: user}
	all := []v1.Account{total}
	for i, part := range parts {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, a := range part {
			if a.Path == user+"/"+logins[i].seller.name {
				total.Free += a.Free
				total.Held += a.Held
				total.Spent += a.Spent
				total.Sent += a.Sent
				total.Used += a.Used
				total.Credit += a.Credit
			}
		}
		all = append(all, part...)
	}
	all[0] = total
	return all, nil
}

// ownAccounts are those of a user with a token of their own.
func (l *login) ownAccounts(ctx context.Context) []v1.Account {
	ctx, cancel := context.WithTimeout(ctx, l.seller.b.options.Limit)
	defer cancel()
	home, err := l.home(ctx)
	var list []v1.Account
	if err == nil {
		list, err = l.client.Accounts(ctx, home)
		l.seller.metIn(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.accounts = nil
		for _, a := range list[:min(len(list), maxList)] {
			if rest, below := strings.CutPrefix(a.Path, home); below && (rest == "" || rest[0] == '/') && payable(&a) {
				a.Path = l.user + "/" + l.seller.name + rest
				l.accounts = append(l.accounts, a)
			}
		}
	}
	return slices.Clone(l.accounts)
}

// payable reports whether the numbers of an account are amounts of money.
func payable(a *v1.Account) bool {
	for _, amount := range []int64{a.Free, a.Held, a.Spent, a.Sent, a.Used, a.Credit} {
		if amount > mostMoney || amount < -mostMoney {
			return false
		}
	}
	return true
}

// sharedAccount is what the jobs of a user cost at a cluster where all pay with
// one token: what the account itself has is not theirs to see.
func (b *Broker) sharedAccount(ctx context.Context, user string, l *login) ([]v1.Account, error) {
	a := v1.Account{Path: user + "/" + l.seller.name}
	month := ledger.MonthOf(b.now())
	err := b.each(ctx, store.Query{Owner: user, Account: a.Path}, func(e *entry) error {
		j := &e.facts.Job
		if !j.State.Final() {
			a.Held += j.Held
		} else if j.EndedUS >= month.Start && j.EndedUS < month.End {
			a.Spent += j.Charged
		}
		return nil
	})
	a.Used = a.Spent + a.Held
	return []v1.Account{a}, closed(err)
}

// accountPath reads the path of an account: whose it is, at which cluster ("": at all), and
// what is below the user's own account there.
func accountPath(path string) (user, cluster, below string) {
	user, rest, _ := strings.Cut(path, "/")
	cluster, below, _ = strings.Cut(rest, "/")
	return user, cluster, below
}

// Usage lists what the jobs of an account, and of those below it, used in a
// period, by when they ended. Over all clusters it is the usage of one account,
// the user's, with the cluster before the name of each job.
func (b *Broker) Usage(ctx context.Context, account string, fromUS, toUS int64) ([]ledger.Usage, error) {
	var used []ledger.Usage
	err := b.each(ctx, store.Query{Account: account}, func(e *entry) error {
		if j := &e.facts.Job; (j.StartedUS != 0 || j.Penalty != 0) && j.EndedUS >= fromUS && j.EndedUS < toUS {
			u := usage(j)
			if user, cluster, _ := accountPath(j.Account); account == user {
				u.Account, u.Name = market.Account(user), cluster+": "+u.Name
			}
			used = append(used, u)
		}
		return nil
	})
	slices.Reverse(used)
	return used, closed(err)
}

// incomplete says that a sum cannot be formed because a cluster does not answer.
func incomplete(l *login, user string, err error) error {
	return fmt.Errorf("%w: %s %s, and a statement without it would not add up; ask for one cluster, as in --account %s/CLUSTER",
		trade.ErrConflict, l.seller.name, why(err), user)
}
