package wire_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/wire"
)

// Every element of an array has its place, its file and its end.
func TestElements(t *testing.T) {
	j := v1.Job{ID: 12, Name: "fold", State: v1.Running, StartedUS: 1, Places: []v1.Place{{Node: "n1"}, {Node: "n2"}}}
	j.Request = v1.Request{Processors: 2, Output: "out-%j.%a", Array: &v1.Array{First: 1, Last: 5, Step: 1}}
	j.Tasks = []v1.TaskStatus{
		{Rank: 0, State: v1.TaskEnded, Elements: []v1.TaskElement{{Index: 1, StartedUS: 10, EndedUS: 20}, {Index: 3, Exit: 4}}},
		{Rank: 1, State: v1.TaskRunning, Elements: []v1.TaskElement{{Index: 2, Signal: "SIGKILL", StartedUS: 10, EndedUS: 20}}},
	}
	want := []struct {
		state v1.ElementState
		node  string
	}{{v1.ElementCompleted, "n1"}, {v1.ElementFailed, "n2"}, {v1.ElementFailed, "n1"}, {v1.ElementWaiting, "n2"}, {v1.ElementNotRun, "n1"}}
	got := wire.Elements(&j)
	if len(got) != len(want) {
		t.Fatalf("%d elements: %+v", len(got), got)
	}
	for i, w := range want {
		if e := got[i]; e.Index != i+1 || e.State != w.state || e.Node != w.node || e.Output != "out-12."+string(rune('1'+i)) {
			t.Errorf("element %d: %+v, want %+v", i+1, e, w)
		}
	}
	if e := got[0]; e.Exit == nil || *e.Exit != 0 || e.StartedUS != 10 || e.EndedUS != 20 {
		t.Errorf("the first: %+v", e)
	}
	// Of a task that runs: those that have ended, the one that runs, and those after it.
	j.Tasks[0].State, j.Tasks[0].Elements[1] = v1.TaskRunning, v1.TaskElement{Index: 3, StartedUS: 30}
	got = wire.Elements(&j)
	if e := got[2]; e.State != v1.ElementRunning || e.Exit != nil || e.StartedUS != 30 || e.EndedUS != 0 {
		t.Errorf("the one that runs: %+v", e)
	}
	if got[4].State != v1.ElementWaiting || wire.ElementCounts(got) != "1 completed, 1 failed, 1 running, 2 waiting" {
		t.Errorf("the last is %s, of %s", got[4].State, wire.ElementCounts(got))
	}
	if first := wire.FirstElements(got, 3); first[0].Index != 2 || first[1].Index != 3 || first[2].Index != 1 {
		t.Errorf("three of them: %+v", first)
	}
	j.Tasks[0].State, j.Tasks[0].Elements[1] = v1.TaskEnded, v1.TaskElement{Index: 3, Exit: 4}
	if j.Tasks[1].Elements = nil; wire.Elements(&j)[3].State != v1.ElementUnderway {
		t.Errorf("of a task that says nothing: %+v", wire.Elements(&j)[3])
	}
	j.State = v1.Cancelled
	if e := wire.Elements(&j)[4]; e.State != v1.ElementNotRun {
		t.Errorf("the last of a job that was cancelled: %+v", e)
	}
	j.State, j.StartedUS, j.Places, j.Tasks = v1.Queued, 0, nil, nil
	if all := wire.Elements(&j); len(all) != 5 || all[4].State != v1.ElementWaiting || all[4].Node != "" {
		t.Errorf("of one that waits: %+v", all)
	}
	j.Request.Array.Last = 100_000
	if all := wire.Elements(&j); len(all) != 0 {
		t.Errorf("%d of a hundred thousand that wait", len(all))
	}
}
