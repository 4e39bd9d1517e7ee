package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
)

func newLedger(con *console) *cobra.Command {
	var opts liveOptions
	cmd := &cobra.Command{
		Use:     "ledger",
		Short:   "Check the books",
		Long:    "Check the books of the market. For the owner of the cluster.",
		Example: "  libra ledger verify",
		RunE:    showHelp,
	}
	opts.flags(cmd)
	cmd.AddCommand(newLedgerVerify(con, &opts))
	return cmd
}

func newLedgerVerify(con *console, opts *liveOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check every transaction and the chain of hashes",
		Long: `Have the whole ledger checked: every transaction sums to zero, no account went where it
may not go, and each carries the hash of the one before; what was charged and paid back
for a job is what its receipt says and no more than the rules allow; and whatever is held
is held for a job under way or an open quote. Exit code 1 if something is
wrong. The head that is printed stands for all of it: kept elsewhere, it shows later
that nothing before it was changed.`,
		Example: `  libra ledger verify
  libra ledger verify --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				v, err := market.VerifyLedger(ctx)
				if err != nil {
					return err
				}
				if opts.json {
					if err = con.writeJSON(v); err != nil {
						return err
					}
				}
				if v.Problem != "" {
					return fmt.Errorf("the ledger is wrong: %s", v.Problem)
				}
				if opts.json {
					return nil
				}
				_, err = printf(con.out, "%s, %s: all is right\nhead %s\n",
					number(v.Transactions, "transaction"), entries(v.Entries), v.Head)
				return err
			})
		},
	}
}

func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return count(n) + " entries"
}
