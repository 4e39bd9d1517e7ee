package slurm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/libra-market/libra/live/store"
)

// A guest that begins later has been taken, and its money is held: a backend that comes after this
// one must know that, and not deal with it once more.

// kindGuest is a note about a guest that waits in the market, by its number in Slurm.
const kindGuest = "slurm-guest"

// awaitedGuest is such a guest.
type awaitedGuest struct {
	Job   int64  `json:"job"`   // of the market
	Words string `json:"words"` // with which it was looked at
}

// await notes that a guest waits, and returns when that is durable.
func (b *Backend) await(ctx context.Context, id, job int64, words string) error {
	body, err := json.Marshal(&awaitedGuest{job, words})
	if err != nil {
		return err
	}
	if err = b.notes.PutNotes(ctx, []store.Note{{Kind: kindGuest, Key: strconv.FormatInt(id, 10), Body: body}}); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.guests.waits == nil {
		b.guests.waits = map[int64]int64{}
	}
	b.guests.waits[id] = job
	return nil
}

// unawait forgets some that wait no more. One whose note stays is looked for in vain.
func (b *Backend) unawait(ctx context.Context, ids ...int64) {
	keys := make([]string, len(ids))
	b.mu.Lock()
	for i, id := range ids {
		delete(b.guests.waits, id)
		keys[i] = strconv.FormatInt(id, 10)
	}
	b.mu.Unlock()
	if err := b.notes.DropNotes(ctx, kindGuest, keys); err != nil {
		b.cfg.Log.Warn("jobs of plain sbatch", "slurm", ids, "error", err)
	}
}

// leftGuests are those that waited, and are gone from Slurm or bought. The lock is held.
func (b *Backend) leftGuests(here map[int64]string) []int64 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(b.guests.waits)), func(id int64) bool { return here[id] != "" })
}

// restoreGuests reads which guests waited.
func (b *Backend) restoreGuests(ctx context.Context) error {
	kept, err := b.notes.Notes(ctx, kindGuest)
	if err != nil {
		return err
	}
	b.guests.seen, b.guests.waits = map[int64]string{}, map[int64]int64{}
	for i := range kept {
		id, err := strconv.ParseInt(kept[i].Key, 10, 64)
		var g awaitedGuest
		if err == nil {
			err = json.Unmarshal(kept[i].Body, &g)
		}
		if err != nil {
			return fmt.Errorf("note of the job %s of plain sbatch: %w", kept[i].Key, err)
		}
		b.guests.seen[id], b.guests.waits[id] = g.Words, g.Job
	}
	return nil
}
