package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/slurm/association"
	"github.com/libra-market/libra/live/slurm/client"
)

// bookkeeper changes the accounts of a market by its own hand.
type bookkeeper struct{ front.Market }

var _ association.Market = bookkeeper{}

// ChangeAccount opens an account, binds a user to it or takes that back.
func (b bookkeeper) ChangeAccount(ctx context.Context, c v1.AccountChange) (v1.Account, error) {
	o, _, err := b.Do(ctx, trade.Command{
		By: ownHand, Money: &trade.MoneyCommand{Op: c.Op, To: c.Account, User: c.User, First: c.First, Memo: c.Memo},
	}, api.Key{})
	switch {
	case err != nil:
		return v1.Account{}, err
	case o.Refusal != nil:
		return v1.Account{}, errors.New(o.Refusal.Detail)
	case o.Account == nil:
		return v1.Account{}, nil
	}
	return *o.Account, nil
}

// keeperOf keeps the accounts of a market in step with Slurm's, where the configuration says below
// which; nil: it does not.
func keeperOf(m front.Market, c *config.Config, log *slog.Logger) *association.Keeper {
	if c.Slurm.Associations == "" {
		return nil
	}
	options := slurmOptions(c)
	return &association.Keeper{
		Read:   func(ctx context.Context) (*association.Tree, error) { return client.Associations(ctx, options, "") },
		Market: bookkeeper{m}, Under: c.Slurm.Associations, Partition: c.Slurm.Partition,
		Every: time.Duration(c.Slurm.Follow), Now: time.Now, Log: log,
	}
}

// named is the account of the market that Slurm has another name for, or what was named.
func (m onSlurm) named(ctx context.Context, user, account string) string {
	return m.namedBy(ctx, trade.Identity{User: user, Role: trade.RoleUser}, account)
}

// namedBy is that for an identity. A user who is unknown to the market, or to that account, may have been
// added in Slurm this moment; the market itself, which asks what things cost again and again, has not.
func (m onSlurm) namedBy(ctx context.Context, by trade.Identity, account string) string {
	under := m.config.Slurm.Associations
	if under == "" || account == "" && (m.keeper == nil || m.keeper.Knows(by.User)) {
		return account // without a turn of the market's loop, whose answer waits for the disk
	}
	for asked := false; ; asked = true {
		bound, err := m.Bindings(ctx, by.User)
		if err != nil {
			return account
		}
		if path, found := association.Named(bound, under, account); found {
			return path
		}
		known := len(bound) > 0 && (account == "" || bound.May(account))
		if known || asked || m.keeper == nil || by.Role != trade.RoleUser {
			return account
		}
		m.keeper.Newcomer(ctx, by.User)
	}
}
