package slurm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/store"
)

// A stand-in is the job in Slurm of one that waits in the market: for others to end, for its time,
// for its user, for processors. It is held, on no node, so that the job has its number from the
// first: scripts that chain jobs take what sbatch prints for a number of Slurm's. When the job is
// put on a node its stand-in becomes the job of the run; who cancels it cancels the job.

// Line is where jobs of the market wait.
type Line interface {
	// LineUp asks for a stand-in for everybody who waits.
	LineUp(ctx context.Context)
	// Over reports whether a job has ended, begun or not.
	Over(ctx context.Context, job int64) (bool, error)
	// Withdraw cancels a job that waits, for its user.
	Withdraw(ctx context.Context, job int64, user string) error
}

// standIn is one of them, as it is noted.
type standIn struct {
	ID        int64  `json:"id"` // in Slurm
	User      string `json:"user"`
	Partition string `json:"partition"`
	Comment   string `json:"comment"`
	Sum       string `json:"sum"` // of all that Slurm was told and cannot be told anew

	job    int64
	asked  time.Time // when the market was last asked what has become of the job
	missed int       // listings that did not have it, one after the other
	busy   bool      // it ends, or becomes another's
}

// standIns are all of them.
type standIns struct {
	of     map[int64]*standIn  // by job of the market
	job    map[int64]int64     // by number in Slurm
	coming map[string]bool     // by comment: being handed in
	gone   map[int64]time.Time // by number in Slurm: since when they are the job of a run; a listing may be older
	open   bool                // the backend runs
	busy   bool                // the market is being asked
	exits  chan struct{}       // jobs that are cancelled in the market at a time
	due    int                 // listings until all who wait are asked for one anew; 0: they are not
}

// kindStandIn is a note about a stand-in, by the job of the market.
const kindStandIn = "slurm-stand-in"

// standInWord is what stands in the comment of a stand-in where the attempt of a run does.
const standInWord = ".waits:"

func (b *Backend) standInComment(job, bornUS int64) string {
	return fmt.Sprintf("libra:%s:%d%s%s", b.Mark, job, standInWord, b.nonce(runKey{job: job, attempt: standsIn}, bornUS))
}

// isStandIn reports whether a comment is that of a stand-in of this market, as it says.
func (b *Backend) isStandIn(comment string) bool {
	rest, mine := strings.CutPrefix(comment, "libra:"+b.Mark+":")
	digits, _, found := strings.Cut(rest, standInWord)
	return mine && found && strings.Trim(digits, "0123456789") == ""
}

// restoreStandIns reads those that an earlier backend has handed in.
func (b *Backend) restoreStandIns(ctx context.Context) error {
	kept, err := b.notes.Notes(ctx, kindStandIn)
	if err != nil {
		return err
	}
	b.standIns = standIns{of: map[int64]*standIn{}, job: map[int64]int64{}, coming: map[string]bool{}, gone: map[int64]time.Time{}, exits: make(chan struct{}, mostExits)}
	for i := range kept {
		s := &standIn{}
		if s.job, err = strconv.ParseInt(kept[i].Key, 10, 64); err == nil {
			err = json.Unmarshal(kept[i].Body, s)
		}
		if err != nil {
			return fmt.Errorf("note of the stand-in of job %s: %w", kept[i].Key, err)
		}
		b.standIns.of[s.job], b.standIns.job[s.ID] = s, s.job
	}
	return nil
}

// nowhereYet is the node of a job that has none yet.
const nowhereYet = "?"

// StandIn hands in a held job for one that waits in the market, whose one task is given, where
// that is possible, and returns when it is durable that it is the job's. One that has none waits
// all the same, and has a number when it begins.
func (b *Backend) StandIn(ctx context.Context, spec task.Spec, bornUS int64, partition string) {
	slurm, can := b.slurm.(client.Guests)
	if !can || !slurm.Adopts() || partition == "" ||
		spec.Size != 1 || spec.Len() > 0 || spec.Optional != nil || spec.Within != "" || guestOf(&spec) != 0 {
		return
	}
	comment := b.standInComment(spec.Job, bornUS)
	b.mu.Lock()
	away := b.good.IsZero() && b.listings > 0 // nobody waits for Slurm then: there is one when it answers again
	if !b.standIns.open || away || b.standIns.of[spec.Job] != nil || b.standIns.coming[comment] {
		b.mu.Unlock()
		return
	}
	b.standIns.coming[comment] = true
	b.mu.Unlock()
	s, err := b.laterOn(spec, comment, partition)
	if err == nil {
		err = b.standIn(ctx, s, spec.Job)
	}
	b.mu.Lock()
	delete(b.standIns.coming, comment)
	b.mu.Unlock()
	if err != nil {
		b.cfg.Log.Warn("a job that waits is not in Slurm", "job", spec.Job, "error", err)
	}
}

func (b *Backend) standIn(ctx context.Context, s client.Submission, job int64) error {
	in := &standIn{User: s.User, Partition: s.Partition, Comment: s.Comment, Sum: sumOf(s), job: job}
	err := errNotAsked
	b.inSlurm(func() { in.ID, err = b.slurm.Submit(ctx, s) })
	if err != nil {
		return err // if it is there all the same, it is nobody's
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	err = b.notes.PutNotes(ctx, []store.Note{
		{Kind: kindStandIn, Key: strconv.FormatInt(job, 10), Body: body},
		{Kind: kindJob, Key: strconv.FormatInt(in.ID, 10), Body: strconv.AppendInt(nil, job, 10)},
	})
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.standIns.of[job], b.standIns.job[in.ID] = in, job
	return nil
}

// laterOn is what Slurm is told of a task whose node is not known yet.
func (b *Backend) laterOn(spec task.Spec, comment, partition string) (client.Submission, error) {
	spec.Nodes = []string{nowhereYet}
	return b.describe([]task.Spec{spec}, nil, comment, partition)
}

// sumOf tells two submissions apart by what Slurm cannot be told anew of a job that it has.
func sumOf(s client.Submission) string {
	s.Comment, s.Nodes, s.Limit = "", nil, 0
	text, err := json.Marshal(&s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// errNotStanding says that a job has no stand-in that could become the job of its run.
var errNotStanding = errors.New("no stand-in")

// callForward makes the stand-in of a job that of its run: the same in all but its comment,
// node and limit. It says when Slurm gave the number out. One that is another job by now ends;
// who has cancelled it has cancelled the job.
func (b *Backend) callForward(ctx context.Context, key runKey, spec *task.Spec, s client.Submission) (id, given int64, err error) {
	b.mu.Lock()
	in := b.standIns.of[key.job]
	if in == nil || in.busy {
		b.mu.Unlock()
		if in == nil {
			return 0, 0, errNotStanding
		}
		return 0, 0, fmt.Errorf("%w: its stand-in ends", errNotAsked)
	}
	in.busy = true
	b.mu.Unlock()
	defer b.atRest(in)
	j, err := b.listedAs(ctx, in)
	if err != nil {
		return 0, 0, err
	}
	later, wrong := b.laterOn(*spec, in.Comment, s.Partition)
	switch {
	case j.ID == 0 || j.Comment != in.Comment && j.Comment != s.Comment:
		return 0, 0, b.forget(ctx, in, errNotStanding)
	case j.Comment == s.Comment: // the answer was lost
		return j.ID, j.Submitted, b.becomes(ctx, in)
	case j.State == client.Cancelled:
		return 0, 0, b.withdraw(ctx, in)
	case wrong == nil && j.State == client.Pending && j.Held && sumOf(later) == in.Sum && bulkOf(later) == bulkOf(s):
		slurm := b.slurm.(client.Guests) //nolint:forcetypeassert // StandIn has seen it
		if err = slurm.Adopt(ctx, j.ID, s); err == nil {
			return j.ID, j.Submitted, b.becomes(ctx, in)
		}
		if !errors.Is(err, client.ErrRefused) {
			return 0, 0, err
		}
		now, unheard := b.listedAs(ctx, in) // it may have been cancelled this moment
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

// listedAs is the job that Slurm has under the number of a stand-in, of the same user; none: it has no number.
func (b *Backend) listedAs(ctx context.Context, in *standIn) (client.Job, error) {
	jobs, err := b.slurm.Jobs(ctx, b.cfg.Partition)
	if err != nil {
		return client.Job{}, fmt.Errorf("%w: %w", errNotAsked, err)
	}
	for i := range jobs {
		if jobs[i].ID == in.ID && jobs[i].User == in.User {
			return jobs[i], nil
		}
	}
	return client.Job{}, nil
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

// StandDown ends the stand-in of a job that waits no more, if it has one.
func (b *Backend) StandDown(job int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if in := b.standIns.of[job]; in != nil {
		b.endStandIn(in)
	}
}

// endStandIn forgets one; when it is listed next it is nobody's, and is cancelled: by then Slurm has
// just called the number ours, which it may have given to another meanwhile. The lock is held.
func (b *Backend) endStandIn(in *standIn) {
	if in.busy {
		return
	}
	in.busy = true
	b.going.Go(func() {
		defer b.atRest(in)
		if err := b.forget(b.ctx, in, nil); err != nil {
			b.cfg.Log.Warn("a stand-in is not ended", "job", in.job, "slurm", in.ID, "error", err)
			return // it is seen to again
		}
		b.pollSoon()
	})
}

// seeStandIns compares those that Slurm lists with those that are known. It takes their jobs out
// of the listing: they are no run's, and nobody's who has come with plain sbatch. The lock is held.
func (b *Backend) seeStandIns(jobs []client.Job, now time.Time) []client.Job {
	seen, runs := map[int64]bool{}, b.runsAs()
	others := slices.DeleteFunc(jobs, func(j client.Job) bool {
		if !b.isStandIn(j.Comment) {
			return false
		}
		job, known := b.standIns.job[j.ID]
		in := b.standIns.of[job]
		switch {
		case known && in != nil && in.ID == j.ID && in.Comment == j.Comment:
			seen[job] = true
			b.seeStandIn(in, &j, runs[job])
		case !j.State.Over() && !b.comingAs(j.Comment) && b.standIns.gone[j.ID].IsZero():
			b.endStray(&j, now)
		}
		return true
	})
	maps.DeleteFunc(b.standIns.gone, func(_ int64, at time.Time) bool { return now.Sub(at) >= quiet })
	for job, in := range b.standIns.of {
		if seen[job] || in.busy {
			in.missed = 0
		} else if in.missed++; in.missed > mostMissed {
			b.endStandIn(in) // Slurm has lost it: the job has another number when it begins
		}
	}
	b.askAfter(now)
	b.lineUpAnew()
	return others
}

// runsAs are the numbers of runs in Slurm, by job. The lock is held.
func (b *Backend) runsAs() map[int64]int64 {
	ids := map[int64]int64{}
	for key, r := range b.runs {
		if r.ID != 0 && !r.state.over() {
			ids[key.job] = r.ID
		}
	}
	return ids
}

// answersAgain has all who wait asked for a stand-in, once it is seen which ones Slurm has lost. The
// lock is held.
func (b *Backend) answersAgain() { b.standIns.due = mostMissed + 2 }

// lineUpAnew does that when it is due. The lock is held.
func (b *Backend) lineUpAnew() {
	if b.standIns.due == 0 {
		return
	}
	if b.standIns.due--; b.standIns.due == 0 && b.cfg.Line != nil {
		b.going.Go(func() { b.cfg.Line.LineUp(b.ctx) })
	}
}

// mostMissed is in how many listings Slurm may not have a stand-in that it has.
const mostMissed = 3

// comingAs reports whether a stand-in with such a comment is being handed in. The lock is held.
func (b *Backend) comingAs(comment string) bool {
	mark, _, _ := strings.Cut(comment, " ") // what follows is its user's
	return b.standIns.coming[mark]
}

// seeStandIn sees to one that Slurm lists, and whose job runs there as another or not at all (0).
// The lock is held.
func (b *Backend) seeStandIn(in *standIn, j *client.Job, runs int64) {
	switch {
	case in.busy:
	case runs != 0 && runs != in.ID: // it began before its stand-in was there
		b.endStandIn(in)
	case j.State == client.Cancelled:
		in.busy = true
		b.going.Go(func() {
			defer b.atRest(in)
			_ = b.withdraw(b.ctx, in) // it is said there
		})
	case j.State != client.Pending || !j.Held: // somebody has let it go, who was not to
		b.cfg.Log.Warn("a job that waits in the market was let go in Slurm, and is ended there", "job", in.job, "slurm", in.ID, "state", j.State)
		b.endStandIn(in)
	}
}

// How often the market is asked what has become of a job that waits, and of how many at a time.
const (
	askEach = 5 * time.Second
	askMost = 200
)

// askAfter ends those whose jobs have ended in the market, as where others that they wait for have
// failed. The lock is held.
func (b *Backend) askAfter(now time.Time) {
	if b.standIns.busy {
		return
	}
	var ask []*standIn
	for _, in := range b.standIns.of {
		if len(ask) < askMost && !in.busy && now.Sub(in.asked) >= askEach {
			in.asked = now
			ask = append(ask, in)
		}
	}
	if len(ask) == 0 {
		return
	}
	b.standIns.busy = true
	b.going.Go(func() {
		for _, in := range ask {
			if over, err := b.cfg.Line.Over(b.ctx, in.job); err == nil && over {
				b.StandDown(in.job)
			}
		}
		b.mu.Lock()
		b.standIns.busy = false
		b.mu.Unlock()
	})
}

// endStray ends a job of the market's that nobody wants. The lock is held.
func (b *Backend) endStray(j *client.Job, now time.Time) {
	if now.Sub(b.strays[j.ID]) < 5*again {
		return
	}
	b.strays[j.ID] = now
	b.cfg.Log.Warn("a job in Slurm that nobody wants is cancelled", "slurm", j.ID, "state", j.State, "comment", j.Comment)
	id := j.ID
	b.call(func() { _ = b.slurm.Cancel(b.ctx, id, true) }) // it is listed again if it did not help
}
