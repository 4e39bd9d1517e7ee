package controller_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Who looks at an array that runs sees how far it is, as its node last said; nothing of
// that is in the log, and a controller that was started again asks for it.
func TestHowFarAnArrayIs(t *testing.T) {
	f := open(t, nil)
	id := f.submit("", trade.Request{EstimateMS: 60_000, Array: &trade.Array{First: 1, Last: 6, Step: 1, Limit: 2}}).Job.ID
	key := f.taskOf("n1", id) // 1, 3, 5
	say := func(node string, lane task.Lane) []task.Told {
		t.Helper()
		lane.Key = key
		return have(f.Report(t.Context(), task.Report{Node: node, Tasks: []task.Status{{Key: key, State: task.Running}}, Lanes: []task.Lane{lane}}))(t).Lanes
	}
	seen := func() string {
		var all []string
		for _, s := range f.job(id).Tasks {
			for _, e := range s.Elements {
				all = append(all, fmt.Sprintf("%d:%d-%d=%d", s.Rank, e.Index, e.EndedUS, e.Exit))
			}
		}
		return strings.Join(all, " ")
	}
	one, three := task.Element{Index: 1, StartedUS: 10, EndedUS: 20, Exit: 4}, task.Element{Index: 3, StartedUS: 20, EndedUS: 30}
	runs := func(index int) *task.Element { return &task.Element{Index: index, StartedUS: 20} }
	want := func(what, then string, told []task.Told, ended int) {
		t.Helper()
		if got := seen(); got != then || ended >= 0 && (len(told) != 1 || told[0].Ended != ended) {
			t.Errorf("%s: shows %q, want %q; the node is told %v", what, got, then, told)
		}
	}
	want("nothing said", "", nil, -1)
	want("one ended", "0:1-20=4 0:3-0=0", say("n1", task.Lane{Ended: []task.Element{one}, Begun: runs(3)}), 1)
	want("said again", "0:1-20=4 0:3-0=0", say("n1", task.Lane{Ended: []task.Element{one}, Begun: runs(3)}), 1)
	want("not its own", "0:1-20=4", say("n1", task.Lane{After: 1, Begun: runs(2)}), 1)
	want("the rest alone", "0:1-20=4 0:3-30=0 0:5-0=0", say("n1", task.Lane{After: 1, Ended: []task.Element{three}, Begun: runs(5)}), 2)
	want("what cannot be next", "0:1-20=4 0:3-30=0 0:5-0=0", say("n1", task.Lane{After: 2, Ended: []task.Element{one, one, one}}), 2)
	f.hello("n2", 4)
	if told := say("n2", task.Lane{Ended: []task.Element{three}}); len(told) != 0 {
		t.Errorf("a node may speak of what another runs: %v", told)
	}
	for e, err := range f.store.Tail(t.Context(), 0) {
		if err != nil || strings.Contains(string(e.Body), `"elements"`) {
			t.Errorf("how far it is stands in the log: %v %s", err, e.Body)
		}
	}
	f.restart()
	f.taskOf("n1", id)
	want("after a restart", "", say("n1", task.Lane{After: 2, Begun: runs(5)}), 0)
	want("told again", "0:1-20=4 0:3-30=0 0:5-0=0", say("n1", task.Lane{Ended: []task.Element{one, three}, Begun: runs(5)}), 2)
}
