package underway

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Book is the jobs under way, and who of them waits for whom.
type Book struct {
	byID  map[int64]*Job
	waits map[int64][]int64 // by job: who waits for it
	parts map[int64]*Job    // those with an optional part
	kept  map[int64]bool    // those who were kept out (KeptOut), and whether they are still

	begins begins
	watch  Watch

	left  int     // jobs that were removed
	met   []*Job  // see Meet
	seats []seat  // by slot of the core: who was met there last
	seen  float64 // so that looking is not left out, there and in Together

	ahead int
}

// seat is a job that the core has on a slot. The next one there has another number.
type seat struct {
	id  int64
	job *Job
}

// NewBook is one without jobs.
func NewBook() *Book {
	return &Book{byID: map[int64]*Job{}, waits: map[int64][]int64{}, parts: map[int64]*Job{}, kept: map[int64]bool{}, watch: Watch{due: map[int64]bool{}, wake: map[int64]int64{}}}
}

// Add takes a job in, and notes for whom it waits.
func (b *Book) Add(j *Job) {
	b.byID[j.ID] = j
	if j.Request.Optional != nil {
		b.parts[j.ID] = j
	}
	for _, id := range j.Waits {
		b.waits[id] = append(b.waits[id], j.ID)
	}
	if j.State == trade.Held && (j.BeginUS > 0 || len(j.Waits) == 0 && !j.OnHold) { // or it was kept out
		b.begins.push(j.BeginUS, j.ID)
	}
}

// Remove forgets a job.
func (b *Book) Remove(id int64) {
	if j := b.byID[id]; j != nil {
		b.stand(j)
	}
	delete(b.byID, id)
	delete(b.parts, id)
	delete(b.kept, id)
	b.watch.leave(id)
	b.left++
}

// Find is the job of a number; nil: it is not under way.
func (b *Book) Find(id int64) *Job { return b.byID[id] }

// Task is the task of a key, if that attempt is under way.
func (b *Book) Task(k task.Key) (*Job, *Rank) {
	j := b.byID[k.Job]
	if j == nil || j.Attempt != k.Attempt || k.Rank < 0 || k.Rank >= j.Placed() {
		return nil, nil
	}
	return j, j.First(k.Rank)
}

// Said is the task that a node speaks of; nil too if it is one of another job or another
// attempt, which had the number in what the store has lost.
func (b *Book) Said(s *task.Status) (*Job, *Rank) {
	j, r := b.Task(s.Key)
	if r == nil || task.Other(s.BornUS, j.Born()) {
		return nil, nil
	}
	return j, r
}

// Len counts them.
func (b *Book) Len() int { return len(b.byID) }

// All goes through them in no order.
func (b *Book) All() iter.Seq[*Job] {
	return func(yield func(*Job) bool) {
		for _, j := range b.byID {
			if !yield(j) {
				return
			}
		}
	}
}

// IDs lists their numbers, in order.
func (b *Book) IDs() []int64 {
	ids := make([]int64, 0, len(b.byID))
	for id := range b.byID {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// InParts lists the jobs with an optional part, in order.
func (b *Book) InParts() []*Job {
	if len(b.parts) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(b.parts), func(x, y *Job) int { return cmp.Compare(x.ID, y.ID) })
}

// NextDue is when the first job has to end that is with its optional part; false: none is.
func (b *Book) NextDue() (next int64, any bool) {
	for _, j := range b.parts {
		if j.State == trade.Running && j.MandatoryUS != 0 && (!any || j.DueUS < next) {
			next, any = j.DueUS, true
		}
	}
	return next, any
}

// Counts are how many there are, by state.
func (b *Book) Counts() map[trade.State]int {
	counts := map[trade.State]int{}
	for _, j := range b.byID {
		counts[j.State]++
	}
	return counts
}
