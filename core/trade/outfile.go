package trade

import (
	"fmt"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Output says where a task of a job under way, or one that ran, writes: the
// node it is on, and what to read there.
func Output(j *Job, rank int, element *int, stderr bool) (node string, tail task.Tail, err error) {
	if programs := j.Programs(); rank < 0 || rank >= programs {
		if programs == 0 {
			return "", tail, noOutput(why(j))
		}
		return "", tail, market.Wrong("rank", fmt.Sprintf("0 to %d", programs-1))
	}
	file := j.Request.Output
	if stderr {
		file = j.Request.Error
	}
	if r := j.Request.Array; r != nil && task.HasPattern(file, 'a') {
		if element == nil {
			return "", tail, market.Wrong("element", fmt.Sprintf("one of %d to %d: each writes a file of its own", r.First, r.Last))
		}
		if i, there := r.Place(*element); len(j.Places) > 0 && there {
			rank = i % len(j.Places) // the lane that runs it
		}
	}
	tail = task.Tail{
		Element: element,
		Key:     task.Key{Job: j.ID, Rank: rank, Attempt: j.Attempt}, User: j.Owner, Dir: j.Request.Dir,
		File: dispatch.Path(file, j.ID, rank, j.Name),
	}
	for i := range j.Tasks { // the batch system of one under way knows it too, and fills it in
		if number := j.Tasks[i].Batch; number != "" {
			tail.File = task.FillPattern(tail.File, task.BatchLetter, number)
		}
	}
	return j.NodeOf(rank), tail, nil
}

// noOutput says that a job has written nothing, and why. To programs there is none.
type noOutput string

func (n noOutput) Error() string { return string(n) }

func (n noOutput) Unwrap() error { return ErrUnknown }

// why says why a job has written nothing that has no processors.
func why(j *Job) string {
	switch {
	case j.State == Rejected:
		return fmt.Sprintf("job %d was refused, so it has written nothing", j.ID)
	case j.State.Final():
		return fmt.Sprintf("job %d ended before it had started, so it has written nothing", j.ID)
	default:
		return fmt.Sprintf("job %d has not started yet, so it has written nothing", j.ID)
	}
}

// NameOutputs names the files that a request writes to where it does not say.
func (r *Request) NameOutputs() {
	if r.Output == "" {
		r.Output = "libra-%j.out"
		if r.Array != nil {
			r.Output = "libra-%j-%a.out"
		} else if r.Procs() > r.PerProgram() {
			r.Output = "libra-%j-%r.out"
		}
	}
	if r.Error == "" {
		r.Error = r.Output
	}
}
