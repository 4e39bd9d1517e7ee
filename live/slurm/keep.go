package slurm

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/libra-market/libra/live/store"
)

// The kinds of notes: one for each run, and one about the market.
const (
	kindRun    = "slurm"
	kindMark   = "slurm-market"
	markKey    = "identity"
	kindNumber = "slurm-number"
	numberKey  = "greatest"
	kindJob    = "slurm-job" // by its number in Slurm: the job of the market that it was let go for
)

// identity is what the jobs of a market are known by in Slurm.
type identity struct {
	Mark   string `json:"mark"`   // in the comment of each
	Secret string `json:"secret"` // of which the nonce of each is made
}

// nonce is a word for a run that nobody else can find, and that a backend which
// was killed in between finds again: so nothing need be written down before a job
// is submitted. It is also made of when the job was submitted to the market: where an old
// backup was restored, the number of a job that is lost with what came after is given to
// another, and the first may still be in Slurm.
func (i *identity) nonce(key runKey, bornUS int64) string {
	text := key.String()
	if bornUS != 0 { // else it was let go by a version that did not know it
		text += fmt.Sprint(" ", bornUS)
	}
	mac := hmac.New(sha256.New, []byte(i.Secret))
	_, _ = mac.Write([]byte(text)) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:12])
}

// restore reads what an earlier backend has remembered, or makes an identity.
func (b *Backend) restore(ctx context.Context) error {
	if err := b.restoreIdentity(ctx); err != nil {
		return err
	}
	if err := errors.Join(b.restoreNumber(ctx), b.restoreGuests(ctx), b.restoreStandIns(ctx), b.restorePutBacks(ctx), b.restoreGranted(ctx)); err != nil {
		return err
	}
	kept, err := b.notes.Notes(ctx, kindRun)
	if err != nil {
		return err
	}
	for i := range kept {
		key, err := parseRunKey(kept[i].Key)
		if err != nil {
			return fmt.Errorf("a note: %w", err)
		}
		var n note
		if err := json.Unmarshal(kept[i].Body, &n); err != nil {
			return fmt.Errorf("note of %s: %w", key, err)
		}
		r := b.newRun(key, n.BornUS)
		r.restore(n, b.cfg.Now())
		if p := b.putBacks[r.ID]; p != nil && p.of() == key {
			r.back = p
		}
		if r.ID != 0 {
			b.byBatch[r.ID] = r
		}
		if n.Released && r.ID != 0 {
			b.numbers.spend(r.ID, key)
		}
		for _, name := range r.Nodes {
			b.node(name)
		}
	}
	return nil
}

// restoreNumber reads the greatest number that a run was let go under.
func (b *Backend) restoreNumber(ctx context.Context) error {
	known, err := b.notes.Notes(ctx, kindNumber)
	if err != nil || len(known) == 0 {
		return err
	}
	if err := json.Unmarshal(known[0].Body, &b.numbers.before); err != nil {
		return fmt.Errorf("note of the greatest number: %w", err)
	}
	b.keep.greatest, b.numbers.began = b.numbers.before, b.cfg.Now().Unix()
	return nil
}

func (b *Backend) restoreIdentity(ctx context.Context) error {
	known, err := b.notes.Notes(ctx, kindMark)
	if err != nil {
		return err
	}
	if len(known) > 0 {
		return json.Unmarshal(known[0].Body, &b.identity)
	}
	b.identity = identity{Mark: random(4), Secret: random(32)}
	body, err := json.Marshal(&b.identity)
	if err != nil {
		return err
	}
	return b.notes.PutNotes(ctx, []store.Note{{Kind: kindMark, Key: markKey, Body: body}})
}

// keeper writes notes, many at a time: each writer waits for the one write that
// has its note in it.
type keeper struct {
	notes    Notes
	queue    chan *noteWrite
	greatest int64 // number in Slurm that a run was let go under
}

type noteWrite struct {
	put    *store.Note
	number int64 // that the run may be let go under, once this is written
	job    int64 // of the market, that it is then the number of
	drop   string
	done   chan error
}

func newKeeper(notes Notes) *keeper { return &keeper{notes: notes, queue: make(chan *noteWrite, 4096)} }

// put returns when the note is durable.
func (k *keeper) put(ctx context.Context, key runKey, n note) error {
	body, err := json.Marshal(&n)
	if err != nil {
		return err
	}
	w := &noteWrite{put: &store.Note{Kind: kindRun, Key: key.String(), Body: body}}
	if n.Released {
		w.number, w.job = n.ID, key.job
	}
	return k.enqueue(ctx, w)
}

// remove returns when the note is gone.
func (k *keeper) remove(ctx context.Context, key runKey) error {
	return k.enqueue(ctx, &noteWrite{drop: key.String()})
}

func (k *keeper) enqueue(ctx context.Context, one *noteWrite) error {
	one.done = make(chan error, 1)
	select {
	case k.queue <- one:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-one.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run writes until ctx is done.
func (k *keeper) run(ctx context.Context) {
	for {
		var batch []*noteWrite
		select {
		case <-ctx.Done():
			return
		case one := <-k.queue:
			batch = append(batch, one)
		}
		k.write(ctx, k.gather(ctx, batch))
	}
}

// gather waits a moment for others that come together: every write is one that the
// market's own has to wait for.
func (k *keeper) gather(ctx context.Context, batch []*noteWrite) []*noteWrite {
	timer := time.NewTimer(10 * time.Millisecond)
	defer timer.Stop()
	for len(batch) < 1024 {
		select {
		case one := <-k.queue:
			batch = append(batch, one)
		case <-timer.C:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// write makes a batch durable. A run's notes are never asked for at the same
// time, so it does not matter that those to be dropped go last.
func (k *keeper) write(ctx context.Context, batch []*noteWrite) {
	var puts []store.Note
	var drops []string
	greatest := k.greatest
	for _, one := range batch {
		if one.put != nil {
			puts = append(puts, *one.put)
			if one.number != 0 {
				greatest = greater(greatest, one.number)
				puts = append(puts, store.Note{Kind: kindJob, Key: strconv.FormatInt(one.number, 10), Body: strconv.AppendInt(nil, one.job, 10)})
			}
		} else {
			drops = append(drops, one.drop)
		}
	}
	var putting, dropping error
	if greatest != k.greatest {
		puts = append(puts, store.Note{Kind: kindNumber, Key: numberKey, Body: strconv.AppendInt(nil, greatest, 10)})
	}
	if len(puts) > 0 {
		if putting = k.notes.PutNotes(ctx, puts); putting == nil {
			k.greatest = greatest
		}
	}
	if len(drops) > 0 {
		dropping = k.notes.DropNotes(ctx, kindRun, drops)
	}
	for _, one := range batch {
		if one.put != nil {
			one.done <- putting
		} else {
			one.done <- dropping
		}
	}
}
