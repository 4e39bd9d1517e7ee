package world

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// damaged checks what becomes of a store that a disk has spoilt: a bit that flips is
// found, a snapshot that is spoilt costs nothing but time, and what was torn while it
// was written is either not there or said to be damage, with its place.
func (w *World) damaged() {
	r := w.chance("damage", int64(w.at()))
	w.mu.Lock()
	disk := w.disk
	w.mu.Unlock()
	w.flippedEntry(r, disk)
	w.flippedSnapshot(r, disk)
	w.torn(r, disk)
}

func (w *World) flippedEntry(r *rand.Rand, disk *store.Memory) {
	ctx := context.Background()
	last, found, err := disk.Open().Last(ctx)
	if err != nil || !found {
		return
	}
	c := disk.Copy("damaged")
	seq := last.Seq
	snap, some, err := c.Open().LatestSnapshot(ctx)
	if err != nil {
		w.fail("snapshot: %v", err)
	}
	if some && snap.Seq < last.Seq { // a start reads what is after it
		seq = snap.Seq + 1 + r.Int64N(last.Seq-snap.Seq)
	}
	c.Spoil(seq, r.IntN(1<<20))
	if covered := some && snap.Seq >= seq; !covered {
		w.refused(c, seq, "a bit of it has flipped")
	}
}

func (w *World) flippedSnapshot(r *rand.Rand, disk *store.Memory) {
	c := disk.Copy("damaged")
	if c.SpoilSnapshot(r.IntN(1 << 20)) {
		if err := controller.Readable(context.Background(), c.Open()); err != nil {
			w.fail("a bit of the last snapshot has flipped: %v", err)
		}
	}
}

// refused checks that a start says of a store that an entry of its log is damaged.
func (w *World) refused(c *store.Memory, seq int64, how string) {
	err := controller.Readable(context.Background(), c.Open())
	var broken *store.BrokenChain
	switch {
	case err == nil:
		w.fail("entry %d: %s, and nobody noticed", seq, how)
	case !errors.As(err, &broken) || broken.Seq != seq:
		w.fail("entry %d: %s, and a start says: %v", seq, how, err)
	}
}

// torn checks what is made of a batch of which not all has reached the disk.
func (w *World) torn(r *rand.Rand, disk *store.Memory) {
	t := store.Torn{Entries: r.IntN(4), Bytes: r.IntN(1 << 12), Head: r.IntN(2) == 0, Jobs: r.IntN(2) == 0, Txs: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		t.Entries, t.Head = 1<<20, true // the log is whole; what is looked up is not
	}
	c, some := disk.Torn(t)
	if !some {
		return
	}
	ctx := context.Background()
	opened := c.Sound() // as whoever opens a store on a disk does
	if opened == nil {
		opened = controller.Readable(ctx, c.Open())
	}
	if opened != nil {
		var broken *store.BrokenChain
		if !errors.Is(opened, store.ErrDamaged) && !errors.As(opened, &broken) {
			w.fail("a write was torn (%+v), and a start says: %v", t, opened)
		}
		return
	}
	// The log ends where it is known to end: with the batch, or with the one before. What
	// it says is true; that the rest does not follow from it is told to who looks.
	before, _ := disk.Torn(store.Torn{})
	if c.Same(disk) || c.Same(before) {
		return
	}
	_, said, err := controller.VerifyStore(ctx, c.Inspected())
	if err != nil || len(said) == 0 {
		w.fail("a write was torn (%+v), and nobody who looks is told: %v", t, err)
	}
}
