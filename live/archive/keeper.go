package archive

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/live/store"
)

// Keeper archives what is old for as long as a market runs.
type Keeper struct {
	*Mover

	Keep time.Duration // how long entries stay in the store; 0: until somebody asks
	Log  *slog.Logger

	files, failures atomic.Int64
	failing         atomic.Bool
}

const (
	// keeperEvery is how often it looks.
	keeperEvery = time.Hour
	// keeperFirst is when it looks first: whoever starts has more to do.
	keeperFirst = time.Minute
	// keeperLeast is how many entries make a file: of a small market there would be
	// thousands else.
	keeperLeast = 1000
)

// Run looks now and then whether something is to be archived, until ctx is done.
func (k *Keeper) Run(ctx context.Context) {
	if k.Keep <= 0 {
		return
	}
	for wait := keeperFirst; rest(ctx, wait) == nil; wait = keeperEvery {
		if err := k.All(ctx, k.Before(k.Keep), keeperLeast); err != nil && ctx.Err() == nil {
			k.Log.Warn("the log was not archived, and stays in the store", "error", err)
		}
	}
}

// Before is the time before which entries are old.
func (k *Keeper) Before(keep time.Duration) int64 { return k.Clock().Add(-keep).UnixMicro() }

// All archives all that is older than a time.
func (k *Keeper) All(ctx context.Context, before, least int64) error {
	for {
		r, err := k.Move(ctx, before, least)
		if err != nil || !r.More {
			return err
		}
	}
}

// Move is that of the mover, counted.
func (k *Keeper) Move(ctx context.Context, before, least int64) (Result, error) {
	r, err := k.Mover.Move(ctx, before, least)
	switch {
	case err == nil:
		k.failing.Store(false)
	case ctx.Err() == nil && !errors.Is(err, store.ErrDeposed):
		k.failing.Store(true)
		k.failures.Add(1)
	}
	if r.Archive != nil {
		k.files.Add(1)
		k.Log.Info("a part of the log was archived", "file", r.Archive.File, "first", r.Archive.First, "last", r.Archive.Last, "bytes", r.Archive.Size)
	}
	return r, err
}

// Measure gives numbers for the metrics.
func (k *Keeper) Measure(ctx context.Context, into map[string]float64) error {
	failing := 0.0
	if k.failing.Load() {
		failing = 1
	}
	into["archive_failing"], into["archive_failures_total"], into["archive_files_written_total"] = failing, float64(k.failures.Load()), float64(k.files.Load())
	all, err := k.Store.Archived(ctx)
	if n := len(all); err == nil && n > 0 {
		into["log_entries_archived"] = float64(all[n-1].Last)
	}
	return err
}
