package slurm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
)

// A guest is a job that somebody handed in with plain sbatch. The door holds it, the
// market says what it costs, and one that says what it may cost is bought: it becomes the
// job of a run, under the number that it has.

// Desk is where the market deals with guests.
type Desk interface {
	// Ask makes a request of what a guest asks for and what its comment says, and reports
	// whether that says what it may cost.
	Ask(user string, g client.Guest, comment string) (r trade.Request, takes bool, err error)
	// Price says what a job would cost, or why it cannot be had.
	Price(ctx context.Context, user string, id int64, r trade.Request) string
	// Buy hands it in, once for each key, and says what came of it, and which job waits in the
	// market before it is bought; 0: none does.
	Buy(ctx context.Context, user, key string, r trade.Request) (said string, waits int64, err error)
	// Fate is what has come of a job that waited, if it will not run; "": it waits, or is bought.
	Fate(ctx context.Context, job int64) string
}

// GuestVariable is the variable of a job's environment that says which job in Slurm it
// was before it was bought.
const GuestVariable = "LIBRA_GUEST"

// guestAsks is the variable that says what it asked for then, beside processors and memory: what
// Slurm gives it of its own.
const guestAsks = GuestVariable + "_ASKS"

// guests are those who were looked at, by number: with which words.
type guests struct {
	seen map[int64]string
	busy bool

	waits map[int64]int64 // in the market, by number in Slurm
}

// lookAtGuests sees whether there are some that nobody has looked at. The lock is held.
func (b *Backend) lookAtGuests(jobs []client.Job) {
	if b.cfg.Desk == nil || b.guests.busy {
		return
	}
	if _, can := b.slurm.(client.Guests); !can {
		return
	}
	var fresh []client.Job
	here := map[int64]string{}
	for i := range jobs {
		j := &jobs[i]
		if _, _, mine := b.parseComment(j.Comment); mine || j.State != client.Pending || !j.Held {
			continue
		}
		words := wordsOf(j)
		if b.guests.seen[j.ID] != words {
			fresh = append(fresh, *j)
		} else {
			here[j.ID] = words
		}
	}
	b.guests.seen = here
	left := b.leftGuests(here)
	if len(fresh) == 0 && len(b.guests.waits) == 0 {
		return
	}
	waits := maps.Clone(b.guests.waits)
	maps.DeleteFunc(waits, func(id, _ int64) bool { return slices.Contains(left, id) })
	b.guests.busy = true
	b.going.Go(func() {
		if len(left) > 0 {
			b.unawait(b.ctx, left...)
		}
		for i := range fresh {
			j := &fresh[i]
			if err := b.receive(b.ctx, j); err != nil {
				b.cfg.Log.Warn("a job of plain sbatch", "slurm", j.ID, "error", err)
				continue // it is looked at again
			}
			b.mu.Lock()
			b.guests.seen[j.ID] = wordsOf(j)
			b.mu.Unlock()
		}
		for id, job := range waits {
			b.tellFate(b.ctx, id, job)
		}
		b.mu.Lock()
		b.guests.busy = false
		b.mu.Unlock()
	})
}

// wordsOf is what a guest says of itself, by which it is known whether it was looked at.
func wordsOf(j *client.Job) string { return fmt.Sprint(j.Submitted, " ", j.Comment) }

// tellFate notes with a guest that waited in the market that it will not be bought, if so.
func (b *Backend) tellFate(ctx context.Context, id, job int64) {
	said := b.cfg.Desk.Fate(ctx, job)
	if said == "" {
		return
	}
	slurm := b.slurm.(client.Guests) //nolint:forcetypeassert // lookAtGuests has seen it
	if err := slurm.Remark(ctx, id, "libra: "+said); err != nil {
		b.cfg.Log.Warn("a job of plain sbatch", "slurm", id, "error", err)
		return
	}
	b.unawait(ctx, id)
}

// receive deals with one guest, and notes with it what was said.
func (b *Backend) receive(ctx context.Context, j *client.Job) error {
	slurm := b.slurm.(client.Guests) //nolint:forcetypeassert // lookAtGuests has seen it
	g, err := slurm.Guest(ctx, j.ID)
	if err != nil {
		return err
	}
	said := ""
	g.QOS = b.qosOfGuest(ctx, j.User, g)
	r, takes, err := b.cfg.Desk.Ask(j.User, g, j.Comment)
	switch {
	case len(g.Special) > 0:
		said = "it asks for " + strings.Join(g.Special, ", ") + ", which cannot be bought in this way: libra sbatch says what can"
	case g.Nodes != "1":
		said = "it asks for several nodes, which cannot be bought in this way: libra sbatch can"
	case err != nil:
		said = err.Error()
	case takes:
		r.Env = append(r.Env, GuestVariable+"="+strconv.FormatInt(j.ID, 10), guestAsks+"="+strings.Join(g.Options, " "))
		sum := sha256.Sum256([]byte(j.Comment))
		key := fmt.Sprintf("slurm-%d-%d-%s", j.ID, j.Submitted, hex.EncodeToString(sum[:6]))
		var waits int64
		if said, waits, err = b.cfg.Desk.Buy(ctx, j.User, key, r); err != nil {
			return err
		}
		if waits != 0 {
			if err = b.await(ctx, j.ID, waits, wordsOf(j)); err != nil {
				return err
			}
		}
	default:
		said = b.cfg.Desk.Price(ctx, j.User, j.ID, r)
	}
	return slurm.Remark(ctx, j.ID, "libra: "+said)
}

// qosOfGuest is the QOS of a guest, as if its user had named it; empty: it is the one that they have
// anyway, or it matters to nothing here.
func (b *Backend) qosOfGuest(ctx context.Context, user string, g client.Guest) string {
	if g.QOS == "" {
		return ""
	}
	return b.site(ctx, b.asked(&trade.Request{Partition: g.Partition})).Named(user, g.QOS)
}

// guestOf is the number in Slurm that a run had before it was bought; 0: it had none.
func guestOf(s *task.Spec) int64 {
	for _, e := range s.Env {
		if text, found := strings.CutPrefix(e, GuestVariable+"="); found {
			id, _ := strconv.ParseInt(text, 10, 64)
			return id
		}
	}
	return 0
}

// NamesGuest reports whether an environment says of a job that it is one of plain sbatch.
func NamesGuest(env []string) bool {
	return slices.ContainsFunc(env, func(e string) bool {
		return strings.HasPrefix(e, GuestVariable+"=") || strings.HasPrefix(e, guestAsks+"=") || strings.HasPrefix(e, task.PutBack+"=")
	})
}

// handIn gives Slurm the job of a run: a new one, its stand-in, or one that it has and that
// nobody has bought. It says when Slurm gave the number out; 0: now.
func (b *Backend) handIn(ctx context.Context, key runKey, spec *task.Spec, s client.Submission) (id, given int64, err error) {
	id = guestOf(spec)
	if id == 0 {
		if id, given, err = b.callForward(ctx, key, spec, s); !errors.Is(err, errNotStanding) {
			return id, given, err
		}
		id, err = b.slurm.Submit(ctx, s)
		return id, 0, err
	}
	slurm, can := b.slurm.(client.Guests)
	if !can {
		return 0, 0, fmt.Errorf("%w: job %d cannot be taken over here", client.ErrRefused, id)
	}
	jobs, err := b.slurm.Jobs(ctx, b.cfg.Partition)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", errNotAsked, err)
	}
	for i := range jobs {
		j := &jobs[i]
		if j.ID != id {
			continue
		}
		_, _, bought := b.parseComment(j.Comment)
		if j.Comment == s.Comment { // the answer was lost
			return id, j.Submitted, b.stillAsSold(ctx, slurm, id, spec, s.Partition)
		}
		if bought || j.User != s.User || j.State != client.Pending || !j.Held {
			break
		}
		if err := slurm.Adopt(ctx, id, s); err != nil {
			return 0, 0, err
		}
		return id, j.Submitted, b.stillAsSold(ctx, slurm, id, spec, s.Partition)
	}
	return 0, 0, fmt.Errorf("%w: job %d in Slurm is not there to be bought any more", client.ErrRefused, id)
}

// stillAsSold says why a job of plain sbatch, which has the market's comment now and is
// its user's to change no more, is not what was sold: it was changed meanwhile. Where that
// cannot be found out it is not believed: it stays held, and is nobody's.
func (b *Backend) stillAsSold(ctx context.Context, slurm client.Guests, id int64, sold *task.Spec, partition string) error {
	g, err := slurm.Guest(ctx, id)
	if err != nil {
		return fmt.Errorf("%w: what job %d asks for is not known: %w", client.ErrRefused, id, err)
	}
	if g.Processors > sold.Processors() || g.MemoryMB > megabytes(sold.Memory) || len(g.Special) > 0 || g.Nodes != "1" || g.Partition != "" && g.Partition != partition ||
		b.qosOfGuest(ctx, sold.User, g) != sold.QOS || strings.Join(g.Options, " ") != valueOf(sold.Env, guestAsks) || g.Begin > b.cfg.Now().Unix() {
		return fmt.Errorf("%w: job %d asks for more than when it was bought", client.ErrRefused, id)
	}
	return nil
}
