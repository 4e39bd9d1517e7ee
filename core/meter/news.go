package meter

import (
	"iter"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Differ reports whether a measurement differs from what was granted by more
// than measuring does.
func Differ(granted, had, estimate market.Work) bool {
	difference := float64(granted - had)
	return difference >= tolerance(estimate) || -difference >= tolerance(estimate)
}

// tolerance is by how much a measurement must differ to be news.
func tolerance(estimate market.Work) float64 { return min(0.25, max(0.02, float64(estimate)*0.005)) }

// Reading is what an agent says of a task, beside what was known and reckoned.
type Reading struct {
	Says     *task.Status
	Had      market.Work // by what it says
	Before   *Task       // as it was measured before
	Proc     int32
	Reckoned *book.JobStatus
	Optional *market.Work // at most, on this processor; nil: the job has but one part
	Watched  bool         // somebody waits for it to use up its estimate
	Ending   bool         // it was told to end, and has to pay for what it takes until then
	Shared   bool         // its progress is what others are promised beside it
}

// News reports whether a task is not where it was reckoned to be, has gone on to
// its next part, has used up its estimate and nobody has said so, or takes more
// than that though it was told to end.
func (r *Reading) News() bool {
	estimate := r.Reckoned.Estimate
	if r.Optional != nil && (r.Says.Part == task.OptionalPart && !r.Before.Refining || r.allRefined()) {
		return true
	}
	if !r.Before.Refining && r.Watched && (estimate - r.Had).Done() && !(estimate - r.Before.Had).Done() {
		return true
	}
	if r.Ending && !r.Before.Refining && (estimate - r.Had).Done() && r.Had > r.Before.Had {
		return true // it may not be able to pay, however well that was reckoned
	}
	return r.Shared && Differ(r.reckoned(), r.Had, estimate)
}

// allRefined reports whether a measurement says, for the first time, that a task
// has had all of its optional part.
func (r *Reading) allRefined() bool {
	whole := r.Before.Took + *r.Optional
	return r.Before.Refining && (whole - r.Had).Done() && !(whole - r.Before.Had).Done()
}

// reckoned is what a task is taken to have had.
func (r *Reading) reckoned() market.Work {
	s := r.Reckoned
	if r.Optional == nil {
		return s.Estimate - s.Left
	}
	switch t := TaskOn(s, r.Proc); {
	case t == nil:
		return s.Estimate - s.Left
	case t.Refining:
		return t.Took + *r.Optional - t.Left
	default:
		return s.Estimate - t.Left
	}
}

// TaskOn is how the task of a job on a processor stands.
func TaskOn(s *book.JobStatus, proc int32) *book.TaskStatus {
	for i := range s.Tasks {
		if s.Tasks[i].Proc == int(proc) {
			return &s.Tasks[i]
		}
	}
	return nil
}

// HadAll reports whether a job was measured to have had all of its estimate, on
// every processor, or where its tasks advance independently on some. Those that
// have ended, or are past their mandatory part, do not count.
func HadAll(estimate market.Work, independent bool, tasks iter.Seq[*Task]) bool {
	for t := range tasks {
		if t.Status != nil || t.Refining {
			continue
		}
		if enough := (estimate - t.Had).Done(); enough == independent {
			return enough
		}
	}
	return !independent
}

// Ends is how many of a job's tasks have ended: whether all have, whether a node
// could not start one, and the most mandatory work that one of those had.
func Ends(tasks iter.Seq[*Task]) (all, refused bool, most market.Work) {
	all = true
	for t := range tasks {
		if t.Status == nil {
			all = false
			continue
		}
		refused = refused || t.Status.State == task.Refused
		most = max(most, t.Mandatory())
	}
	return all, refused, most
}

// Least is the least mandatory work that one of the tasks that go on has had;
// false where none does.
func Least(tasks iter.Seq[*Task]) (least market.Work, going bool) {
	for t := range tasks {
		if t.Status == nil && (!going || t.Mandatory() < least) {
			least, going = t.Mandatory(), true
		}
	}
	return least, going
}

// Lost reports whether a node lost one of the tasks.
func Lost(tasks iter.Seq[*Task]) bool {
	for t := range tasks {
		if t.Status != nil && (t.Status.State == task.Lost || t.Status.Error == task.LeaseRanOut) {
			return true
		}
	}
	return false
}
