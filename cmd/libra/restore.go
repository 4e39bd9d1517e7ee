package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

func newRestore(con *console) *cobra.Command {
	var o storeOptions
	putBack := false
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Fill an empty store from a backup",
		Long: `Restore fills an empty store from a file that libra backup wrote: a new file of SQLite,
or an empty database of PostgreSQL. Before it keeps anything it checks that the file
is whole, that the log has no gap, and that the books are right; if not, or if it
is interrupted, the store stays empty.

What happened after the backup was made is not in it. "-" reads standard input.

--put-back says of a store that was put back by hand, by copying its files, that it was:
agents that have heard of a store which came after it do not obey it otherwise. Nothing
in it is changed but its name. Stop its market before, and whatever market came after it.`,
		Example: `  libra restore --store new.db monday.backup && libra serve --store new.db
  libra restore --store postgres://libra@db/libra monday.backup
  libra restore --store copied.db --put-back && libra serve --store copied.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if putBack {
				return positional()(cmd, args)
			}
			return positional("FILE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if putBack {
				return runPutBack(cmd.Context(), con, &o)
			}
			return runRestore(cmd.Context(), con, &o, args[0])
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&putBack, "put-back", false, "the store was put back by copying its files: go on with it as if it had been restored")
	return cmd
}

// runPutBack gives a store another name.
func runPutBack(ctx context.Context, con *console, o *storeOptions) error {
	address, err := o.address()
	if err != nil {
		return err
	}
	err = store.PutBack(ctx, address)
	if errors.Is(err, store.ErrTaken) {
		return fmt.Errorf("%w: a market runs on this store; stop it first", err)
	}
	if err != nil {
		return err
	}
	if o.json {
		return con.writeJSON(map[string]string{"store": store.Redact(address)})
	}
	printf(con.err, "%s goes on as after a restore: new jobs leave numbers out, and agents obey it again\n", store.Redact(address))
	return nil
}

func runRestore(ctx context.Context, con *console, o *storeOptions, file string) error {
	address, err := o.address()
	if err != nil {
		return err
	}
	in := con.in
	if file != "-" {
		opened, bad := os.Open(file)
		if bad != nil {
			return bad
		}
		defer opened.Close()
		in = opened
	}
	from, err := store.ReadBackup(in)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	watch, finish := watchRows(con, "restore")
	err = store.Load(ctx, address, from, controller.VerifyBooks, watch)
	finish()
	if errors.Is(err, store.ErrTaken) {
		return fmt.Errorf("%w: a market runs on this store; restore into a new one", err)
	}
	if err != nil {
		return err
	}
	about := &from.About
	if o.json {
		return con.writeJSON(backupView{File: file, Store: store.Redact(address), Backup: *about})
	}
	printf(con.err, "restored %s as of %s: %s, %s, %s; the books are right\n", store.Redact(address),
		time.UnixMicro(about.AtUS).Format(time.RFC3339), entries(about.LastSeq), number(about.Rows["jobs"], "job"), number(about.Rows["txs"], "transaction"))
	sayArchives(con, about)
	return nil
}
