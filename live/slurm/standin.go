package slurm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
// put on a node its stand-in becomes the job of the run; who cancels it cancels the job. That of an
// array has all its elements: who cancels one of them has cancelled that alone.

// Line is where jobs of the market wait.
type Line interface {
	// LineUp asks for a stand-in for everybody who waits.
	LineUp(ctx context.Context)
	// Over reports whether a job has ended, begun or not.
	Over(ctx context.Context, job int64) (bool, error)
	// Withdraw cancels a job that waits, for its user.
	Withdraw(ctx context.Context, job int64, user string) error
	// Only takes all elements but some out of an array that waits, for its user.
	Only(ctx context.Context, job int64, user string, elements []int) error
}

// standIn is one of them, as it is noted.
type standIn struct {
	ID        int64  `json:"id"` // in Slurm
	User      string `json:"user"`
	Partition string `json:"partition"`
	QOS       string `json:"qos,omitempty"` // that the job named
	Comment   string `json:"comment"`
	Sum       string `json:"sum"`                // of all that Slurm was told and cannot be told anew
	Elements  int    `json:"elements,omitempty"` // of an array, as many as are left; 0: it is none
	Again     bool   `json:"again,omitempty"`    // its user has put it back: it has run, and Sum is of what Slurm sets aside for it

	job    int64
	since  time.Time // when it was handed in, by this backend
	asked  time.Time // when the market was last asked what has become of the job
	missed int       // listings that did not have it, one after the other
	busy   bool      // it ends, or becomes another's
}

// standIns are all of them.
type standIns struct {
	of      map[int64]*standIn  // by job of the market
	job     map[int64]int64     // by number in Slurm
	coming  map[string]bool     // by comment: being handed in
	gone    map[int64]time.Time // by number in Slurm: since when they are the job of a run; a listing may be older
	open    bool                // the backend runs
	busy    bool                // the market is being asked
	exits   chan struct{}       // jobs that are cancelled in the market at a time
	listing listing
	due     int // listings until all who wait are asked for one anew; 0: they are not
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
		if s.Again {
			b.numbers.renew(s.ID, s.job)
		}
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
		spec.Size != 1 || spec.Optional != nil || spec.Within != "" || guestOf(&spec) != 0 || putBackOf(&spec) != 0 {
		return
	}
	if spec.Len() > 0 && !b.mayStandAsArray(ctx, &spec, partition) {
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
		err = b.standIn(ctx, s, spec.Job, spec.Len())
	}
	b.mu.Lock()
	delete(b.standIns.coming, comment)
	b.mu.Unlock()
	if err != nil {
		b.cfg.Log.Warn("a job that waits is not in Slurm", "job", spec.Job, "error", err)
	}
}

// mayStandAsArray reports whether an array is one of Slurm's while it waits. Before an agent has said
// whether it holds elements together nobody knows: then all who wait are asked for one again.
func (b *Backend) mayStandAsArray(ctx context.Context, spec *task.Spec, partition string) bool {
	most := b.site(ctx, partition).MostElements()
	b.mu.Lock()
	heard := b.cfg.Control == None
	for _, n := range b.nodes {
		heard = heard || n.hello != nil
	}
	if !heard && b.standIns.due == 0 {
		b.answersAgain()
	}
	b.mu.Unlock()
	return heard && b.arraysOf([]task.Spec{*spec}, most)
}

func (b *Backend) standIn(ctx context.Context, s client.Submission, job int64, elements int) error {
	in := &standIn{User: s.User, Partition: s.Partition, QOS: s.QOS, Comment: s.Comment, Sum: sumOf(s), Elements: elements, job: job}
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
	in.since = b.cfg.Now()
	b.standIns.of[job], b.standIns.job[in.ID] = in, job
	return nil
}

// laterOn is what Slurm is told of a task whose node is not known yet, or of an array whose one task
// would run all its elements: how many run at a time is not known either.
func (b *Backend) laterOn(spec task.Spec, comment, partition string) (client.Submission, error) {
	if spec.Len() > 0 {
		return b.describe([]task.Spec{elementOf(spec)}, nil, comment, partition, spanned([]task.Spec{spec}))
	}
	spec.Nodes = []string{nowhereYet}
	return b.describe([]task.Spec{spec}, nil, comment, partition, "")
}

// sumOf tells two submissions apart by what Slurm cannot be told anew of a job that it has.
func sumOf(s client.Submission) string {
	s.Comment, s.Nodes, s.Limit = "", nil, 0
	if s.Array != "" {
		s.Array = "some" // of those that it has not all may run
	}
	text, err := json.Marshal(&s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
