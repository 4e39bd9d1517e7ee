package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// incomeOptions say how an allowance is paid.
type incomeOptions struct {
	every         time.Duration
	most          string
	each, welcome bool
}

func (o *incomeOptions) flags(f *pflag.FlagSet) {
	f.DurationVar(&o.every, "every", 24*time.Hour, "how often it is paid")
	f.StringVar(&o.most, "most", "", "the account is filled up to this `amount`, and no further (default: the allowance itself)")
	f.BoolVar(&o.each, "each", false, "for each account below it that somebody is bound to, now or later")
	f.BoolVar(&o.welcome, "welcome", false, "with --each: who is bound to no account gets one below it with their first job")
}

func (o *incomeOptions) change() accountChange {
	return accountChange{
		use: "allow PATH (AMOUNT|none)", short: "Give an account an allowance that refills", args: []string{"PATH", "AMOUNT"},
		long: `Give an account so much by itself, at once and then every so often, until it owns --most;
or each account below it, so that users have an income where nobody pays. An allowance
is there for jobs: its users cannot give away what an account owns up to --most. What
was due while the market was away is paid when it is back. For the owner of the cluster.`,
		example: `  libra account allow lab/alice 100 --every 24h --most 300
  libra account allow people 50 --each --welcome --every 168h
  libra account allow people none`,
		check: o.check,
		do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
			change := v1.AccountChange{Op: "allow", Account: args[0], Memo: memo}
			if args[1] != noLimit {
				change.Amount, change.Every, change.Each, change.Welcome = micros(args[1]), o.every.Milliseconds(), o.each, o.welcome
				change.Most = change.Amount
				if o.most != "" {
					change.Most = micros(o.most)
				}
			}
			return market.ChangeAccount(ctx, change)
		},
	}
}

func (o *incomeOptions) check(args []string) error {
	if args[1] == noLimit {
		return nil
	}
	if err := amountAt(1)(args); err != nil {
		return err
	}
	amount, _ := market.ParseMoney(args[1])
	if amount == 0 {
		return usagef("%q: want more than 0, or none", args[1])
	}
	if o.most == "" {
		return nil
	}
	switch most, err := market.ParseMoney(o.most); {
	case err != nil:
		return &usageError{fmt.Errorf("--most: %w", err)}
	case most < amount:
		return usagef("--most: %s is less than the allowance, %s", o.most, args[1])
	}
	return nil
}

// incomeOf says what an account gets by itself.
func incomeOf(a *v1.Account) string {
	if a.Allowance == 0 {
		return ""
	}
	text := fmt.Sprintf("%s every %s up to %s, next at %s", bare(a.Allowance), lasting(time.Duration(a.AllowanceMS)*time.Millisecond), bare(a.AllowanceMost),
		moment(a.AllowanceUS))
	if a.AllowanceEach {
		text = "each below it: " + text
	}
	return text
}
