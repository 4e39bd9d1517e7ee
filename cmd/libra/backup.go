package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/store"
)

// storeOptions say which store is meant, for commands that work on one without
// the market that runs on it.
type storeOptions struct {
	file  string
	store string
	json  bool
}

func (o *storeOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "config", "", "the store that this file of libra serve names")
	f.StringVar(&o.store, "store", "", "sqlite file, or postgres://... (default libra.db in the state directory, if your market is the one there)")
	f.BoolVar(&o.json, "json", false, "print as JSON")
}

// address is the store meant: the flag, the file, or the one that libra serve
// uses if it is told nothing.
func (o *storeOptions) address() (string, error) {
	if o.store != "" {
		return o.store, nil
	}
	if o.file != "" {
		c, err := config.Read(o.file)
		if err != nil || c.Store != "" {
			return c.Store, err
		}
	}
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	usual := filepath.Join(dir, "libra.db")
	if o.file != "" { // it says that it is the usual one
		return usual, nil
	}
	return usual, notTheUsual(usual)
}

// notTheUsual refuses to take the usual store of this machine for that of the market that
// commands speak to, where that is another.
func notTheUsual(usual string) error {
	kept, err := readContext()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known, meant := defaultServer, os.Getenv("LIBRA_SERVER")
	if kept.Server != "" {
		known = serverList(kept.Server)
	}
	if meant != "" && serverList(meant) != known {
		return usagef("which store? $LIBRA_SERVER names the market at %s, and without --store FILE or --config FILE this works on %s. Run it where that market's store is and say which one it is, or unset LIBRA_SERVER", meant, usual)
	}
	if named, bad := readSite(); bad != nil || meant == "" && kept.Server == "" && named.Server != "" && serverList(named.Server) != known {
		return cmp.Or(bad, usagef("which store? %s names the market at %s, and without --store FILE or --config FILE this works on %s. Say which one it is", siteFile, named.Server, usual))
	}
	if kept.Server != "" && !here(kept.Server) && kept.Store == "" {
		return usagef("which store? Your commands speak to the market at %s, and without --store FILE or --config FILE this works on %s. Run it where that market's store is, and say which one it is", kept.Server, usual)
	}
	if kept.Store != "" && kept.Store != usual {
		return usagef("which store? Your commands speak to a market whose store is %s: say --store %s, or --store %s if the usual one is meant", kept.Store, shellWord(kept.Store), shellWord(usual))
	}
	return nil
}

func newBackup(con *console) *cobra.Command {
	var o storeOptions
	force := false
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of a market's store into a file, while it runs",
		Long: `Backup writes all that the store of a market holds into one file: one state of it,
whatever the market does meanwhile. The market need not be stopped, and the store
is not changed, so a newer libra can back up the store of an older one before an
upgrade. Tokens are in it only as hashes, but what people submitted is: keep it as safe as the
store.

The file belongs to no database. What was backed up from SQLite can be restored
into PostgreSQL, and the other way round. "-" writes it to standard output.

Archive files (libra archive) are not in it. Those that belong to it are named: copy them
once, they never change.`,
		Example: `  libra backup --store market.db monday.backup
  libra backup --config libra.yaml monday.backup
  libra backup --store postgres://libra@db/libra - | ssh elsewhere 'cat > monday.backup'`,
		Args: positional("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBackup(cmd.Context(), con, &o, args[0], force)
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "replace the file if there is one")
	return cmd
}

// backupView is what is printed of a backup.
type backupView struct {
	File  string `json:"file"`
	Store string `json:"store"`
	store.Backup
}

func runBackup(ctx context.Context, con *console, o *storeOptions, file string, force bool) error {
	address, err := o.address()
	if err != nil {
		return err
	}
	if _, missing := os.Stat(file); missing == nil && !force {
		return fmt.Errorf("%s: %w (--force replaces it)", file, fs.ErrExist)
	}
	var about store.Backup
	watch, finish := watchRows(con, "backup")
	save := func(to io.Writer) error {
		var bad error
		about, bad = store.Save(ctx, address, to, time.Now().UnixMicro(), watch)
		return bad
	}
	if file == "-" {
		if o.json {
			return usagef("--json and a backup cannot both go to standard output")
		}
		err = save(raw(con.out))
	} else {
		err = writeWhole(file, save)
	}
	finish()
	if err != nil {
		return err
	}
	if o.json {
		return con.writeJSON(backupView{File: file, Store: store.Redact(address), Backup: about})
	}
	printf(con.err, "backed up %s: %s, %s, %s\n", store.Redact(address), entries(about.LastSeq),
		number(about.Rows["jobs"], "job"), number(about.Rows["txs"], "transaction"))
	sayArchives(con, &about)
	return nil
}

// sayArchives names the files that belong to a backup and are not in it.
func sayArchives(con *console, about *store.Backup) {
	if n := len(about.Archives); n > 0 {
		printf(con.err, "%s with older entries of the log belong to it and are not in it (from %s to %s): keep them with it\n", number(int64(n), "archive file"), about.Archives[0], about.Archives[n-1])
	}
}

// writeWhole writes a file that is there when all of it is, and on the disk.
func writeWhole(path string, write func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // gone by then if all went well
	err = firstOf(write(temp), temp.Sync())
	if err = firstOf(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// watchRows shows how many rows are done, from the first on, until the function
// it returns is called.
func watchRows(con *console, label string) (store.Watch, func()) {
	var done atomic.Int64
	var finish func()
	return func(n, total int64) {
			done.Store(n)
			if finish == nil {
				finish = con.progress(label, total, done.Load)
			}
		}, func() {
			if finish != nil {
				finish()
			}
		}
}
