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
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Fill an empty store from a backup",
		Long: `Restore fills an empty store from a file that libra backup wrote: a new file of SQLite,
or an empty database of PostgreSQL. Before it keeps anything it checks that the file
is whole, that the log has no gap, and that the books are right; if not, or if it
is interrupted, the store stays empty.

What happened after the backup was made is not in it. "-" reads standard input.`,
		Example: `  libra restore --store new.db monday.backup && libra serve --store new.db
  libra restore --store postgres://libra@db/libra monday.backup`,
		Args: positional("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runRestore(cmd.Context(), con, &o, args[0]) },
	}
	o.flags(cmd)
	return cmd
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
