package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
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
	address, dir := "", ""
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every transaction and the chain of hashes",
		Long: `Have the whole ledger checked: every transaction sums to zero, no account went where it
may not go, and each carries the hash of the one before; what was charged and paid back
for a job is what its receipt says and no more than the rules allow; and whatever is held
is held for a job under way or an open quote. Exit code 1 if something is
wrong. The head that is printed stands for all of it: kept elsewhere, it shows later
that nothing before it was changed.

With --store no market is asked: the store itself is read, whether a market runs on it or
not, and nothing in it is changed. Then all of it is looked at: the pages of the file, the
log and the state that it gives, snapshots, transactions and their postings, the rows of
jobs and the counts of them. All that is found is said.

Old parts of the log may be in archive files (libra archive). They are read where the
market puts them, or in the directory that --archive names; those that are not there
are taken for what the store says of them, and that is said.`,
		Example: `  libra ledger verify
  libra ledger verify --json
  libra ledger verify --store market.db
  libra ledger verify --store postgres://libra@db/libra --archive /srv/libra/archive`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if address != "" {
				return verifyStore(cmd.Context(), con, address, dir, opts.json)
			}
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
				return printVerified(con, &v)
			})
		},
	}
	cmd.Flags().StringVar(&address, "store", "", "the store itself, without a market: sqlite file, or postgres://...")
	archiveFlag(cmd, &dir)
	return cmd
}

// verifiedStore is what is printed of a store that was looked at.
type verifiedStore struct {
	v1.Verified

	Store    string   `json:"store"`
	Problems []string `json:"problems"`
}

// verifyStore looks for damage in a store.
func verifyStore(ctx context.Context, con *console, address, dir string, asJSON bool) error {
	st, err := openWhole(ctx, address, dir)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	v, found, err := controller.VerifyStore(ctx, st)
	if err != nil {
		return err
	}
	if asJSON {
		if found == nil {
			found = []string{}
		}
		if err = con.writeJSON(verifiedStore{v, store.Redact(address), found}); err != nil {
			return err
		}
	}
	if len(found) > 0 {
		if !asJSON {
			for _, problem := range found {
				printf(con.out, "%s\n", problem)
			}
		}
		return fmt.Errorf("%w: %s; %s", store.ErrDamaged, number(int64(len(found)), "problem"), store.Advice)
	}
	if !asJSON {
		return printVerified(con, &v)
	}
	return nil
}

// printVerified says that all is right, and what of it was not looked at.
func printVerified(con *console, v *v1.Verified) error {
	read := ""
	if v.Unread > 0 {
		read = fmt.Sprintf("; those up to %s are in archive files, of which not all are there: they were not read", count(v.Unread))
	}
	_, err := printf(con.out, "%s, %s: all is right%s\nhead %s\n", number(v.Transactions, "transaction"), entries(v.Entries), read, v.Head)
	return err
}

func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return count(n) + " entries"
}
