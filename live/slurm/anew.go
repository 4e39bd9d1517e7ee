package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/store"
)

// Anew is where jobs are handed in anew that their users have put back into Slurm's queue.
type Anew interface {
	// Anew hands a job in once more, when it has ended: once for each time that it was put back,
	// however often it is asked.
	Anew(ctx context.Context, r Return) (Renewed, error)
}

// Return is a job that its user has put back.
type Return struct {
	Job      int64 // of the market
	Attempt  int   // of it, which was put back
	User     string
	Number   int64 // in Slurm
	Restarts int   // how often it was begun again, under whatever number
	Count    int   // how often it was put back under this one
	OnHold   bool  // it begins when its user says so
	Deadline int64 // how long it was when the job was handed in first, in milliseconds; 0: as its request says
}

// Env is what the job that is handed in is told of that.
func (r *Return) Env(deadline int64) string {
	return fmt.Sprintf("%s=%d:%d:%d", task.PutBack, r.Number, r.Restarts, deadline)
}

// Renewed is what came of it.
type Renewed struct {
	Job     int64  // the new one; 0: none was made
	BornUS  int64  // when it was handed in
	Said    string // for its user
	Refused bool
}

// SaidPutBack is what is said of the end of a job that was put back: whether it is taken anew is not known then.
const SaidPutBack = "put back into the queue of Slurm by its user, and asked for anew"

// ErrGoesOn is what is said of a job that has not ended yet.
var ErrGoesOn = errors.New("the job that was put back has not ended yet")

// kindPutBack is a note about a job that was put back, by its number in Slurm.
const kindPutBack = "slurm-put-back"

// notePutBack makes it durable that a job was put back.
func (b *Backend) notePutBack(ctx context.Context, p *putBack) error {
	if later, err := b.laterOn(b.specOf(p.of()), "", p.Partition); err != nil {
		return err
	} else {
		p.Bulk = bulkOf(later)
	}
	b.mu.Lock()
	b.putBacks[p.ID] = p // also where nobody says whether it is written: it is dropped when it is of no use
	b.mu.Unlock()
	return b.keepPutBack(ctx, p)
}

// keepPutBack writes down what is known of it.
func (b *Backend) keepPutBack(ctx context.Context, p *putBack) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return b.notes.PutNotes(ctx, []store.Note{{Kind: kindPutBack, Key: strconv.FormatInt(p.ID, 10), Body: body}})
}

// specOf is the one task of a run.
func (b *Backend) specOf(key runKey) task.Spec {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.runs[key]; r != nil {
		return r.orders[0].Spec
	}
	return task.Spec{}
}

// restorePutBacks reads what an earlier backend has noted.
func (b *Backend) restorePutBacks(ctx context.Context) error {
	kept, err := b.notes.Notes(ctx, kindPutBack)
	if err != nil {
		return err
	}
	for i := range kept {
		p := &putBack{since: b.cfg.Now()}
		if err = json.Unmarshal(kept[i].Body, p); err != nil {
			return fmt.Errorf("note of job %s, which was put back: %w", kept[i].Key, err)
		}
		b.putBacks[p.ID] = p
	}
	return nil
}

// seePutBacks notes how those stand in Slurm that were put back. The lock is held.
func (b *Backend) seePutBacks(jobs []client.Job) {
	if len(b.putBacks) == 0 {
		return
	}
	for _, p := range b.putBacks {
		p.misses++
	}
	for i := range jobs {
		j := &jobs[i]
		p := b.putBacks[j.ID]
		if p == nil {
			continue
		}
		key, _, ours := b.parseComment(j.Comment)
		if ours && key == p.of() || b.isStandIn(j.Comment) {
			p.seen, p.held, p.misses = j.State, j.Held, 0
			if j.State == client.Pending || j.State.Over() {
				p.strange = time.Time{}
			} else if p.strange.IsZero() {
				p.strange = b.cfg.Now()
			}
		}
	}
}

// handAnew sees to all that were put back. The lock is held.
func (b *Backend) handAnew(now time.Time) {
	for _, p := range b.putBacks {
		if p.busy || now.Sub(p.tried) < again/2 || b.good.IsZero() || b.listings == 0 {
			continue
		}
		p.busy, p.tried = true, now
		b.going.Go(func() {
			err := b.renew(b.ctx, p)
			if err != nil && !errors.Is(err, ErrGoesOn) && b.ctx.Err() == nil {
				b.cfg.Log.Warn("a job that was put back is not handed in anew yet", "job", p.Job, "slurm", p.ID, "error", err)
			}
			b.mu.Lock()
			p.busy = false
			b.mu.Unlock()
		})
	}
}

// renew has a job that was put back handed in anew, when it has ended. Every step may be done again:
// who is killed in between finds the note.
func (b *Backend) renew(ctx context.Context, p *putBack) error {
	b.mu.Lock()
	unseen := p.seen == "" || p.misses > 0 // what is noted may be of long ago
	gone := !unseen && p.seen.Over() || p.misses > mostMissed
	if !p.strange.IsZero() && b.cfg.Now().Sub(p.strange) >= quiet && b.runs[p.of()] == nil {
		gone = true // a slurmctld that was killed has forgotten it: it is nobody's, and begun anew under another number
	}
	b.mu.Unlock()
	if gone { // its user has cancelled it, or Slurm has lost it, or it is begun anew elsewhere
		return b.notAnew(ctx, p)
	}
	if unseen {
		return nil
	}
	if err := b.mayAnew(ctx, p); err != nil {
		return err
	}
	n, err := b.cfg.Anew.Anew(ctx, p.returns())
	if err != nil {
		return err
	}
	slurm := b.slurm.(client.Guests) //nolint:forcetypeassert // mayRequeue has seen it
	err = errNotAsked
	b.inSlurm(func() { err = slurm.Remark(ctx, p.ID, "libra: "+n.Said) })
	if err != nil {
		return err
	}
	if n.Refused {
		return b.endPutBack(ctx, p, n.Job)
	}
	return b.stands(ctx, p, n)
}

// returns is what the market is asked. The same is answered the same.
func (p *putBack) returns() Return {
	return Return{
		Job: p.Job, Attempt: p.Attempt, User: p.User, Number: p.ID, Restarts: p.Before + p.Restarts, Count: p.Restarts, OnHold: p.OnHold, Deadline: p.Deadline,
	}
}

// mayAnew makes it durable, when the job has ended, that it may be handed in anew: who finds it
// cancelled in Slurm then has another one to cancel.
func (b *Backend) mayAnew(ctx context.Context, p *putBack) error {
	if p.Asked || b.cfg.Line == nil {
		return nil
	}
	over, err := b.cfg.Line.Over(ctx, p.Job)
	if err == nil && !over {
		err = ErrGoesOn
	}
	if err != nil {
		return err
	}
	p.Asked = true
	if err = b.keepPutBack(ctx, p); err != nil {
		p.Asked = false // it may be written: who reads it asks once more than is needed
	}
	return err
}

// notAnew forgets one that is over in Slurm. Cancelled there between being handed in anew and being
// known as that, it is cancelled as that, too.
func (b *Backend) notAnew(ctx context.Context, p *putBack) error {
	b.mu.Lock()
	cancelled := p.seen == client.Cancelled && p.misses == 0
	b.mu.Unlock()
	if !p.Asked || !cancelled || b.cfg.Line == nil {
		return b.dropPutBack(ctx, p)
	}
	n, err := b.cfg.Anew.Anew(ctx, p.returns())
	if err == nil && n.Job != 0 && !n.Refused {
		err = b.cfg.Line.Withdraw(ctx, n.Job, p.User)
		b.mu.Lock()
		in := b.standIns.of[n.Job]
		b.mu.Unlock()
		if in == nil { // it may be written
			in = &standIn{ID: p.ID, job: n.Job}
		}
		if err == nil && in.ID == p.ID {
			err = b.forget(ctx, in, nil)
		}
	}
	if err == nil && n.Job != 0 {
		err = b.isNow(ctx, p, n.Job)
	}
	if err != nil {
		return err
	}
	return b.dropPutBack(ctx, p)
}

// isNow notes which job of the market a number is from now on.
func (b *Backend) isNow(ctx context.Context, p *putBack, job int64) error {
	err := b.notes.PutNotes(ctx, []store.Note{{Kind: kindJob, Key: strconv.FormatInt(p.ID, 10), Body: strconv.AppendInt(nil, job, 10)}})
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.numbers.renew(p.ID, job)
	b.mu.Unlock()
	return nil
}

// endPutBack ends one that the market does not take.
func (b *Backend) endPutBack(ctx context.Context, p *putBack, job int64) error {
	if job != 0 {
		if err := b.isNow(ctx, p, job); err != nil {
			return err
		}
	}
	b.cfg.Log.Info("a job that was put back is refused, and ended in Slurm", "job", p.Job, "slurm", p.ID, "anew", job)
	err := errNotAsked
	b.inSlurm(func() { err = b.slurm.Cancel(ctx, p.ID, true) })
	if err != nil {
		return err
	}
	return b.dropPutBack(ctx, p)
}

// stands makes one the stand-in of the job that it is now.
func (b *Backend) stands(ctx context.Context, p *putBack, n Renewed) error {
	b.mu.Lock()
	in := b.standIns.of[n.Job]
	begun := b.runs[runKey{n.Job, 0}]
	begins := begun != nil && begun.ID == p.ID
	b.mu.Unlock()
	if begins { // the note was not dropped
		return b.dropPutBack(ctx, p)
	}
	if in == nil {
		in = &standIn{ID: p.ID, User: p.User, Partition: p.Partition, QOS: p.QOS, Comment: withText(b.standInComment(n.Job, n.BornUS), p.Text), Sum: p.Bulk, Again: true, job: n.Job}
		body, err := json.Marshal(in)
		if err != nil {
			return err
		}
		err = b.notes.PutNotes(ctx, []store.Note{
			{Kind: kindStandIn, Key: strconv.FormatInt(n.Job, 10), Body: body},
			{Kind: kindJob, Key: strconv.FormatInt(p.ID, 10), Body: strconv.AppendInt(nil, n.Job, 10)},
		})
		if err != nil {
			return err
		}
	}
	b.mu.Lock()
	in.busy = true
	b.standIns.of[n.Job], b.standIns.job[p.ID] = in, n.Job
	b.numbers.renew(p.ID, n.Job)
	b.mu.Unlock()
	defer b.atRest(in)
	b.mu.Lock()
	loose := p.seen == client.Pending && !p.held // a slurmctld that was killed has forgotten that it is held
	b.mu.Unlock()
	slurm := b.slurm.(client.Guests) //nolint:forcetypeassert // mayRequeue has seen it
	err := errNotAsked
	b.inSlurm(func() {
		if counts, can := b.slurm.(client.Requeues); loose && can {
			if err = counts.Detain(ctx, p.ID); err != nil {
				return
			}
		}
		err = slurm.Adopt(ctx, p.ID, client.Submission{Comment: in.Comment, Requeue: true, Again: true})
	})
	if err != nil {
		return err
	}
	b.mu.Lock()
	in.since = b.cfg.Now()
	b.mu.Unlock()
	b.cfg.Log.Log(ctx, slog.LevelInfo, "a job that was put back waits as another", "job", p.Job, "slurm", p.ID, "anew", n.Job)
	return b.dropPutBack(ctx, p)
}

// comesBack reports whether the job in Slurm of one that was put back is not its stand-in yet.
func (b *Backend) comesBack(spec *task.Spec) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.putBacks[putBackOf(spec)] != nil
}

// dropPutBack forgets one.
func (b *Backend) dropPutBack(ctx context.Context, p *putBack) error {
	if err := b.notes.DropNotes(ctx, kindPutBack, []string{strconv.FormatInt(p.ID, 10)}); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.putBacks[p.ID] == p {
		delete(b.putBacks, p.ID)
		b.backSince[p.ID] = b.cfg.Now() // a listing that was begun before has it as what it was
	}
	b.pollSoon()
	return nil
}
