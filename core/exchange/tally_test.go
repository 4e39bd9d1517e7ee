package exchange_test

import (
	"cmp"
	"fmt"
	"reflect"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A period's business, from jobs in every state they can be in.
func TestATallyCountsEveryState(t *testing.T) {
	tally := trade.Tally{Reasons: map[string]int64{}}
	for i, state := range trade.States() {
		j := trade.Job{
			State: state, Reason: "why", Price: 10, Charged: int64(i), Penalty: 2, Work: 3000, Width: 2, OptionalMS: 500, EndedUS: 100,
			Request: trade.Request{Budget: budget(0.00003)},
		}
		tally.Count(&j)
		tally.CountPromise(&j, 100)
		j.EndedUS = 101
		tally.CountPromise(&j, 100)
	}
	want := trade.Tally{
		Submitted: 11, Accepted: 10, Rejected: 1, Completed: 1, Failed: 1, Stopped: 1, Lost: 1, Cancelled: 1, Expired: 1, Underway: 4, Promised: 6, Kept: 2, Missed: 4,
		Revenue: 48, Penalties: 12, Offered: 130, Used: 39, Reasons: map[string]int64{"why": 1},
	}
	if !reflect.DeepEqual(tally, want) {
		t.Errorf("got  %+v\nwant %+v", tally, want)
	}
	if ended := tally.Completed + tally.Failed + tally.Stopped + tally.Lost + tally.Cancelled + tally.Expired; ended+tally.Underway != tally.Accepted {
		t.Errorf("%d were accepted, and %d ended", tally.Accepted, ended)
	}
	tally.Rent = 5
	if tally.Close(); tally.Net != 36 || tally.Income != 41 {
		t.Errorf("net %d, income %d", tally.Net, tally.Income)
	}
	rejected := trade.Job{State: trade.Rejected, Price: 7}
	if got := rejected.Offered(); got != 7 {
		t.Errorf("without a budget it offered %d", got)
	}
}

// A job that ends within a reporting interval of its deadline has kept its promise, to
// those who ask how sure one is and to those who count them afterwards.
func TestPromisesAreCountedByOneRule(t *testing.T) {
	f := openUnder(t, "libra", 2, map[string]string{"reporting": "1"})
	for i, late := range []float64{-1, 0.5, 5} {
		o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
		if o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		f.wait(20 + late)
		f.end(task.Key{Job: o.Job.ID}, 9, 0)
		j := f.job(o.Job.ID)
		var tally trade.Tally
		tally.CountPromise(&j, j.InTimeBy())
		if rec := f.x.Record(); rec.Promised != int64(i+1) || j.InTime != (late < 1) || (tally.Kept == 1) != j.InTime || rec.Kept != int64(min(i+1, 2)) {
			t.Errorf("late by %v: %+v, in time %v, %+v", late, rec, j.InTime, tally)
		}
	}
}

// Where a task's output is, by rank, or by element of an array.
func TestWhereOutputIs(t *testing.T) {
	places := []trade.Place{{Node: "a"}, {Node: "a"}, {Node: "b"}, {Node: "b"}}
	plain := trade.Job{ID: 7, Name: "x/y", Owner: "ann", Attempt: 2, Places: places, Request: trade.Request{Output: "%x-%j-%r", Error: "err", Dir: "/d"}}
	threads := plain
	threads.Request.Threads = 2
	array := plain
	array.Request.Array, array.Request.Output = &trade.Array{First: 10, Last: 30, Step: 5}, "%a"
	element := func(n int) *int { return &n }
	for _, c := range []struct {
		job     trade.Job
		rank    int
		element *int
		stderr  bool
		node    string
		file    string
		key     int
		why     string
	}{
		{plain, 0, nil, false, "a", "x-y-7-0", 0, ""},
		{plain, 3, nil, false, "b", "x-y-7-3", 3, ""},
		{plain, 3, nil, true, "b", "err", 3, ""},
		{plain, 4, nil, false, "", "", 0, "rank: want 0 to 3"},
		{plain, -1, nil, false, "", "", 0, "rank: want 0 to 3"},
		{threads, 1, nil, false, "b", "x-y-7-1", 1, ""},
		{threads, 2, nil, false, "", "", 0, "rank: want 0 to 1"},
		{trade.Job{ID: 1, State: trade.Queued}, 0, nil, false, "", "", 0, "job 1 has not started yet, so it has written nothing"},
		{trade.Job{ID: 1, State: trade.Rejected}, 0, nil, false, "", "", 0, "job 1 was refused, so it has written nothing"},
		{trade.Job{ID: 1, State: trade.Cancelled}, 0, nil, false, "", "", 0, "job 1 ended before it had started, so it has written nothing"},
		{array, 0, nil, false, "", "", 0, "element: want one of 10 to 30: each writes a file of its own"},
		{array, 0, nil, true, "a", "err", 0, ""},
		{array, 0, element(10), false, "a", "%a", 0, ""},
		{array, 0, element(20), false, "b", "%a", 2, ""},
		{array, 0, element(30), false, "a", "%a", 0, ""},
		{array, 1, element(5), false, "a", "%a", 1, ""},
		{array, 1, element(10), false, "a", "%a", 0, ""},
	} {
		node, tail, err := trade.Output(&c.job, c.rank, c.element, c.stderr)
		if fmt.Sprint(err) != cmp.Or(c.why, "<nil>") || node != c.node || tail.File != c.file || tail.Key.Rank != c.key {
			t.Errorf("%+v: %s, %+v, %v", c, node, tail, err)
		}
		if err == nil && (tail.Key.Attempt != 2 || tail.User != "ann" || tail.Dir != "/d" || tail.Key.Job != 7) {
			t.Errorf("%+v", tail)
		}
	}
}
