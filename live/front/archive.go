package front

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/store"
)

// errNoArchive is for who asks a market that has nowhere to put files.
var errNoArchive = fmt.Errorf("%w: this market has no directory for archives: set archive.dir in its file", trade.ErrConflict)

// Clusters lists none: this is one cluster.
func (m Market) Clusters(context.Context) ([]v1.ClusterRecord, error) {
	return nil, fmt.Errorf("%w: this is one market and no broker over several", trade.ErrUnknown)
}

// Archives lists the files that parts of the log are in.
func (m Market) Archives(ctx context.Context) (v1.Archives, error) {
	if m.Archive == nil {
		return v1.Archives{Files: []v1.ArchiveFile{}}, nil
	}
	all, err := m.Archive.Store.Archived(ctx)
	return Archives(all, m.Archive.Dir, m.Archive.Keep), err
}

// Archives gives archives out, as they are found in a directory.
func Archives(all []store.Archive, dir string, keep time.Duration) v1.Archives {
	out := v1.Archives{Dir: dir, Keep: keep.Milliseconds(), Files: make([]v1.ArchiveFile, len(all))}
	for i := range all {
		out.Files[i] = File(&all[i])
		_, missing := os.Stat(filepath.Join(dir, all[i].File))
		out.Files[i].Missing, out.Archived = missing != nil, all[i].Last
	}
	return out
}

// File gives an archive out.
func File(a *store.Archive) v1.ArchiveFile {
	return v1.ArchiveFile{
		File: a.File, First: a.First, Last: a.Last, FromUS: a.FirstAt, ToUS: a.LastAt, Bytes: a.Size, SHA256: hex.EncodeToString(a.Digest),
	}
}

// Step gives out what was moved.
func Step(r *archive.Result) v1.ArchiveStep {
	return v1.ArchiveStep{File: maybe(r.Archive, File), Removed: r.Removed, More: r.More}
}

// MoveOld moves entries of the log into the next file: those that are older than said,
// or than the market is set.
func (m Market) MoveOld(ctx context.Context, keep *time.Duration) (v1.ArchiveStep, error) {
	if m.Archive == nil {
		return v1.ArchiveStep{}, errNoArchive
	}
	old := m.Archive.Keep
	if keep != nil {
		old = *keep
	} else if old == 0 {
		return v1.ArchiveStep{}, fmt.Errorf("%w: this market keeps its log for ever: say how old what is archived must be", trade.ErrConflict)
	}
	r, err := m.Archive.Move(ctx, m.Archive.Before(old), 1)
	return Step(&r), err
}

// Measure gives numbers for the metrics.
func (m Market) Measure(ctx context.Context) (map[string]float64, error) {
	all, err := m.Controller.Measure(ctx)
	switch {
	case err != nil:
	case m.Archive == nil:
		all["archive_failing"] = 0
	default:
		err = m.Archive.Measure(ctx, all)
	}
	return all, err
}
