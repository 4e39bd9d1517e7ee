package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A node that is closed takes no new jobs and runs on what it has; lost and back it is
// open. Whoever asks for more than the others have is refused.
func TestANodeThatTakesNoNewJobs(t *testing.T) {
	f := open(t, "libra", 1)
	f.enlist("n2", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 40_000}).Job
	on, other := a.Places[0].Node, map[string]string{"n1": "n2", "n2": "n1"}[a.Places[0].Node]
	v := f.do(trade.Command{Node: &trade.NodeChange{Node: on, Door: trade.DoorClosed, Why: "it drains"}}).Node
	if !v.Up || !v.Closed || v.Why != "it drains" {
		t.Errorf("closed: %+v", v)
	}
	for range 3 {
		if b := f.submit(bob, trade.Request{EstimateMS: 1000, DeadlineMS: 40_000}).Job; b.Places[0].Node != other {
			t.Errorf("job %d is on %s, which takes none", b.ID, b.Places[0].Node)
		}
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 39_000, DeadlineMS: 40_000}); o.Refusal == nil {
		t.Errorf("all of a processor was sold: %+v", o.Job)
	}
	f.wait(10)
	f.end(task.Key{Job: a.ID}, 10, 0)
	if j := f.job(a.ID); j.State != trade.Completed || j.Attempt != 0 {
		t.Errorf("it ran before: %+v", j)
	}
	if v = f.do(trade.Command{Node: &trade.NodeChange{Node: on, Door: trade.DoorOpen}}).Node; !v.Up || v.Closed || v.Why != "" {
		t.Errorf("opened: %+v", v)
	}
	if b := f.submit(bob, trade.Request{EstimateMS: 39_000, DeadlineMS: 40_000}).Job; b.Places[0].Node != on {
		t.Errorf("open, and the job is on %s", b.Places[0].Node)
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: other, Door: trade.DoorClosed}})
	f.do(trade.Command{Node: &trade.NodeChange{Node: other, Why: "power"}})
	if v = f.do(trade.Command{Node: &trade.NodeChange{Node: other, Door: trade.DoorOpen}}).Node; v.Up {
		t.Errorf("a node that is lost came back by its door: %+v", v)
	}
	if v = f.do(trade.Command{Node: &trade.NodeChange{Node: other, Up: true}}).Node; !v.Up || v.Closed {
		t.Errorf("lost and back: %+v", v)
	}
}

// Who is refused is told of nodes that take no new jobs, and nothing of others where none does.
func TestARefusalTellsOfClosedNodes(t *testing.T) {
	f := open(t, "libra", 1)
	f.enlist("n2", 1)
	request := trade.Request{EstimateMS: 39_000, DeadlineMS: 40_000}
	f.submit(alice, request)
	refused := func(want string) {
		t.Helper()
		if o := f.submit(bob, request); o.Refusal == nil || o.Refusal.Detail != want {
			t.Errorf("%+v, want %q", o.Refusal, want)
		}
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: trade.DoorClosed, Why: "it drains"}})
	refused("it cannot be done within 40s, its deadline, beside what has been promised to others; node n2 takes no new jobs now; to be in time it needs processors to itself within 1s")
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Door: trade.DoorClosed, Why: "it drains"}})
	refused("it cannot be done within 40s, its deadline; no node takes new jobs now (n1: it drains); to be in time it needs processors to itself within 1s")
	request.DeadlineMS = 0
	refused("no node takes new jobs now (n1: it drains)")
	request.DeadlineMS = 40_000
	f.enlist("n3", 1)
	f.submit(alice, request)
	refused("it cannot be done within 40s, its deadline, beside what has been promised to others; 2 nodes take no new jobs now; to be in time it needs processors to itself within 1s")
	request.DeadlineMS = 39_500
	refused("it cannot be done within 39.5s, its deadline, beside what has been promised to others; 2 nodes take no new jobs now; to be in time it needs processors to itself at once")
}
