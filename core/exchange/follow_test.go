package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

func (f *floor) says(s task.Status) {
	f.Helper()
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{s}}})
}

// A job can wait for another to begin, and for a while longer: what counts is that a node
// says so, and when it was started; the end of one that never began will do.
func TestAfterTheStartOfAnother(t *testing.T) {
	f := open(t, "fifo", 1)
	first := f.submit(alice, trade.Request{EstimateMS: 30_000}).Job
	second := f.submit(alice, trade.Request{EstimateMS: 30_000}).Job
	asks := func(id, delay int64) *trade.Job {
		return f.submit(alice, trade.Request{EstimateMS: 1000, AfterBegun: []trade.Begun{{Job: id, DelayMS: delay}}}).Job
	}
	at := asks(first.ID, 0)
	soon := asks(first.ID, 60_000)
	never := asks(second.ID, 0)
	both := f.submit(alice, trade.Request{EstimateMS: 1000, AfterBegun: []trade.Begun{{Job: first.ID}}, AfterAny: []int64{first.ID}}).Job
	for _, j := range []*trade.Job{at, soon, never, both} {
		if got := f.job(j.ID).State; got != trade.Held {
			t.Fatalf("job %d is %s before anything has begun", j.ID, got)
		}
	}
	f.wait(5)
	f.says(task.Status{Key: task.Key{Job: first.ID}, State: task.Running, StartedUS: 1, CPUUS: 1_000_000})
	if got := f.job(at.ID).State; got != trade.Queued {
		t.Errorf("after its start: %s", got)
	}
	if got := f.job(soon.ID); got.State != trade.Held || got.BeginUS != f.job(first.ID).StartedUS+60_000_000 {
		t.Errorf("a minute after its start: %s, %d", got.State, got.BeginUS-first.SubmittedUS)
	}
	if e, _ := f.x.Explain(soon.ID); !strings.Contains(fmt.Sprint(e), "its time to begin, in 55s") {
		t.Errorf("it says: %+v", e)
	}
	f.compare() // what waits, and until when, is restored
	f.cancel(second.ID)
	if got := f.job(never.ID).State; got != trade.Queued {
		t.Errorf("after the end of one that never began: %s", got)
	}
	if got := f.job(both.ID).State; got != trade.Held {
		t.Errorf("after its start, but it waits for the end: %s", got)
	}
	late := f.submit(alice, trade.Request{EstimateMS: 1000, AfterBegun: []trade.Begun{{Job: first.ID, DelayMS: 20_000}}}).Job
	if late.State != trade.Held || late.BeginUS != f.job(first.ID).StartedUS+20_000_000 {
		t.Errorf("of one that has begun: %+v", late)
	}
	f.wait(16)
	if got := f.job(late.ID).State; got != trade.Queued {
		t.Errorf("when its time has come: %s", got)
	}
	settled := []trade.Settled{{Job: first.ID, Owner: alice.User, State: trade.Completed, BeganUS: first.SubmittedUS}}
	r := trade.Request{Argv: []string{"x"}, EstimateMS: 1000, AfterBegun: []trade.Begun{{Job: 999}}}
	if _, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Request: r, Settled: settled}}); err == nil {
		t.Error("it waits for one that nobody knows")
	}
}

// Of an array that follows another element by element those run whose namesakes have
// succeeded, and no others; where none has, it does not run.
func TestElementByElement(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, last int
		runs        string // its elements; "": it ends unrun
	}{{"the same", 1, 4, "[1 3 4]"}, {"some of them and others", 3, 9, "[3 4]"}, {"the one that failed", 2, 2, ""}, {"all that succeeded", 3, 4, "[3 4]"}} {
		f := open(t, "libra", 4)
		a := f.submit(alice, trade.Request{EstimateMS: 10_000, Array: &trade.Array{First: 1, Last: 4}}).Job
		b := f.submit(alice, trade.Request{EstimateMS: 10_000, Array: &trade.Array{First: c.first, Last: c.last}, AfterEach: []int64{a.ID}}).Job
		if b.State != trade.Held {
			t.Fatalf("%s: it is %s", c.name, b.State)
		}
		of := func(index int, failed bool) int64 {
			return f.submit(alice, trade.Request{EstimateMS: 10_000, AfterElement: []trade.Ahead{{Job: a.ID, Index: index, Failed: failed}}}).Job.ID
		}
		parts := map[int64]bool{of(1, false): true, of(2, false): false, of(2, true): true, of(1, true): false} // which of them run
		f.wait(1)
		lanes := f.job(a.ID).Width
		for lane := range lanes {
			s := task.Status{Key: task.Key{Job: a.ID, Rank: lane}, State: task.Ended, StartedUS: 1, CPUUS: 1_000_000}
			for i := 1 + lane; i <= 4; i += lanes {
				e := task.Element{Index: i, StartedUS: 1, EndedUS: 2}
				if i == 2 {
					e.Exit, s.Exit = 3, 3
				}
				s.Elements = append(s.Elements, e)
			}
			f.says(s)
		}
		ended := f.job(a.ID)
		if ended.State != trade.Failed {
			t.Fatalf("%s: the first is %s", c.name, ended.State)
		}
		for id, runs := range parts {
			if j := f.job(id); runs != (j.State != trade.Cancelled) || !runs && j.Reason != trade.ReasonDependency {
				t.Errorf("%s: who follows an element, %d, is %s: %s", c.name, id, j.State, j.Detail)
			}
			f.try(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}}) //nolint:errcheck // those that were cancelled are
		}
		got := f.job(b.ID)
		late := f.do(trade.Command{By: alice, Submit: &trade.Submit{
			Request: trade.Request{Argv: []string{"x"}, EstimateMS: 10_000, Array: &trade.Array{First: c.first, Last: c.last}, AfterEach: []int64{a.ID}},
			Settled: []trade.Settled{trade.SettledOf(&ended, true)},
		}})
		if c.runs == "" {
			if got.State != trade.Cancelled || got.Reason != trade.ReasonDependency || late.Refusal == nil || late.Refusal.Reason != trade.ReasonDependency {
				t.Errorf("%s: %s (%s), and %+v", c.name, got.State, got.Detail, late.Refusal)
			}
			continue
		}
		for _, id := range []int64{b.ID, late.Job.ID} {
			var runs []int
			for rank := range 4 {
				for _, o := range f.x.Orders("n1") {
					if o.Spec.Job == id && o.Spec.Rank == rank {
						for i := range o.Spec.Len() {
							runs = append(runs, o.Spec.Element(i))
						}
					}
				}
			}
			if fmt.Sprint(runs) != c.runs {
				t.Errorf("%s: of job %d %v run, want %s", c.name, id, runs, c.runs)
			}
		}
		f.compare()
	}
}
