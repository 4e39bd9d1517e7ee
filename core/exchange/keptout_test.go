package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Those who wait and whose time comes while every node that they may be on is closed wait on, and
// nothing is sold: who is let go by their user, whose time to begin has come, and who follows another.
// They begin when one opens, also in a market that was restored in between; who hands in then is refused.
func TestWhoWaitsWhileEveryNodeIsClosed(t *testing.T) {
	for name, restored := range map[string]bool{"at a stretch": false, "restored": true} {
		f := open(t, "libra", 2)
		f.enlist("n2", 2)
		turn := func(node string, door trade.Door) {
			f.do(trade.Command{Node: &trade.NodeChange{Node: node, Door: door, Why: "partition libra is DOWN in Slurm"}})
		}
		first := f.submit(alice, later(func(*trade.Request) {})).Job
		held := f.submit(alice, later(func(r *trade.Request) { r.Hold = true })).Job.ID
		free := f.submit(alice, later(func(r *trade.Request) { r.Hold, r.DeadlineMS, r.Budget = true, 0, nil })).Job.ID
		timed := f.submit(alice, later(func(r *trade.Request) { r.BeginMS = 5_000 })).Job.ID
		after := f.submit(alice, later(func(r *trade.Request) { r.AfterAny = []int64{first.ID} })).Job.ID
		short := f.submit(alice, later(func(r *trade.Request) { r.Hold, r.DeadlineMS = true, 20_000 })).Job
		gone := f.submit(alice, later(func(r *trade.Request) { r.Hold = true })).Job.ID
		waits := []int64{held, free, timed, after}
		turn("n1", trade.DoorClosed)
		turn("n2", trade.DoorClosed)
		for _, id := range []int64{held, free, short.ID, gone} {
			if o := f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: id}}); o.Job.State != trade.Held || o.Job.OnHold || o.Job.Price != 0 {
				t.Fatalf("%s: it is let go, and %+v", name, o.Job)
			}
		}
		f.wait(6)
		f.end(task.Key{Job: first.ID}, 6, 0)
		for _, id := range waits {
			if e, _ := f.x.Explain(id); f.job(id).State != trade.Held || e.Summary != "waits for a node that takes new jobs" {
				t.Errorf("%s: job %d is %s: %s", name, id, f.job(id).State, e.Summary)
			}
		}
		if o := f.submit(bob, trade.Request{EstimateMS: 1000, DeadlineMS: 90_000}); o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "DOWN") {
			t.Errorf("%s: who comes now is told %+v", name, o.Refusal)
		}
		f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: gone}})
		if at, asked := f.x.Next(); !asked || at != short.DueUS {
			t.Errorf("%s: it wants to be woken at %d, want %d, when a deadline is over", name, at, short.DueUS)
		}
		f.wait(15)
		f.do(trade.Command{Tick: &trade.Tick{}})
		if j := f.job(short.ID); j.State != trade.Rejected || !strings.Contains(j.Detail, "deadline has passed") || j.Charged != 0 {
			t.Errorf("%s: its deadline is over, and it is %s: %s", name, j.State, j.Detail)
		}
		turn("n2", trade.DoorOpen)
		if restored {
			var err error
			if f.x, err = exchange.Restore("test", asJSON(t, f.x.Snapshot())); err != nil {
				t.Fatal(err)
			}
		}
		if at, asked := f.x.Next(); !asked || at > f.now {
			t.Errorf("%s: a node is open, and it wants to be woken at %d, %v", name, at-f.now, asked)
		}
		f.do(trade.Command{Tick: &trade.Tick{}})
		for _, id := range waits {
			if j := f.job(id); j.State != trade.Running || j.Places[0].Node != "n2" {
				t.Errorf("%s: job %d is %s: %s", name, id, j.State, j.Detail)
			}
		}
		if at, asked := f.x.Next(); asked && at <= f.now {
			t.Errorf("%s: it wants to be woken over and over", name)
		}
	}
}

// Nodes that somebody may not be on keep nobody waiting, and let nobody begin. One that is down may
// come back.
func TestWhoseNodesAreClosed(t *testing.T) {
	f := open(t, "libra", 2)
	f.enlist("n2", 2)
	turn := func(node string, door trade.Door) {
		f.do(trade.Command{Node: &trade.NodeChange{Node: node, Door: door}})
	}
	onHold := func(node string) int64 {
		return f.submit(alice, later(func(r *trade.Request) { r.Hold, r.Nodelist = true, []string{node} })).Job.ID
	}
	begin := func(id int64) trade.Job {
		f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: id}})
		return f.job(id)
	}
	one, two, three := onHold("n1"), onHold("n2"), onHold("n1")
	turn("n1", trade.DoorClosed)
	if j := begin(one); j.State != trade.Held {
		t.Errorf("its node is closed, and it is %s", j.State)
	}
	if j := begin(two); j.State != trade.Running {
		t.Errorf("its node is open, and it is %s: %s", j.State, j.Detail)
	}
	turn("n2", trade.DoorClosed)
	turn("n2", trade.DoorOpen)
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(one); j.State != trade.Held {
		t.Errorf("another node is open, and it is %s: %s", j.State, j.Detail)
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "power"}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	for _, j := range []trade.Job{f.job(one), begin(three)} {
		if j.State != trade.Held {
			t.Errorf("its node is down, and it is %s: %s", j.State, j.Detail)
		}
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Up: true}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	for _, id := range []int64{one, three} {
		if j := f.job(id); j.State != trade.Running {
			t.Errorf("its node is back, and open, and it is %s: %s", j.State, j.Detail)
		}
	}
}

// Who hands in to wait while every node is closed waits, unpriced, as one does who waited before; it begins
// when a node opens.
func TestWhoComesToWaitWhileEveryNodeIsClosed(t *testing.T) {
	f := open(t, "libra", 2)
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Door: trade.DoorClosed, Why: "partition libra is DOWN in Slurm"}})
	held := f.submit(alice, later(func(r *trade.Request) { r.Hold = true })).Job
	timed := f.submit(alice, later(func(r *trade.Request) { r.BeginMS = 2_000 })).Job
	if held.State != trade.Held || timed.State != trade.Held || held.Price != 0 {
		t.Fatalf("%+v, %+v", held, timed)
	}
	f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: held.ID}})
	f.wait(3)
	f.do(trade.Command{Tick: &trade.Tick{}})
	for _, id := range []int64{held.ID, timed.ID} {
		if j := f.job(id); j.State != trade.Held || j.Price != 0 {
			t.Errorf("job %d is %s: %s", id, j.State, j.Detail)
		}
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Door: trade.DoorOpen}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	for _, id := range []int64{held.ID, timed.ID} {
		if j := f.job(id); j.State != trade.Running {
			t.Errorf("job %d is %s: %s", id, j.State, j.Detail)
		}
	}
}

// Who is kept out is looked at when any node changes, and there may be thousands: nothing is written down of
// those who are kept out still.
func TestWhoIsKeptOutStillIsNotWrittenDown(t *testing.T) {
	f := open(t, "libra", 2)
	f.enlist("n2", 2)
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Door: trade.DoorClosed}})
	id := f.submit(alice, later(func(r *trade.Request) { r.Hold, r.Nodelist = true, []string{"n1"} })).Job.ID
	f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: id}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	for _, door := range []trade.Door{trade.DoorClosed, trade.DoorOpen} {
		f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: door}})
		if _, err := f.x.Do(f.now, trade.Command{Tick: &trade.Tick{}}); err != nil {
			t.Fatal(err)
		}
		if fx := f.x.Effects(); !fx.Facts.Empty() || len(fx.Jobs) > 0 {
			t.Errorf("another node is %s, and this is written down: %+v", door, fx.Facts)
		}
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Door: trade.DoorOpen}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(id); j.State != trade.Running {
		t.Errorf("its node is open, and it is %s: %s", j.State, j.Detail)
	}
}

// BenchmarkKeptOut is what a change of one node costs while others are closed for which many wait.
func BenchmarkKeptOut(b *testing.B) {
	nodes := roster.New()
	for i := range 1000 {
		nodes.Add(&task.Hello{Node: fmt.Sprintf("n%d", i), Processors: 4, Partition: "shut"})
		nodes.Close(i, "")
	}
	book := underway.NewBook()
	for id := range int64(1000) {
		j := &underway.Job{}
		j.ID, j.State, j.Request.Partition = id+1, trade.Held, "shut"
		book.Add(j)
	}
	for b.Loop() {
		nodes.Close(7, "")
		book.LookAgain()
		for _, id := range book.TakeBegins(1) {
			if !book.KeptOut(book.Find(id), nodes, 1, false) {
				b.Fatal("it is let in")
			}
		}
	}
}
