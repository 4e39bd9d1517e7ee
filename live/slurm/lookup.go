package slurm

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/task"
)

// Number is what Slurm calls an attempt of a job: "" where it has none yet, or it is over
// and the market was told.
func (b *Backend) Number(job int64, attempt int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.runs[runKey{job, attempt}]; r != nil && r.ID != 0 {
		return r.batch()
	}
	if in := b.standIns.of[job]; in != nil { // it waits
		return strconv.FormatInt(in.ID, 10)
	}
	return ""
}

// JobOf is the job of the market that Slurm knows, or knew, under a number. Of a number
// that was given out twice it is the later one.
func (b *Backend) JobOf(ctx context.Context, number int64) (job int64, found bool, err error) {
	b.mu.Lock()
	r := b.byBatch[number]
	waiting, waits := b.standIns.job[number]
	let, went := b.numbers.of[number] // an element of an array, perhaps
	renewed := b.numbers.renewed[number]
	b.mu.Unlock()
	switch {
	case r != nil && (!r.state.over() || !waits && renewed == 0): // else it was put back
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
