package underway

import (
	"fmt"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

var (
	ann   = trade.Identity{User: "ann"}
	owner = trade.Identity{User: "owner", Role: trade.RoleOwner}
)

// bookOf is a book of ann's job 1, which has begun at 50, 2, which has not, and 3, which has
// begun, nobody knows when.
func bookOf() *Book {
	b := NewBook()
	for id, started := range map[int64]int64{1: 50, 2: 0, 3: 0} {
		j := &Job{Job: trade.Job{ID: id, Owner: "ann", StartedUS: started}, Ranks: make([]Rank, 1)}
		j.Ranks[0].Begun = id != 2
		b.Add(j)
	}
	return b
}

// begun is that another has begun, and so many milliseconds more.
func begun(id, delay int64) trade.Begun { return trade.Begun{Job: id, DelayMS: delay} }

// Who follows others waits for those that have not done yet what it waits for, and until the
// last of its times has come. Nobody follows a stranger's job.
func TestWhomANewJobFollows(t *testing.T) {
	settled := []trade.Settled{{Job: 8, Owner: "ann", State: trade.Failed, BeganUS: 70}, {Job: 9, Owner: "bob", State: trade.Completed}}
	for name, c := range map[string]struct {
		r      trade.Request
		by     trade.Identity
		waits  string
		at     int64
		broken bool
		err    bool
	}{
		"one that has begun":                    {r: trade.Request{AfterBegun: []trade.Begun{begun(1, 0)}}, waits: "[]"},
		"and a while after":                     {r: trade.Request{AfterBegun: []trade.Begun{begun(1, 2)}}, waits: "[]", at: 2050},
		"the longest of several":                {r: trade.Request{AfterBegun: []trade.Begun{begun(8, 3), begun(1, 1)}}, waits: "[]", at: 3070},
		"in any order":                          {r: trade.Request{AfterBegun: []trade.Begun{begun(1, 3), begun(8, 1)}}, waits: "[]", at: 3050},
		"one that began nobody knows when":      {r: trade.Request{AfterBegun: []trade.Begun{begun(3, 1)}}, waits: "[]", at: 1100},
		"one that has not begun":                {r: trade.Request{AfterBegun: []trade.Begun{begun(2, 0)}}, waits: "[2]"},
		"the end of one that has begun":         {r: trade.Request{AfterAny: []int64{1}, AfterBegun: []trade.Begun{begun(1, 0)}}, waits: "[1]"},
		"one that has ended, and not as it was": {r: trade.Request{After: []int64{8}, AfterAny: []int64{8}}, waits: "[]", broken: true},
		"one that has ended":                    {r: trade.Request{AfterAny: []int64{8}}, waits: "[]"},
		"a stranger's that has ended":           {r: trade.Request{AfterAny: []int64{9}}, err: true},
		"a stranger's":                          {r: trade.Request{AfterAny: []int64{1}}, by: trade.Identity{User: "bob"}, err: true},
		"the owner, anybody's":                  {r: trade.Request{AfterAny: []int64{1, 9}}, by: owner, waits: "[1]"},
		"one that nobody knows":                 {r: trade.Request{AfterAny: []int64{7}}, err: true},
	} {
		if c.by.User == "" {
			c.by = ann
		}
		f, err := bookOf().Follow(c.by, &c.r, settled, 100)
		if (err != nil) != c.err {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !c.err && (fmt.Sprint(f.Waits) != c.waits || f.BeginUS != c.at || (f.Broken != "") != c.broken) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for f, want := range map[*Following]bool{{}: false, {BeginUS: 100}: false, {BeginUS: 101}: true, {Waits: []int64{1}}: true} {
		if f.Waiting(100) != want {
			t.Errorf("%+v waits: %v", f, f.Waiting(100))
		}
	}
}

// Whom the beginning of another was enough is freed by it, and who waits for the end by that;
// whom nobody keeps back any more, by neither. Whoever waits for a while longer is looked for then.
func TestWhoIsFreed(t *testing.T) {
	b := bookOf()
	for id, r := range map[int64]trade.Request{
		11: {AfterBegun: []trade.Begun{begun(1, 2)}},
		12: {AfterBegun: []trade.Begun{begun(1, 2)}, AfterAny: []int64{1}},
		13: {After: []int64{1}},
		14: {AfterBegun: []trade.Begun{begun(1, 0)}},
		15: {AfterAny: []int64{1}},
		16: {AfterEach: []int64{1}, Array: &trade.Array{First: 1, Last: 2}},
	} {
		j := &Job{Job: trade.Job{ID: id, State: trade.Held, Request: r}, Waits: []int64{1, 2}}
		j.Logged = true
		if id == 14 {
			j.State = trade.Cancelled
		}
		b.Add(j)
	}
	var freed []string
	free := func(j *Job, broken string) {
		freed = append(freed, fmt.Sprintf("%d %v %d %v", j.ID, j.Waits, j.BeginUS, broken != ""))
	}
	first := b.byID[1]
	b.Begun(first, 100, free)
	if got := fmt.Sprint(freed); got != "[11 [2] 2050 false]" {
		t.Errorf("by its beginning: %s", got)
	}
	if at, some := b.begins[0].at, len(b.begins); at != 2050 || some != 1 {
		t.Errorf("%d are looked for, the first at %d", some, at)
	}
	freed, b.byID[15].State = nil, trade.Cancelled
	first.State, first.EndedUS = trade.Failed, 90
	first.Request.Array = &trade.Array{First: 1, Last: 2}
	first.Tasks = []task.Status{{Elements: []task.Element{{Index: 1, Exit: 1}, {Index: 2}}}}
	b.Ended(first, free)
	slices.Sort(freed)
	if got := fmt.Sprint(freed); got != "[12 [2] 2050 false 13 [1 2] 0 true 16 [2] 0 false]" {
		t.Errorf("by its end: %s", got)
	}
	if j := b.byID[16]; fmt.Sprint(j.Request.Array.List) != "[2]" || j.Logged || !b.byID[12].Logged {
		t.Errorf("element by element: %+v; what it asked for is in the log: %v, and of another %v", j.Request.Array, j.Logged, b.byID[12].Logged)
	}
	if len(b.waits[1]) > 0 {
		t.Errorf("%v wait still", b.waits[1])
	}
}
