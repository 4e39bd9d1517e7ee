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

// followAssociations keeps the accounts of a market in step with Slurm's until run is
// done, where the configuration says below which.
func (s *service) followAssociations(run context.Context, c *config.Config, log *slog.Logger) {
	if c.Slurm.Associations == "" {
		return
	}
	options := slurmOptions(c)
	k := &association.Keeper{
		Read:   func(ctx context.Context) (*association.Tree, error) { return client.Associations(ctx, options, "") },
		Market: bookkeeper{s.market}, Under: c.Slurm.Associations, Partition: c.Slurm.Partition,
		Every: time.Duration(c.Slurm.Follow), Log: log,
	}
	s.beside.Go(func() { k.Run(run) })
}

// named is the account of the market that Slurm has another name for, or what was named.
func (m onSlurm) named(ctx context.Context, user, account string) string {
	under := m.config.Slurm.Associations
	if under == "" || account == "" {
		return account
	}
	if bound, err := m.Bindings(ctx, user); err == nil {
		if path, found := association.Named(bound, under, account); found {
			return path
		}
	}
	return account
}
