package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// In a market that is watched who has waited begins when it is let in, and is sold nothing before: whose time to begin has
// come, who follows another, also one that had ended before, and who is let go by its user. They are there for
// who asks, and told what they wait for, also in a market that was restored in between.
func TestWhoHasWaitedIsLetIn(t *testing.T) {
	for name, restored := range map[string]bool{"at a stretch": false, "restored": true} {
		f := open(t, "libra", 4)
		watched := true
		f.do(trade.Command{By: owner, Watch: &trade.Watch{On: &watched}})
		first := f.submit(alice, later(func(*trade.Request) {})).Job
		if first.State != trade.Running {
			t.Fatalf("who has not waited is %s", first.State)
		}
		timed := f.submit(alice, later(func(r *trade.Request) { r.BeginMS = 5_000 })).Job.ID
		after := f.submit(alice, later(func(r *trade.Request) { r.AfterAny = []int64{first.ID} })).Job.ID
		held := f.submit(alice, later(func(r *trade.Request) { r.Hold = true })).Job.ID
		free := f.submit(alice, later(func(r *trade.Request) { r.BeginMS, r.DeadlineMS, r.Budget = 1_000, 0, nil })).Job.ID
		came := f.x.Watch().Came()
		f.wait(6)
		f.end(task.Key{Job: first.ID}, 6, 0)
		late := f.do(trade.Command{By: alice, Submit: &trade.Submit{
			Request: later(func(r *trade.Request) { r.Argv, r.AfterAny = []string{"true"}, []int64{first.ID} }), Settled: []trade.Settled{{Job: first.ID, Owner: alice.User, State: trade.Completed}},
		}}).Job.ID
		f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: held}})
		f.do(trade.Command{Tick: &trade.Tick{}})
		waits := []int64{timed, after, held, free, late}
		if got := f.x.Watch().Due(); len(got) != len(waits) || f.x.Watch().Came() != came+len(waits) {
			t.Errorf("%s: %v want to be let in, and %d have come, want %v", name, got, f.x.Watch().Came()-came, waits)
		}
		for _, id := range waits {
			if e, _ := f.x.Explain(id); f.job(id).State != trade.Held || f.job(id).Price != 0 || e.Summary != "waits for word of whether there is room for it" {
				t.Errorf("%s: job %d is %s: %s", name, id, f.job(id).State, e.Summary)
			}
		}
		f.do(trade.Command{By: owner, Watch: &trade.Watch{Kept: append([]int64{first.ID, 999}, waits...), Why: "room"}})
		if restored {
			var err error
			if f.x, err = exchange.Restore("test", asJSON(t, f.x.Snapshot())); err != nil {
				t.Fatal(err)
			}
			f.do(trade.Command{Tick: &trade.Tick{}})
		}
		if at, asked := f.x.Next(); asked && at <= f.now {
			t.Errorf("%s: it wants to be woken over and over", name)
		}
		for _, id := range waits {
			if e, _ := f.x.Explain(id); e.Summary != "waits for room" || f.job(id).Detail != e.Summary {
				t.Errorf("%s: job %d: %s; %s", name, id, e.Summary, f.job(id).Detail)
			}
			if o := f.do(trade.Command{By: owner, Begin: &trade.Begin{Job: id, Let: true}}); o.Job.State != trade.Running || o.Job.Detail != "" {
				t.Errorf("%s: job %d is let in, and is %s: %s", name, id, o.Job.State, o.Job.Detail)
			}
			if _, err := f.x.Do(f.now, trade.Command{By: owner, Begin: &trade.Begin{Job: id, Let: true}}); err == nil {
				t.Errorf("%s: it is let in twice", name)
			}
		}
		if got := f.x.Watch().Due(); len(got) > 0 {
			t.Errorf("%s: %v want to be let in still", name, got)
		}
	}
}

// Who is not let in waits until its deadline has passed, and is refused then, with what it waited for.
func TestWhoIsNotLetInInTime(t *testing.T) {
	f := open(t, "libra", 2)
	watched := true
	f.do(trade.Command{By: owner, Watch: &trade.Watch{On: &watched}})
	id := f.submit(alice, later(func(r *trade.Request) { r.BeginMS, r.EstimateMS, r.DeadlineMS = 1_000, 4_000, 10_000 })).Job.ID
	f.wait(2)
	f.do(trade.Command{Tick: &trade.Tick{}})
	f.do(trade.Command{By: owner, Watch: &trade.Watch{Kept: []int64{id}, Why: "room within MaxJobs"}})
	due := f.job(id).DueUS
	if at, asked := f.x.Next(); !asked || at != due {
		t.Errorf("it wants to be woken at %d, want %d", at, due)
	}
	f.now = due - 1
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(id); j.State != trade.Held {
		t.Errorf("its deadline has not passed, and it is %s: %s", j.State, j.Detail)
	}
	f.now = due
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(id); j.State != trade.Rejected || j.Charged != 0 || !strings.HasSuffix(j.Detail, "; it waited for room within MaxJobs") {
		t.Errorf("it is %s: %s, for %d", j.State, j.Detail, j.Charged)
	}
	f.wait(20)
	f.do(trade.Command{Tick: &trade.Tick{}})
	if at, asked := f.x.Next(); asked && at <= f.now {
		t.Error("it wants to be woken over and over")
	}
}

// Where nobody looks any more, as in a market that goes on with agents of its own, who waits to be let in begins.
func TestWhoWaitsForNobody(t *testing.T) {
	f := open(t, "libra", 2)
	f.enlist("n2", 2)
	watched, alone := true, false
	f.do(trade.Command{By: owner, Watch: &trade.Watch{On: &watched}})
	id := f.submit(alice, later(func(r *trade.Request) { r.BeginMS = 1_000 })).Job.ID
	shut := f.submit(alice, later(func(r *trade.Request) { r.BeginMS, r.Nodelist = 1_000, []string{"n2"} })).Job.ID
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: trade.DoorClosed}})
	f.wait(2)
	f.do(trade.Command{Tick: &trade.Tick{}})
	if got := f.x.Watch().Due(); len(got) != 1 || got[0] != id {
		t.Errorf("%v want to be let in, want the one whose node is open", got)
	}
	f.do(trade.Command{By: owner, Watch: &trade.Watch{On: &alone}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(id); j.State != trade.Running {
		t.Errorf("it is %s: %s", j.State, j.Detail)
	}
	if j := f.job(shut); j.State != trade.Held {
		t.Errorf("its node is closed, and it is %s", j.State)
	}
	f.do(trade.Command{By: owner, Watch: &trade.Watch{On: &watched}})
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: trade.DoorOpen}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(shut); j.State != trade.Held || len(f.x.Watch().Due()) != 1 {
		t.Errorf("its node is open, and it is %s; %v want to be let in", j.State, f.x.Watch().Due())
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: trade.DoorClosed}})
	if o := f.do(trade.Command{By: owner, Begin: &trade.Begin{Job: shut, Let: true}}); o.Job.State != trade.Held || len(f.x.Watch().Due()) > 0 {
		t.Errorf("it is let in to a node that is closed, and is %s", o.Job.State)
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: trade.DoorOpen}})
	f.do(trade.Command{Tick: &trade.Tick{}})
	if o := f.do(trade.Command{By: owner, Begin: &trade.Begin{Job: shut, Let: true}}); o.Job.State != trade.Running {
		t.Errorf("it is %s: %s", o.Job.State, o.Job.Detail)
	}
}
