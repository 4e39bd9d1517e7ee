package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
)

// archiveOptions say what is archived, and where it is.
type archiveOptions struct {
	liveOptions

	file, store, dir string
	keep             string
	shrink           bool
}

func archiveFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "archive", "", "directory of the archive files (default: beside the SQLite file)")
}

func newArchive(con *console) *cobra.Command {
	var o archiveOptions
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Move old parts of the log out of the store, into files",
		Long: `Archive moves entries of the log that are old, and that no start needs any more, out of the
store into compressed files. A running market does it by itself (archive.keep and
archive.dir in its file; 90 days if nothing is said); this does it now. For the owner
of the cluster.

Nothing is lost: jobs, receipts, bills, statements and the books stay in the store, and
ledger verify and replay live --strict read the files. A file is written and checked before
anything leaves the store; whenever it is killed, it goes on where it was. A file never changes:
copy it elsewhere, and keep it with your backups.

The market that runs is asked to do it. With --store or --config no market may run, and the
store is worked on directly. A file of SQLite does not become smaller by it, but what becomes
free is used first; --shrink gives it back, which takes as long and as much room as a copy of
what is left.`,
		Example: `  libra archive                      # what is older than the market is set to
  libra archive --keep 30d
  libra archive list
  libra archive --store market.db --keep 30d --shrink
  zcat market.db.archive/log-*.gz | jq -c 'select(.kind == "submit")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runArchive(cmd.Context(), con, &o) },
	}
	o.flags(cmd)
	f := cmd.PersistentFlags()
	f.StringVar(&o.file, "config", "", "the store that this file of libra serve names, and its archive")
	f.StringVar(&o.store, "store", "", "the store itself, without a market: sqlite file, or postgres://...")
	f.StringVar(&o.dir, "archive", "", "directory of the archive files, with --store (default: beside the SQLite file)")
	cmd.Flags().StringVar(&o.keep, "keep", "", "how old what is archived must be: 12h, 90d (default as the market is set, or 90d)")
	cmd.Flags().BoolVar(&o.shrink, "shrink", false, "with --store: make the SQLite file smaller afterwards")
	cmd.AddCommand(&cobra.Command{
		Use:   "list",
		Short: "List the archive files of a market",
		Long: `List the files that parts of the log are in: which entries, of which time, how large, their
checksums, and whether they are where the market looks for them.`,
		Example: "  libra archive list\n  libra archive list --store market.db --json",
		Args:    positional(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return listArchives(cmd.Context(), con, &o) },
	})
	return cmd
}

// direct is the store that is to be worked on without a market, and what is set of its
// archive; "": the market is asked.
func (o *archiveOptions) direct() (address, dir string, keep time.Duration, err error) {
	c := config.Default()
	if o.file != "" {
		if c, err = config.Read(o.file); err != nil {
			return "", "", 0, err
		}
	}
	keep, dir = time.Duration(c.Archive.Keep), c.Archive.Dir
	if o.dir != "" {
		dir = o.dir
	}
	if o.store == "" && o.file == "" {
		if o.dir != "" || o.shrink {
			return "", "", 0, usagef("--archive and --shrink go with --store or --config: a market knows its own directory")
		}
		return "", "", 0, nil
	}
	at := storeOptions{file: o.file, store: o.store}
	if address, err = at.address(); err != nil {
		return "", "", 0, err
	}
	if dir = config.ArchiveDir(dir, address); dir == "" {
		return "", "", 0, usagef("where are the archive files to be? With PostgreSQL give --archive DIR, or set archive.dir in the file")
	}
	return address, dir, keep, nil
}

// archived is what is printed of what was moved.
type archived struct {
	Files   []v1.ArchiveFile `json:"files"`
	Removed int64            `json:"removed"` // entries that left the store
}

func runArchive(ctx context.Context, con *console, o *archiveOptions) error {
	address, dir, keep, err := o.direct()
	if err != nil {
		return err
	}
	asked := time.Duration(-1)
	if o.keep != "" {
		if asked, err = config.ParseDuration(o.keep); err != nil || asked < 0 {
			return usagef("--keep: %q is not a period of time (want one such as 12h or 90d)", o.keep)
		}
		keep = asked
	} else if keep == 0 { // the market keeps all of it, and somebody wants it smaller
		keep = time.Duration(config.Default().Archive.Keep)
	}
	done := archived{Files: []v1.ArchiveFile{}}
	if address == "" {
		err = o.ask(ctx, con, func(ctx context.Context, market *client.Client) error {
			return done.all(ctx, con, func(ctx context.Context) (v1.ArchiveStep, error) { return market.MoveOld(ctx, asked) })
		})
	} else {
		err = done.directly(ctx, con, address, dir, keep, o.shrink)
	}
	if err != nil {
		return err
	}
	if o.json {
		return con.writeJSON(done)
	}
	if len(done.Files) == 0 && done.Removed == 0 {
		printf(con.err, "nothing is old enough: the log stays as it is\n")
		return nil
	}
	var bytes int64
	for i := range done.Files {
		bytes += done.Files[i].Bytes
	}
	printf(con.err, "%s moved into %s, %s\n", entries(done.Removed), number(int64(len(done.Files)), "file"), megabytes(bytes))
	return nil
}

func megabytes(n int64) string { return grouped(float64(n)/1e6, 1) + " MB" }

// all asks for one file after the other.
func (a *archived) all(ctx context.Context, con *console, move func(context.Context) (v1.ArchiveStep, error)) error {
	var removed atomic.Int64
	finish := con.progress("entries archived", 0, removed.Load)
	defer finish()
	for {
		step, err := move(ctx)
		if err != nil {
			return err
		}
		if step.File != nil {
			a.Files = append(a.Files, *step.File)
		}
		a.Removed += step.Removed
		removed.Store(a.Removed)
		if !step.More {
			return nil
		}
	}
}

// directly works on a store that no market runs on.
func (a *archived) directly(ctx context.Context, con *console, address, dir string, keep time.Duration, shrink bool) (err error) {
	past, err := store.OpenPast(ctx, address) // one that is not there is not made
	if err != nil {
		return err
	}
	if err = firstOf(past.Close(), store.BeforeUpgrade(ctx, address, controller.Readable)); err != nil {
		return err
	}
	st, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, st.Close()) }()
	_, release, err := st.TryLead(ctx)
	if errors.Is(err, store.ErrTaken) {
		return fmt.Errorf("%w: a market runs on this store; leave out --store and --config, and it does it itself", err)
	}
	if err != nil {
		return err
	}
	defer release()
	m := &archive.Mover{Store: st, Dir: dir}
	before := time.Now().Add(-keep).UnixMicro()
	err = a.all(ctx, con, func(ctx context.Context) (v1.ArchiveStep, error) {
		r, bad := m.Move(ctx, before, 1)
		return front.Step(&r), bad
	})
	if err != nil || !shrink {
		return err
	}
	return store.Shrink(ctx, st)
}

func listArchives(ctx context.Context, con *console, o *archiveOptions) error {
	address, dir, keep, err := o.direct()
	if err != nil {
		return err
	}
	var all v1.Archives
	if address == "" {
		err = o.ask(ctx, con, func(ctx context.Context, market *client.Client) (bad error) {
			all, bad = market.Archives(ctx)
			return bad
		})
	} else {
		var st store.PastCloser
		if st, err = store.OpenPast(ctx, address); err != nil {
			return err
		}
		found, bad := st.Archived(ctx)
		all, err = front.Archives(found, dir, keep), firstOf(bad, st.Close())
	}
	if err != nil {
		return err
	}
	if o.json {
		return con.writeJSON(all)
	}
	if len(all.Files) == 0 {
		_, err = printline(con.out, "no part of the log is in a file")
		return err
	}
	g := &grid{left: 1, head: true}
	g.add("file", "first", "last", "until", "size", "")
	for i := range all.Files {
		f := &all.Files[i]
		note := ""
		if f.Missing {
			note = "not in " + all.Dir
		}
		g.add(f.File, count(f.First), count(f.Last), momentAnd(f.ToUS), megabytes(f.Bytes), note)
	}
	return g.write(con.out, "")
}

// openWhole opens the past of a store, with its archive files.
func openWhole(ctx context.Context, address, dir string) (store.PastCloser, error) {
	st, err := store.OpenPast(ctx, address)
	if err != nil {
		return nil, err
	}
	if dir = config.ArchiveDir(dir, address); dir == "" {
		return st, nil
	}
	return archive.WholePast(st, dir), nil
}
