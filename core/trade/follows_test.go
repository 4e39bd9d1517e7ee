package trade

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// Whoever waits for the end of another is not content with its beginning, however it waits.
func TestWhoAwaitsTheEnd(t *testing.T) {
	begun := []Begun{{Job: 1, DelayMS: 5}, {Job: 1, DelayMS: 2}, {Job: 1}, {Job: 2, DelayMS: 9}, {Job: 3}}
	for name, r := range map[string]Request{
		"its success": {After: []int64{1}}, "its end": {AfterAny: []int64{1}},
		"its failure": {AfterFailed: []int64{1}}, "its elements": {AfterEach: []int64{1}}, "an element": {AfterElement: []Ahead{{Job: 1, Index: 4}}},
	} {
		if r.AfterBegun = begun; !r.AwaitsEnd(1) || r.AwaitsEnd(2) {
			t.Errorf("%s: of 1 %v, of 2 %v", name, r.AwaitsEnd(1), r.AwaitsEnd(2))
		}
	}
	r := Request{AfterBegun: begun}
	for id, want := range map[int64]int64{1: 1_005_000, 2: 1_009_000, 3: 0, 4: 0} { // of two delays the longer one
		if got := r.NotBefore(id, 1_000_000); got != want {
			t.Errorf("not before %d after job %d, want %d", got, id, want)
		}
	}
}

// Who takes an offer waits for those that are there still, and its quote for all, as before.
func TestWhoIsThereStill(t *testing.T) {
	both := []int64{1, 2}
	quoted := Request{After: both, AfterAny: both, AfterFailed: both, AfterEach: both, AfterBegun: []Begun{{Job: 1}, {Job: 2}}, AfterElement: []Ahead{{Job: 1}, {Job: 2}}}
	r := quoted
	r.Behind(func(id int64) bool { return id == 2 })
	if got := fmt.Sprint(r.After, r.AfterAny, r.AfterFailed, r.AfterEach, r.AfterBegun, r.AfterElement); got != "[2] [2] [2] [2] [{2 0}] [{2 0 false}]" {
		t.Errorf("it waits for %s", got)
	}
	if got := fmt.Sprint(quoted.Follows()); got != "[1 2 1 2 1 2 1 2 1 2 1 2]" {
		t.Errorf("the quote waits for %s", got)
	}
	r.Behind(func(int64) bool { return false })
	if len(r.Follows()) > 0 || r.AfterEach != nil || r.AfterBegun != nil || r.AfterElement != nil {
		t.Errorf("%+v", r)
	}
}

// Who waits for an element goes by that alone, whatever became of the others of its array.
func TestWhoFollowsAnElement(t *testing.T) {
	ended := Settled{Job: 4, State: Failed, Array: true, Good: []int{1, 3}}
	for of, broken := range map[Ahead]bool{
		{Job: 4, Index: 1}: false, {Job: 4, Index: 2}: true, {Job: 4, Index: 9}: true, {Job: 4, Index: 1, Failed: true}: true, {Job: 4, Index: 2, Failed: true}: false, {Job: 5, Index: 2}: false,
	} {
		r := Request{AfterElement: []Ahead{of}}
		if then, why := r.Follow(&ended); then != &r || (why != "") != broken {
			t.Errorf("%+v: %q", of, why)
		}
		if !AsksElements(&r, of.Job) || AsksElements(&r, 3) {
			t.Errorf("%+v: of whom it asks how its elements have ended", of)
		}
	}
	r := Request{AfterElement: []Ahead{{Job: 4, Index: 1}, {Job: 4, Index: 2}}}
	if _, why := r.Follow(&ended); why != "element 2 of job 4, which it was to follow, is not known to have succeeded" {
		t.Error(why)
	}
	if _, why := r.Follow(&Settled{Job: 4, State: Completed}); why != "job 4, of which it was to follow element 1, is no array" {
		t.Error(why)
	}
}

// Elements follow elements of arrays alone: who is no array, or follows none, goes by the end
// of all.
func TestWhatFollowsElementByElement(t *testing.T) {
	array, list := &Array{First: 1, Last: 3}, func(r *Request) string {
		if r.Array == nil {
			return "none"
		}
		return fmt.Sprint(r.Array.List)
	}
	for name, c := range map[string]struct {
		own    *Array
		ended  Settled
		broken bool
		left   string
	}{
		"an array after one that failed":       {array, Settled{State: Failed, Array: true, Good: []int{1, 3}}, false, "[1 3]"},
		"an array after one that succeeded":    {array, Settled{State: Completed, Array: true, Good: []int{1, 2, 3}}, false, "[]"},
		"an array after one of other elements": {array, Settled{State: Completed, Array: true, Good: []int{7}}, true, "[]"},
		"an array after a job that failed":     {array, Settled{State: Failed}, true, "[]"},
		"an array after a job that succeeded":  {array, Settled{State: Completed}, false, "[]"},
		"a job after an array that failed":     {nil, Settled{State: Failed, Array: true, Good: []int{1, 3}}, true, "none"},
		"a job after an array that succeeded":  {nil, Settled{State: Completed, Array: true, Good: []int{1}}, false, "none"},
	} {
		r := Request{Array: c.own, AfterEach: []int64{4}}
		c.ended.Job = 4
		then, broken := r.Follow(&c.ended)
		if (broken != "") != c.broken || list(then) != c.left || len(array.List) > 0 {
			t.Errorf("%s: %q, %s is left", name, broken, list(then))
		}
	}
	r := Request{Array: array, AfterAny: []int64{4}}
	if then, broken := r.Follow(&Settled{Job: 4, State: Failed, Array: true}); then != &r || broken != "" {
		t.Errorf("who waits for any end: %q, %+v", broken, then)
	}
}

// An element has succeeded if all that was said of it is good; one of which nothing was said
// has where all has.
func TestWhichElementsHaveSucceeded(t *testing.T) {
	j := Job{ID: 1, State: Failed, StartedUS: 5, EndedUS: 9, Request: Request{Array: &Array{First: 1, Last: 7}}}
	j.Tasks = []task.Status{
		{Elements: []task.Element{{Index: 1}, {Index: 2, Exit: 1}, {Index: 3, Signal: "KILL"}}},
		{Elements: []task.Element{{Index: 4, Error: "no such file"}, {Index: 5}, {Index: 6}, {Index: 6, Exit: 2}}},
	}
	if s := SettledOf(&j, true); fmt.Sprint(s.Good) != "[1 5]" || !s.Array || s.BeganUS != 5 {
		t.Errorf("%+v", s)
	}
	if s := SettledOf(&j, false); len(s.Good) > 0 || !s.Array {
		t.Errorf("nobody asks for elements: %+v", s)
	}
	j.State, j.StartedUS = Completed, 0
	if s := SettledOf(&j, true); fmt.Sprint(s.Good) != "[1 5 7]" || s.BeganUS != 9 {
		t.Errorf("%+v", s)
	}
}
