package journal

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// LeaveOut takes out of steps what the facts of the same entry say: a job that came in,
// where the book has it as it came. PutBack puts it there again.
func LeaveOut(steps []Step, f *Facts) {
	f.eachSpec(steps, func(e *Event, known *market.Job) {
		if e.Spec != nil && *e.Spec == *known {
			e.Spec = nil
		}
	})
}

// PutBack makes the steps of an entry whole.
func PutBack(steps []Step, f *Facts) {
	f.eachSpec(steps, func(e *Event, known *market.Job) {
		if e.Spec == nil {
			spec := *known
			e.Spec = &spec
		}
	})
}

// eachSpec goes through what came in with a job that the book of the same entry has.
func (f *Facts) eachSpec(steps []Step, do func(*Event, *market.Job)) {
	if f == nil || f.Book == nil {
		return
	}
	for i := range steps {
		for k := range steps[i].In {
			e := &steps[i].In[k]
			if e.Kind != market.Submitted.String() && e.Kind != market.Reserved.String() {
				continue
			}
			if j := find(f.Book, market.JobID(e.Job)); j != nil {
				do(e, &j.Job)
			}
		}
	}
}

func find(b *book.Facts, id market.JobID) *book.JobState {
	for i := range b.Jobs {
		if b.Jobs[i].ID == id {
			return &b.Jobs[i]
		}
	}
	return nil
}
