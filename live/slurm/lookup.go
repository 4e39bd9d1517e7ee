package slurm

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// Standing is how an attempt of a job stands in Slurm, for those who look.
type Standing struct {
	Number    string // what Slurm calls it; "" where it has none yet, or it is over and the market was told
	BegunUS   int64  // when Slurm began it, unix; 0: it has not
	Suspended bool
}

// Stands says how an attempt of a job stands in Slurm.
func (b *Backend) Stands(job int64, attempt int) Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.runs[runKey{job, attempt}]; r != nil && r.ID != 0 {
		return Standing{Number: r.batch(), BegunUS: r.first * 1e6, Suspended: r.suspended()}
	}
	if in := b.standIns.of[job]; in != nil { // it waits
		return Standing{Number: strconv.FormatInt(in.ID, 10)}
	}
	return Standing{}
}

// suspended reports whether Slurm has stopped it where it is; of an array, all that runs of it.
func (r *run) suspended() bool {
	return r.state == running && r.job != nil && r.job.State == client.Suspended
}

// Suspended reports whether Slurm has suspended a job, in whatever attempt.
func (b *Backend) Suspended(job int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.suspends[job]
}

// JobOf is the job of the market that Slurm knows, or knew, under a number. Of a number
// that was given out twice it is the later one.
func (b *Backend) JobOf(ctx context.Context, number int64) (job int64, found bool, err error) {
	b.mu.Lock()
	r := b.byBatch[number]
	goes := r != nil && !r.state.over()
	waiting, waits := b.standIns.job[number]
	let, went := b.numbers.of[number] // an element of an array, perhaps
	renewed := b.numbers.renewed[number]
	b.mu.Unlock()
	switch {
	case goes || r != nil && !waits && renewed == 0: // else it was put back
		return r.key.job, true, nil
	case renewed != 0:
		return renewed, true, nil
	case waits:
		return waiting, true, nil
	case went:
		return let.job, true, nil
	}
	n, found, err := b.notes.Note(ctx, kindJob, strconv.FormatInt(number, 10))
	if err != nil || !found {
		return 0, false, err
	}
	if job, err = strconv.ParseInt(string(n.Body), 10, 64); err != nil {
		return 0, false, fmt.Errorf("note of number %d in Slurm: %w", number, err)
	}
	return job, true, nil
}

// named fills the numbers of jobs under way into the names of their files; of those that
// are over the market has told it. The lock is held.
func (b *Backend) named(tails []task.Tail) []task.Tail {
	tails = slices.Clone(tails)
	for i := range tails {
		t := &tails[i]
		if r := b.runs[runKey{t.Key.Job, t.Key.Attempt}]; r != nil && r.ID != 0 {
			t.File = task.FillPattern(t.File, task.BatchLetter, r.batch())
		}
	}
	return tails
}
