package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// errNotStanding says that a job has no stand-in that could become the job of its run.
var errNotStanding = errors.New("no stand-in")

// callForward makes the stand-in of a job that of its run: the same in all but its comment,
// node and limit. It says when Slurm gave the number out. One that is another job by now ends;
// who has cancelled it has cancelled the job.
func (b *Backend) callForward(ctx context.Context, key runKey, spec *task.Spec, s client.Submission) (id, given int64, err error) {
	b.mu.Lock()
	in, back := b.standIns.of[key.job], b.putBacks[putBackOf(spec)] != nil // which is its stand-in in a moment
	if in == nil || in.busy || back {
		b.mu.Unlock()
		if in == nil && !back {
			return 0, 0, errNotStanding
		}
		return 0, 0, fmt.Errorf("%w: its stand-in ends, or comes", errNotAsked)
	}
	in.busy = true
	b.mu.Unlock()
	defer b.atRest(in)
	j, err := b.listedAs(ctx, in, b.cfg.Now().Add(-listedFor))
	if err != nil {
		return 0, 0, err
	}
	later, wrong := s, error(nil)
	if s.Array == "" { // else none of it is about a node
		later, wrong = b.laterOn(*spec, in.Comment, s.Partition)
	}
	switch {
	case j.ID == 0 || j.Comment != in.Comment && j.Comment != s.Comment:
		return 0, 0, b.forget(ctx, in, errNotStanding)
	case j.Comment == s.Comment: // the answer was lost
		return j.ID, j.Submitted, b.becomes(ctx, in)
	case j.State == client.Cancelled:
		return 0, 0, b.withdraw(ctx, in)
	case wrong == nil && j.State == client.Pending && j.Held && in.is(later) && bulkOf(later) == bulkOf(s):
		if err = b.dropOthers(ctx, in, &j, s.Array); err != nil {
			return 0, 0, err
		}
		slurm := b.slurm.(client.Guests) //nolint:forcetypeassert // StandIn has seen it
		s.Again = in.Again
		if err = slurm.Adopt(ctx, j.ID, s); err == nil {
			return j.ID, j.Submitted, b.becomes(ctx, in)
		}
		if !errors.Is(err, client.ErrRefused) {
			return 0, 0, err
		}
		now, unheard := b.listedAs(ctx, in, b.cfg.Now()) // it may have been cancelled this moment
		if unheard != nil {
			return 0, 0, unheard
		}
		if now.State == client.Cancelled {
			return 0, 0, b.withdraw(ctx, in)
		}
	}
	b.cfg.Log.Info("a job that waited has another number in Slurm", "job", key.job, "slurm", in.ID, "error", err)
	// Forgotten first: one that is known and cancelled was cancelled by its user.
	if err = b.forget(ctx, in, nil); err == nil && !j.State.Over() {
		err = b.slurm.Cancel(ctx, in.ID, true) // else it is listed as nobody's
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", errNotAsked, err)
	}
	return 0, 0, errNotStanding
}

// dropOthers cancels the elements of a stand-in that do not run, as after aftercorr: held, they would
// keep the array from ever ending. Whether they are gone Slurm says.
func (b *Backend) dropOthers(ctx context.Context, in *standIn, j *client.Job, array string) error {
	wanted, err := client.ElementsOf(array)
	if err != nil {
		return err
	}
	others := func(j *client.Job) []int {
		return slices.DeleteFunc(slices.Clone(j.Elements), func(e int) bool { return array == "" || slices.Contains(wanted, e) })
	}
	drop := others(j)
	if len(drop) == 0 {
		return nil
	}
	if err = b.slurm.(client.Arrays).Drop(ctx, in.ID, drop); err == nil { //nolint:forcetypeassert // arraysOf has seen it
		var now client.Job
		if now, err = b.listedAs(ctx, in, b.cfg.Now()); err == nil && len(others(&now)) > 0 {
			err = errors.New("elements that are not to run are there still")
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errNotAsked, err)
	}
	return nil
}

// listedFor is for how long a listing is good for those who begin together, as after one that all have
// waited for: each would ask Slurm for all of its jobs.
const listedFor = vouching / 2

// listing is what Slurm has said last, to who calls stand-ins forward.
type listing struct {
	mu   sync.Mutex // held while Slurm is asked: whoever wants to know meanwhile has the answer
	at   time.Time  // when it was asked
	jobs map[int64]client.Job
}

// listedAs is the job that Slurm has under the number of a stand-in, of the same user, by what it has
// said since a time, and since it is there; none: it has no number.
func (b *Backend) listedAs(ctx context.Context, in *standIn, since time.Time) (client.Job, error) {
	l := &b.standIns.listing
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jobs == nil || !l.at.After(since) || !l.at.After(in.since) {
		asked := b.cfg.Now()
		jobs, err := b.slurm.Jobs(ctx, b.cfg.Partition)
		if err != nil {
			return client.Job{}, fmt.Errorf("%w: %w", errNotAsked, err)
		}
		l.at, l.jobs = asked, make(map[int64]client.Job, len(jobs))
		for i := range jobs {
			l.jobs[jobs[i].ID] = jobs[i]
		}
	}
	if j := l.jobs[in.ID]; j.User == in.User {
		return j, nil
	}
	return client.Job{}, nil
}

// is reports whether a submission is what Slurm was told.
func (in *standIn) is(s client.Submission) bool {
	if in.Again { // it is the market's copy of what was handed in then
		return bulkOf(s) == in.Sum
	}
	return sumOf(s) == in.Sum
}

// bulkOf tells two submissions apart by what Slurm sets aside for them.
func bulkOf(s client.Submission) string {
	s.Script, s.Env, s.Later = "", nil, false // in these a node may be named
	return sumOf(s)
}

// atRest lets others see to a stand-in.
func (b *Backend) atRest(in *standIn) {
	b.mu.Lock()
	in.busy = false
	b.mu.Unlock()
}

// mostExits is how many jobs are cancelled at a time: their user has other things to ask the market.
const mostExits = 16

// errWithdrawn says that the stand-in of a job was cancelled in Slurm, and so the job is.
var errWithdrawn = errors.New("it was cancelled in Slurm while it waited")

// withdraw cancels the job of a stand-in that was cancelled in Slurm, and says so.
func (b *Backend) withdraw(ctx context.Context, in *standIn) error {
	b.standIns.exits <- struct{}{}
	err := b.cfg.Line.Withdraw(ctx, in.job, in.User)
	<-b.standIns.exits
	if err == nil {
		err = b.forget(ctx, in, nil)
	}
	if err != nil { // it is listed again
		b.cfg.Log.Warn("a job that was cancelled in Slurm while it waited", "job", in.job, "slurm", in.ID, "error", err)
		return fmt.Errorf("%w: %w", errNotAsked, err)
	}
	return errWithdrawn
}

// becomes forgets a stand-in that is the job of a run now. What stays noted of it is not listed any more.
func (b *Backend) becomes(ctx context.Context, in *standIn) error {
	b.mu.Lock()
	b.standIns.gone[in.ID] = b.cfg.Now()
	b.mu.Unlock()
	if err := b.forget(ctx, in, nil); err != nil {
		b.cfg.Log.Warn("a stand-in is not forgotten", "job", in.job, "slurm", in.ID, "error", err)
		b.leaveOut(in)
	}
	return nil
}

// forget forgets a stand-in for good, and returns what is said of it then.
func (b *Backend) forget(ctx context.Context, in *standIn, said error) error {
	if err := b.notes.DropNotes(ctx, kindStandIn, []string{strconv.FormatInt(in.job, 10)}); err != nil {
		return fmt.Errorf("%w: %w", errNotAsked, err)
	}
	b.leaveOut(in)
	return said
}

// leaveOut is that in memory.
func (b *Backend) leaveOut(in *standIn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.standIns.of[in.job] == in {
		delete(b.standIns.of, in.job)
	}
	if b.standIns.job[in.ID] == in.job {
		delete(b.standIns.job, in.ID)
	}
}
