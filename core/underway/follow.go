package underway

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/trade"
)

// Following is what a new job has to wait for that is to follow others.
type Following struct {
	Waits   []int64 // those
	BeginUS int64   // and until then
	Broken  string  // not empty: why it will not run
}

// Waiting reports whether there is anything.
func (f *Following) Waiting(now int64) bool { return len(f.Waits) > 0 || f.BeginUS > now }

// Follow sorts out for which of the jobs that a request names it has to wait, and leaves of
// the request what can run after those that have ended.
func (b *Book) Follow(by trade.Identity, r *trade.Request, settled []trade.Settled, now int64) (f Following, err error) {
	for _, id := range r.Follows() {
		if j := b.byID[id]; j != nil && (by.Role == trade.RoleOwner || j.Owner == by.User) {
			switch {
			case !r.AwaitsEnd(id) && j.HasBegun():
				f.BeginUS = max(f.BeginUS, r.NotBefore(id, began(j, now)))
			case !slices.Contains(f.Waits, id):
				f.Waits = append(f.Waits, id)
			}
			continue
		}
		i := slices.IndexFunc(settled, func(s trade.Settled) bool { return s.Job == id })
		if i < 0 || by.Role != trade.RoleOwner && settled[i].Owner != by.User {
			return f, fmt.Errorf("after: job %d: %w", id, trade.ErrUnknown)
		}
		then, broken := r.Follow(&settled[i])
		if broken != "" {
			f.Broken = broken
		}
		*r, f.BeginUS = *then, max(f.BeginUS, r.NotBefore(id, settled[i].BeganUS))
	}
	return f, nil
}

// began is when a job that has begun did, for those who follow it.
func began(j *Job, now int64) int64 {
	if j.StartedUS == 0 {
		return now
	}
	return min(now, j.StartedUS)
}

// Begun tells those who waited for a job that it has begun: those for whom that was all
// there was to wait for of it are freed.
func (b *Book) Begun(begun *Job, now int64, freed func(j *Job, broken string)) {
	var left []int64
	for _, id := range b.waits[begun.ID] {
		switch j := b.byID[id]; {
		case j == nil || j.State != trade.Held:
		case j.Request.AwaitsEnd(begun.ID):
			left = append(left, id)
		default:
			b.goOn(j, begun.ID, began(begun, now))
			freed(j, "")
		}
	}
	if b.waits[begun.ID] = left; len(left) == 0 {
		delete(b.waits, begun.ID)
	}
}

// Ended tells those who waited for a job how it has ended: they are freed, and broken says
// of one that is not to run why; "": it may.
func (b *Book) Ended(ended *Job, freed func(j *Job, broken string)) {
	waiting := b.waits[ended.ID]
	delete(b.waits, ended.ID)
	var how, each *trade.Settled
	for _, id := range waiting {
		j := b.byID[id]
		if j == nil || j.State != trade.Held {
			continue
		}
		to := &how
		if trade.AsksElements(&j.Request, ended.ID) {
			to = &each
		}
		if *to == nil {
			s := trade.SettledOf(&ended.Job, to == &each)
			*to = &s
		}
		then, broken := j.Request.Follow(*to)
		if broken == "" {
			if then != &j.Request { // fewer elements than were asked for: the log says so too
				j.Request, j.Logged = *then, false
			}
			b.goOn(j, ended.ID, (*to).BeganUS)
		}
		freed(j, broken)
	}
}

// goOn lets a job wait no more for another that began then.
func (b *Book) goOn(j *Job, id, began int64) {
	j.Waits = slices.DeleteFunc(j.Waits, func(w int64) bool { return w == id })
	if at := j.Request.NotBefore(id, began); at > j.BeginUS {
		j.BeginUS = at
		b.begins.push(at, j.ID)
	}
}
