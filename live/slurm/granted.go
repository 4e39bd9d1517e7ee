package slurm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/store"
)

// Which QOS are whose is in slurmdbd. Where that is away the market goes on by its last word, as slurmctld does,
// also after a restart.

const (
	kindGranted = "slurm-granted"
	grantedKey  = "last"
)

// restoreGranted tells Slurm's client what slurmdbd said before.
func (b *Backend) restoreGranted(ctx context.Context) error {
	slurm, can := b.slurm.(client.Granted)
	if !can {
		return nil
	}
	known, err := b.notes.Notes(ctx, kindGranted)
	if err != nil || len(known) == 0 {
		return err
	}
	if err := json.Unmarshal(known[0].Body, &b.gate.granted); err != nil {
		return fmt.Errorf("note of what slurmdbd said: %w", err)
	}
	slurm.Recall(b.gate.granted)
	return nil
}

// keepGranted remembers what slurmdbd said, if that is news.
func (b *Backend) keepGranted(ctx context.Context, said limit.Granted) {
	b.gate.guard.Lock()
	news := said != b.gate.granted
	b.gate.granted = said
	b.gate.guard.Unlock()
	if !news {
		return
	}
	body, err := json.Marshal(&said)
	if err == nil {
		err = b.notes.PutNotes(ctx, []store.Note{{Kind: kindGranted, Key: grantedKey, Body: body}})
	}
	if err != nil {
		b.cfg.Log.Warn("what slurmdbd says is not remembered", "error", err)
	}
}
