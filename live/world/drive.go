package world

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/live/store"
)

// drive is the store as one controller has it open. What is written takes a while,
// and can fail on the way: the controller that waits for it can be gone before it is
// written or after.
type drive struct {
	store.Store

	w    *World
	on   *host
	name string

	mu    sync.Mutex
	n     int64 // appends so far
	fault string
	until time.Time

	renewed time.Time // when it last said that it leads
}

// What can be wrong with a drive for a while.
const (
	diskFull   = "full"      // nothing can be written
	diskUnsure = "uncertain" // whether it was written is not known
)

// ail makes something wrong with the drive for a while.
func (d *drive) ail(fault string, long time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.until = fault, time.Now().Add(long) //nolint:forbidigo // of the bubble
}

func (d *drive) next() (n int64, fault string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	if time.Now().After(d.until) { //nolint:forbidigo // of the bubble
		d.fault = ""
	}
	return d.n, d.fault
}

// Append writes, sooner or later.
func (d *drive) Append(ctx context.Context, b store.Batch) error {
	n, fault := d.next()
	r := d.w.chance("append "+d.name, n)
	long := 3 * time.Millisecond
	if r.IntN(50) == 0 {
		long = 400 * time.Millisecond // somebody else uses the disk
	}
	written := fault == ""
	if fault == diskUnsure {
		written = r.IntN(2) == 0
	}
	bg := context.Background() // a write that was begun is finished
	sleep(bg, between(r, 50*time.Microsecond, long))
	if err := d.on.awaken(bg, r); err != nil {
		return err
	}
	if fault == diskFull {
		return fmt.Errorf("append: %w", store.ErrFull)
	}
	if written {
		if err := d.Store.Append(ctx, b); err != nil {
			return err
		}
		d.tell(n, &b)
	}
	sleep(bg, between(r, 50*time.Microsecond, long/2))
	if err := d.on.awaken(bg, r); err != nil {
		return err
	}
	if fault == diskUnsure {
		return fmt.Errorf("append: %w", store.ErrUncertain)
	}
	// Who was killed meanwhile hears nothing of it.
	if _, _, err := d.Meta(ctx, "alive"); errors.Is(err, store.ErrClosed) {
		return err
	}
	return nil
}

// tell notes what was written.
func (d *drive) tell(n int64, b *store.Batch) {
	kinds := make([]string, len(b.Entries))
	for i := range b.Entries {
		kinds[i] = b.Entries[i].Kind
	}
	sum := fnv.New64a()
	for i := range b.Entries {
		_, _ = sum.Write(b.Entries[i].Body) // it never fails
	}
	d.w.note("%s writes %d: %s %016x", d.name, n, strings.Join(kinds, " "), sum.Sum64())
}

// SaveSnapshot takes its time.
func (d *drive) SaveSnapshot(ctx context.Context, s store.Snapshot) error {
	sleep(context.Background(), between(d.w.chance("snapshot "+d.name, s.Seq), time.Millisecond, 40*time.Millisecond))
	if _, fault := d.next(); fault == diskFull {
		return fmt.Errorf("save snapshot: %w", store.ErrFull)
	}
	return d.Store.SaveSnapshot(ctx, s)
}
