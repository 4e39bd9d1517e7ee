package trade

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/task"
)

// Begun is a job that another waits for to begin, and for how long then: from its start, or
// from its end if it ends without one.
type Begun struct {
	Job     int64 `json:"job"`
	DelayMS int64 `json:"delay_ms,omitempty"`
}

// Ahead is an element of an array that another job waits for: it is to have succeeded, or to have failed. What
// came of it is known when all of its array has ended.
type Ahead struct {
	Job    int64 `json:"job"`
	Index  int   `json:"index"`
	Failed bool  `json:"failed,omitempty"`
}

// Follows are the jobs that one waits for, whatever has to come of them.
func (r *Request) Follows() []int64 {
	ids := slices.Concat(r.After, r.AfterAny, r.AfterFailed, r.AfterEach)
	for _, b := range r.AfterBegun {
		ids = append(ids, b.Job)
	}
	for _, p := range r.AfterElement {
		ids = append(ids, p.Job)
	}
	return ids
}

// AwaitsEnd reports whether a job waits for the end of another; else its beginning will do.
func (r *Request) AwaitsEnd(id int64) bool {
	return slices.Contains(r.After, id) || slices.Contains(r.AfterAny, id) || slices.Contains(r.AfterFailed, id) || AsksElements(r, id)
}

// AsksElements reports whether a job waits for another whose elements are each to have ended in their own way.
func AsksElements(r *Request, id int64) bool {
	return slices.Contains(r.AfterEach, id) || slices.ContainsFunc(r.AfterElement, func(p Ahead) bool { return p.Job == id })
}

// NotBefore is when a job may begin at the earliest that waits for another to have begun,
// which has, or has ended; 0: at any time.
func (r *Request) NotBefore(id, began int64) (at int64) {
	for _, b := range r.AfterBegun {
		if b.Job == id && b.DelayMS > 0 {
			at = max(at, began+b.DelayMS*1000)
		}
	}
	return at
}

// Behind leaves of the jobs that one waits for those that are there still: whoever takes an
// offer has waited for the others.
func (r *Request) Behind(there func(id int64) bool) {
	gone := func(id int64) bool { return !there(id) }
	for _, ids := range []*[]int64{&r.After, &r.AfterAny, &r.AfterFailed, &r.AfterEach} {
		if *ids = slices.DeleteFunc(slices.Clone(*ids), gone); len(*ids) == 0 {
			*ids = nil
		}
	}
	if r.AfterBegun = slices.DeleteFunc(slices.Clone(r.AfterBegun), func(b Begun) bool { return gone(b.Job) }); len(r.AfterBegun) == 0 {
		r.AfterBegun = nil
	}
	if r.AfterElement = slices.DeleteFunc(slices.Clone(r.AfterElement), func(p Ahead) bool { return gone(p.Job) }); len(r.AfterElement) == 0 {
		r.AfterElement = nil
	}
}

// Follow is the request of a job that waited for another, which has ended so: of an array
// that runs element by element after another those whose namesakes have succeeded. It says
// why the job will not run at all; "": it may.
func (r *Request) Follow(ended *Settled) (then *Request, broken string) {
	id, each := ended.Job, slices.Contains(r.AfterEach, ended.Job)
	for _, p := range r.AfterElement {
		if p.Job == id && ended.Array && p.Failed == slices.Contains(ended.Good, p.Index) {
			return r, fmt.Sprintf("element %d of job %d, which %s", p.Index, id, p.Fate())
		} else if p.Job == id && !ended.Array {
			return r, fmt.Sprintf("job %d, of which it was to follow element %d, is no array", id, p.Index)
		}
	}
	switch {
	case ended.State != Completed && (slices.Contains(r.After, id) || each && (r.Array == nil || !ended.Array)):
		return r, fmt.Sprintf("job %d, which it was to follow, is %s", id, ended.State)
	case ended.State == Completed && slices.Contains(r.AfterFailed, id):
		return r, fmt.Sprintf("job %d, which was to fail first, is %s", id, ended.State)
	case !each || r.Array == nil || !ended.Array:
		return r, ""
	}
	left := r.Array.Only(ended.Good)
	switch left {
	case nil:
		return r, fmt.Sprintf("of job %d, whose elements it was to follow, none of the same number is known to have succeeded", id)
	case r.Array:
		return r, ""
	}
	fewer := *r
	fewer.Array = left
	return &fewer, ""
}

// SettledOf is how a job has ended, for those who follow it; what its tasks said of the
// elements of an array is added up for those alone who ask.
func SettledOf(j *Job, each bool) Settled {
	s := Settled{Job: j.ID, Owner: j.Owner, State: j.State, BeganUS: j.StartedUS}
	if s.BeganUS == 0 {
		s.BeganUS = j.EndedUS
	}
	if s.Array = j.Request.Array != nil; !s.Array || !each {
		return s
	}
	bad, said := map[int]bool{}, map[int]bool{}
	for i := range j.Tasks {
		for k := range j.Tasks[i].Elements {
			e := &j.Tasks[i].Elements[k]
			if said[e.Index] = true; !succeeded(e) {
				bad[e.Index] = true
			}
		}
	}
	for i := range j.Request.Array.Len() {
		if index := j.Request.Array.Index(i); !bad[index] && (said[index] || j.State == Completed) { // a node may say of none that all is well
			s.Good = append(s.Good, index)
		}
	}
	return s
}

// succeeded reports whether an element of an array has ended well.
func succeeded(e *task.Element) bool {
	return e.Exit == 0 && e.Signal == "" && e.Error == ""
}

// Fate is what kept a job from running that waited for an element.
func (p Ahead) Fate() string {
	if p.Failed {
		return "was to fail first, has succeeded"
	}
	return "it was to follow, is not known to have succeeded"
}
