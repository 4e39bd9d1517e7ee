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
		{Rank: 0, Elements: []v1.TaskElement{{Index: 1, StartedUS: 10, EndedUS: 20}, {Index: 3, Exit: 4}}},
		{Rank: 1, Elements: []v1.TaskElement{{Index: 2, Signal: "SIGKILL"}}},
	}
	want := []struct {
		state v1.ElementState
		node  string
	}{{v1.ElementCompleted, "n1"}, {v1.ElementFailed, "n2"}, {v1.ElementFailed, "n1"}, {v1.ElementUnderway, "n2"}, {v1.ElementUnderway, "n1"}}
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
