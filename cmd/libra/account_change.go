package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// accountChange is a command that changes accounts and shows one afterwards.
type accountChange struct {
	use, short, long, example string
	args                      []string
	do                        func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error)
	check                     func(args []string) error // what is wrong with the arguments
	bound                     bool                      // it says who may spend afterwards
}

func accountChanges(con *console, opts *liveOptions) []*cobra.Command {
	from, user, below, first := "", "", false, false
	var income incomeOptions
	changes := []accountChange{
		{
			use: "open PATH", short: "Open an account, and those above it that are missing", args: []string{"PATH"},
			long: `Open an account, and those above it that are missing, and bind the user to it that
--user names. An account of a single name is bound to the user who is called so, unless
they have one. For the owner of the cluster.`,
			example: "  libra account open lab/alice --user alice\n  libra account open alice",
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				return market.ChangeAccount(ctx, v1.AccountChange{Op: "open", Account: args[0], Memo: memo, User: user})
			},
			bound: true,
		},
		{
			use: "bind USER PATH", short: "Let a user spend from an account", args: []string{"USER", "PATH"},
			long: `Let a user see an account and spend from it. The first account that a user is bound to
pays for them unless they name another with --account; --first makes it this one. A name
in a path binds nobody. For the owner of the cluster.`,
			example: "  libra account bind alice lab/alice\n  libra account bind bob lab --below",
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				return market.ChangeAccount(ctx, v1.AccountChange{Op: "bind", User: args[0], Account: args[1], Memo: memo, Below: below, First: first})
			},
			bound: true,
		},
		{
			use: "unbind USER PATH", short: "Let a user spend from an account no longer", args: []string{"USER", "PATH"},
			long:    "Let a user spend from an account no longer. Jobs under way go on. For the owner of the cluster.",
			example: "  libra account unbind bob lab",
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				return market.ChangeAccount(ctx, v1.AccountChange{Op: "unbind", User: args[0], Account: args[1], Memo: memo})
			},
			bound: true,
		},
		{
			use: "close PATH", short: "Close an empty account", args: []string{"PATH"},
			long:    "Close an account that has no money and no jobs. For the owner of the cluster.",
			example: "  libra account close lab/alice",
			do:      changeOf("close"),
		},
		{
			use: "grant PATH AMOUNT", short: "Give money to an account", args: []string{"PATH", "AMOUNT"},
			long:    "Give new money to an account. For the owner of the cluster.",
			example: "  libra account grant lab/alice 100 --memo 'winter term'",
			check:   amountAt(1),
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				return market.Grant(ctx, v1.Grant{To: args[0], Amount: micros(args[1]), Memo: memo})
			},
		},
		{
			use: "transfer TO AMOUNT", short: "Move money to another account", args: []string{"TO", "AMOUNT"},
			long:    "Move money from your own account, or from the one that --from names, to another.",
			example: "  libra account transfer lab/bob 12.50\n  libra account transfer lab/alice 100 --from lab",
			check:   amountAt(1),
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				return market.Transfer(ctx, v1.Transfer{From: from, To: args[0], Amount: micros(args[1]), Memo: memo})
			},
		},
		{
			use: "limit PATH (AMOUNT|none)", short: "Set the most that may be spent in a month", args: []string{"PATH", "AMOUNT"},
			long: `Set the most that may be spent in a month by an account and all below it, or take the
limit away. For the owner of the cluster.`,
			example: "  libra account limit lab 500\n  libra account limit lab none",
			check: func(args []string) error {
				if args[1] == noLimit {
					return nil
				}
				return amountAt(1)(args)
			},
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				change := v1.AccountChange{Op: "limit", Account: args[0], Memo: memo, None: args[1] == noLimit}
				if !change.None {
					change.Amount = micros(args[1])
				}
				return market.ChangeAccount(ctx, change)
			},
		},
		{
			use: "credit PATH AMOUNT", short: "Set how far an account may go below zero", args: []string{"PATH", "AMOUNT"},
			long:    "Set how far an account may go below zero. For the owner of the cluster.",
			example: "  libra account credit lab/alice 50",
			check:   amountAt(1),
			do: func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
				return market.ChangeAccount(ctx, v1.AccountChange{Op: "credit", Account: args[0], Amount: micros(args[1]), Memo: memo})
			},
		},
		income.change(),
	}
	var cmds []*cobra.Command
	for _, c := range changes {
		cmds = append(cmds, c.command(con, opts))
		flags := cmds[len(cmds)-1].Flags()
		switch c.use {
		case "transfer TO AMOUNT":
			flags.StringVar(&from, "from", "", "`path` of the account that pays (default: your own)")
		case income.change().use:
			income.flags(flags)
		case "open PATH":
			flags.StringVar(&user, "user", "", "`name` of the user who may spend from it")
		case "bind USER PATH":
			flags.BoolVar(&below, "below", false, "and from all accounts below it")
			flags.BoolVar(&first, "first", false, "it pays for them from now on, unless they name another")
		}
	}
	return cmds
}

// noLimit takes the limit of an account away.
const noLimit = "none"

func changeOf(op string) func(context.Context, *client.Client, []string, string) (v1.Account, error) {
	return func(ctx context.Context, market *client.Client, args []string, memo string) (v1.Account, error) {
		return market.ChangeAccount(ctx, v1.AccountChange{Op: op, Account: args[0], Memo: memo})
	}
}

func (c accountChange) command(con *console, opts *liveOptions) *cobra.Command {
	memo, key := "", ""
	cmd := &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Example: c.example,
		Args: positional(c.args...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.check != nil {
				if err := c.check(args); err != nil {
					return err
				}
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				if key != "" {
					ctx = client.WithKey(ctx, key)
				}
				a, err := c.do(ctx, market, args, memo)
				if err != nil {
					return c.inArgs(err)
				}
				if opts.json {
					return con.writeJSON(a)
				}
				text := standing(&a)
				if c.bound {
					text += boundTo(&a)
				}
				_, err = printline(con.out, text)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&memo, "memo", "", "`text` to keep with it")
	cmd.Flags().StringVar(&key, "key", "", "idempotency `key`: it happens once, however often this is said (default: a random one)")
	return cmd
}

// inArgs puts the argument in the place of the field that a message is about: there
// is no flag for it.
func (c accountChange) inArgs(err error) error {
	problem, ok := errors.AsType[*client.Problem](err)
	if !ok || problem.ExitCode() != exitUsage {
		return err
	}
	for _, arg := range map[string][]string{"to": {"TO", "PATH"}, "account": {"PATH"}, "user": {"USER"}, "amount_micros": {"AMOUNT"}}[problem.Field] {
		if slices.Contains(c.args, arg) {
			return usagef("%s: %s", arg, strings.TrimSpace(strings.TrimPrefix(problem.Error(), problem.Field+":")))
		}
	}
	return err
}

// standing says in one line how an account stands.
func standing(a *v1.Account) string {
	text := fmt.Sprintf("%s: %s free, %s held", a.Path, cash(a.Free), cash(a.Held))
	if a.Limit != nil {
		text += fmt.Sprintf(", %s of %s this month", cash(a.Used), cash(*a.Limit))
	}
	if a.Credit != 0 {
		text += fmt.Sprintf(", %s credit", cash(a.Credit))
	}
	if a.Allowance != 0 {
		text += "; " + incomeOf(a)
	}
	if a.Closed {
		text += ", closed"
	}
	return text
}

// boundTo says who may spend from an account.
func boundTo(a *v1.Account) string {
	if len(a.Users) == 0 {
		return "; nobody is bound to it yet: libra account bind USER " + a.Path
	}
	return "; bound to it: " + strings.Join(a.Users, ", ")
}

// amountAt checks the argument that is an amount of money.
func amountAt(i int) func(args []string) error {
	return func(args []string) error {
		m, err := market.ParseMoney(args[i])
		switch {
		case err != nil:
			return &usageError{err}
		case m < 0:
			return usagef("%q: want 0 or more", args[i])
		}
		return nil
	}
}

// micros is an amount that was checked.
func micros(text string) int64 {
	m, _ := market.ParseMoney(text) // amountAt has seen it
	return int64(m)
}
