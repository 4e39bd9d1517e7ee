package dispatch_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
)

// A node that sells 0.9 of what its processors do gives a grant of 0.9 with 0.9
// of their time, not with all of it.
func TestQuota(t *testing.T) {
	for _, c := range []struct{ speed, whole, want float64 }{
		{0.5, 1, 0.5},
		{0.5, 2, 0.25},
		{1.8, 2, 0.9},
		{2, 2, 1},
		{2.5, 2, 1},
		{0, 2, 0},
	} {
		if got := dispatch.Quota(c.speed, c.whole); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.speed, c.whole, got, c.want)
		}
	}
}

func order(spec task.Spec, stop task.Stop, whole float64, first dispatch.Slot, more ...dispatch.Slot) task.Order {
	w := dispatch.Wanted(&spec, stop, whole, first, more...)
	return w.Order()
}

// Who is to do nothing is told so, and of whom nothing was said is told nothing.
func TestOrdersOfNobody(t *testing.T) {
	if none := dispatch.Orders([]dispatch.Want{}); none == nil || len(none) != 0 || dispatch.Orders(nil) != nil {
		t.Errorf("%v, %v", none, dispatch.Orders(nil))
	}
}

func TestOrder(t *testing.T) {
	spec := task.Spec{Key: task.Key{Job: 7}, Argv: []string{"a"}}
	for _, c := range []struct {
		name string
		got  task.Order
		want task.Order
	}{
		{
			"one processor", order(spec, task.GoOn, 2, dispatch.Slot{Processor: 3, Speed: 0.5}),
			task.Order{Spec: spec, CPU: 0.25, Weight: 0.25, Processor: 3},
		},
		{
			"threads: the sum of their shares, none more than a processor",
			order(spec, task.Terminate, 2, dispatch.Slot{Processor: 3, Speed: 0.5}, dispatch.Slot{Processor: 5, Speed: 4}, dispatch.Slot{Processor: 6, Speed: 1}),
			task.Order{Spec: spec, CPU: 1.75, Weight: 1.75, Processor: 3, More: []int{5, 6}, Stop: task.Terminate},
		},
		{
			"what stands still has a little of what nobody claims", order(spec, task.Kill, 2, dispatch.Slot{}),
			task.Order{Spec: spec, Weight: 0.01, Stop: task.Kill},
		},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

func TestTasks(t *testing.T) {
	like := task.Spec{
		Key: task.Key{Job: 12, Attempt: 2}, Name: "a/b", User: "alice", Output: "%x-%j-%r-%a.out", Error: "plain", Dir: "/d",
	}
	specs := dispatch.Tasks(like, []string{"n1", "n2"}, func(lane, lanes int) (*task.Span, []int) {
		return dispatch.Lane(&task.Span{First: 5, Step: 2, Count: 5}, lane, lanes), nil
	})
	if len(specs) != 2 {
		t.Fatalf("%d tasks", len(specs))
	}
	for rank, want := range []struct {
		output   string
		elements []int
	}{{"a-b-12-0-%a.out", []int{5, 9, 13}}, {"a-b-12-1-%a.out", []int{7, 11}}} {
		s := specs[rank]
		if s.Key != (task.Key{Job: 12, Rank: rank, Attempt: 2}) || s.Size != 2 || !slices.Equal(s.Nodes, []string{"n1", "n2"}) {
			t.Errorf("rank %d: %+v", rank, s)
		}
		listed := s.Listed()
		if s.Output != want.output || s.Error != "plain" || !slices.Equal(listed.Elements, want.elements) || s.User != "alice" || s.Dir != "/d" {
			t.Errorf("rank %d: %+v", rank, s)
		}
	}
	if specs := dispatch.Tasks(like, []string{"n1"}, nil); specs[0].Len() != 0 || specs[0].Size != 1 {
		t.Errorf("%+v", specs[0])
	}
	if got := dispatch.Lane(&task.Span{First: 3, Count: 2}, 0, 1); *got != (task.Span{First: 3, Step: 1, Count: 2}) {
		t.Errorf("without a step: %v", got)
	}
}

func TestPath(t *testing.T) {
	for pattern, want := range map[string]string{
		"": "", "out": "out", "%j": "12", "%j.%r": "12.3", "%x": "100%j-r", "%a-%q": "%a-%q",
	} {
		if got := dispatch.Path(pattern, 12, 3, "100%j/r"); got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}
