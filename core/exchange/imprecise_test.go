package exchange_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// imprecise is 4 s of work that must be done within 20 s, worth 5, and 10 s more
// that are worth half a unit each.
func imprecise() trade.Request {
	return trade.Request{
		EstimateMS: 4_000, DeadlineMS: 20_000, Budget: budget(5), Argv: []string{"solve"},
		Optional: &trade.Optional{WorkMS: 10_000, RateMicros: 500_000, Argv: []string{"refine"}},
	}
}

// part reports that a task is with its optional part, after so much processor
// time in all and for the first part.
func (f *floor) part(key task.Key, seconds, mandatory float64) {
	f.Helper()
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: key, State: task.Running, CPUUS: int64(seconds * 1e6), Part: task.OptionalPart, MandatoryCPUUS: int64(mandatory * 1e6),
	}}}})
}

// An optional part runs when no mandatory one does, until the deadline; the job
// is told to end, has succeeded with what it has, and pays for what was executed.
func TestAnImpreciseJobEndsAtItsDeadline(t *testing.T) {
	f := open(t, "mf-edf", 1)
	r := imprecise()
	r.Optional.WorkMS = 60_000
	o := f.submit(alice, r)
	j := o.Job
	if o.Refusal != nil || j.Price != 5_000_000 || !j.Firm || j.Part != task.MandatoryPart {
		t.Fatalf("%+v, %+v", o.Refusal, j)
	}
	if got := f.free("lab/alice"); got != (1000-5-30)*market.Unit {
		t.Errorf("free %s: both parts are to be held", got)
	}
	order := f.x.Orders("n1")[0]
	if order.CPU != 1 || order.Spec.Optional == nil || order.Spec.Optional.Argv[0] != "refine" {
		t.Fatalf("%+v", order)
	}
	f.wait(3)
	f.part(order.Spec.Key, 3, 3) // a second sooner than estimated
	if j := f.job(j.ID); j.Part != task.OptionalPart || j.MandatoryUS != f.now || j.Work != 3000 {
		t.Fatalf("%+v", j)
	}

	f.wait(2)
	second := f.submit(bob, trade.Request{EstimateMS: 5_000, DeadlineMS: 10_000, Budget: budget(20)})
	if second.Refusal != nil {
		t.Fatalf("%+v", second.Refusal)
	}
	for _, o := range f.x.Orders("n1") {
		if want := float64(o.Spec.Job - 1); o.CPU != want {
			t.Errorf("job %d has %v of the processor beside a mandatory part", o.Spec.Job, o.CPU)
		}
	}
	f.wait(5)
	f.end(task.Key{Job: 2}, 5, 0)
	f.wait(2)
	f.part(order.Spec.Key, 7, 3)
	e, _ := f.x.Explain(j.ID)
	if e.Part != task.OptionalPart || e.OptionalMS != 4000 || e.Optional != 2_000_000 || e.CostNow != 7_000_000 {
		t.Errorf("%+v", e)
	}

	f.wait(8) // the deadline
	stopping := f.job(j.ID)
	orders := f.x.Orders("n1")
	if stopping.State != trade.Stopping || len(orders) != 1 || orders[0].Stop != task.Terminate {
		t.Fatalf("%+v %+v", stopping, orders)
	}
	f.wait(1)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: order.Spec.Key, State: task.Ended, Signal: "SIGTERM", CPUUS: 15_900_000, Part: task.OptionalPart, MandatoryCPUUS: 3_000_000,
	}}}})
	done := f.job(j.ID)
	if done.State != trade.Completed || done.EndedUS != done.DueUS || done.Penalty != 0 {
		t.Fatalf("%+v", done)
	}
	// 2 s before the other job, 2 and 8 after it; what it took to wind up is not paid.
	if done.OptionalMS != 12_000 || done.Optional != 6_000_000 || done.Charged != 11_000_000 {
		t.Errorf("%d ms for %d of %d", done.OptionalMS, done.Optional, done.Charged)
	}
	lines := done.Receipt.Lines
	if len(lines) != 2 || lines[0].Amount != 5_000_000 || lines[1].Amount != 6_000_000 || !strings.Contains(lines[1].What, "12s of 1m") {
		t.Errorf("%+v", lines)
	}
	if got := f.free("lab/alice"); got != (1000-11)*market.Unit {
		t.Errorf("free %s", got)
	}
	if rec := f.x.Record(); rec.Promised != 2 || rec.Kept != 2 {
		t.Errorf("%+v", rec)
	}
}

// A task that has had all of its optional part is told to end, if somebody has
// measured that; no more is paid.
func TestAnOptionalPartIsLimited(t *testing.T) {
	f := open(t, "mf-hbf", 1)
	f.submit(alice, imprecise())
	key := task.Key{Job: 1}
	f.wait(4)
	f.part(key, 4, 4)
	f.wait(10.5) // it is reckoned to have had all, and may be behind
	if o := f.x.Orders("n1"); len(o) != 1 || o[0].Stop != task.GoOn {
		t.Fatalf("%+v", o)
	}
	f.part(key, 14, 4)
	if o := f.x.Orders("n1"); len(o) != 1 || o[0].Stop != task.Terminate {
		t.Fatalf("%+v", o)
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: key, State: task.Ended, Exit: 1, CPUUS: 14_800_000, Part: task.OptionalPart, MandatoryCPUUS: 4_000_000,
	}}}})
	if j := f.job(1); j.State != trade.Completed || j.Charged != 10_000_000 || j.EndedUS != f.now {
		t.Errorf("%+v", j)
	}
}

// The end of a program that says nothing of parts is the end of its mandatory
// part; a failure before it is a failure.
func TestHowImpreciseJobsEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  task.Status
		state   trade.State
		charged int64
	}{
		{"no optional part at all", task.Status{State: task.Ended, CPUUS: 4e6}, trade.Completed, 5_000_000},
		{"mandatory part fails", task.Status{State: task.Ended, Exit: 1, CPUUS: 4e6, Part: task.MandatoryPart}, trade.Failed, 5_000_000},
		{"optional part fails", task.Status{
			State: task.Ended, Exit: 1, CPUUS: 6e6, Part: task.OptionalPart, MandatoryCPUUS: 4e6,
		}, trade.Completed, 6_000_000},
		{"never started", task.Status{State: task.Refused, Error: "no such user"}, trade.Failed, 5_000_000},
	} {
		f := open(t, "mf-edf", 1)
		f.submit(alice, imprecise())
		f.wait(7)
		c.status.Key = task.Key{Job: 1}
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{c.status}}})
		if j := f.job(1); j.State != c.state || j.Charged != c.charged {
			t.Errorf("%s: %s, %s, charged %d", c.name, j.State, j.Detail, j.Charged)
		}
	}
}

// Who cancels pays for what was done.
func TestImpreciseJobsAreCancelled(t *testing.T) {
	for _, refining := range []bool{false, true} {
		f := open(t, "mf-edf", 1)
		f.submit(alice, imprecise())
		f.wait(2)
		want, last := int64(2_500_000), task.Status{Key: task.Key{Job: 1}, State: task.Ended, Signal: "SIGTERM", CPUUS: 2e6}
		if refining {
			f.part(last.Key, 2, 2)
			f.wait(3)
			want, last.Part, last.MandatoryCPUUS, last.CPUUS = 5_000_000+1_500_000, task.OptionalPart, 2e6, 5.4e6
		}
		f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: 1}})
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{last}}})
		if j := f.job(1); j.State != trade.Cancelled || j.Charged != want {
			t.Errorf("refining %v: %s, charged %d, want %d", refining, j.State, j.Charged, want)
		}
	}
}

// A node that is lost takes the result with it: both parts begin again.
func TestAnImpreciseJobBeginsAgain(t *testing.T) {
	f := open(t, "mf-edf", 1)
	f.enlist("n2", 1)
	f.submit(alice, imprecise())
	f.wait(4)
	f.part(task.Key{Job: 1}, 4, 4)
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1"}})
	j := f.job(1)
	if o := f.x.Orders("n2"); j.Part != task.MandatoryPart || j.MandatoryUS != 0 || len(o) != 1 || o[0].Spec.Attempt != 1 || o[0].CPU != 1 {
		t.Fatalf("%+v %+v", j, f.x.Orders("n2"))
	}
	f.wait(4)
	f.part(task.Key{Job: 1, Attempt: 1}, 4, 4)
	f.wait(12)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: task.Key{Job: 1, Attempt: 1}, State: task.Ended, Signal: "SIGTERM", CPUUS: 14e6, Part: task.OptionalPart, MandatoryCPUUS: 4e6,
	}}}})
	if j := f.job(1); j.State != trade.Completed || j.Charged != 10_000_000 {
		t.Errorf("%+v", j)
	}
}

// A mandatory part that needs more than it said gets it for nothing where nobody
// is hurt, and is stopped where somebody would be.
func TestAMandatoryPartOverruns(t *testing.T) {
	f := open(t, "mf-edf", 1)
	f.submit(alice, imprecise())
	f.wait(4)
	f.used(task.Key{Job: 1}, 4)
	if j := f.job(1); len(j.Extensions) != 1 || j.Extensions[0].Price != 0 || j.State != trade.Running {
		t.Fatalf("%+v", j)
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 10_900, Budget: budget(50)}); o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	f.wait(10)
	f.end(task.Key{Job: 2}, 10, 0)
	f.wait(1)
	f.used(task.Key{Job: 1}, 5)
	if j := f.job(1); len(j.Extensions) != 2 {
		t.Fatalf("%+v", j)
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 3_000, DeadlineMS: 4_000, Budget: budget(50)}); o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	f.wait(3)
	f.end(task.Key{Job: 3}, 3, 0)
	f.wait(1.5)
	f.used(task.Key{Job: 1}, 6)
	if j := f.job(1); j.State != trade.Stopping || j.Reason != trade.ReasonOverrun {
		t.Errorf("%+v", j)
	}
}

// A job of two processors is two tasks, each with both parts.
func TestImpreciseTasksAdvanceApart(t *testing.T) {
	f := open(t, "mf-edf", 2)
	r := imprecise()
	r.Processors = 2
	if o := f.submit(alice, r); o.Job == nil || o.Job.Held != 15_000_000 {
		t.Fatalf("%+v", o)
	}
	f.wait(4)
	f.part(task.Key{Job: 1}, 4, 4)
	if j := f.job(1); j.Part != task.MandatoryPart {
		t.Errorf("one of two is done, and all are said to be")
	}
	f.wait(2)
	f.part(task.Key{Job: 1, Rank: 1}, 6, 5.9)
	if j := f.job(1); j.Part != task.OptionalPart || j.Work != 5900 && j.Work != 4000 {
		t.Errorf("%+v", j)
	}
	f.wait(8)
	var last []task.Status
	for rank, took := range []int64{4_000_000, 5_900_000} {
		last = append(last, task.Status{
			Key: task.Key{Job: 1, Rank: rank}, State: task.Ended, Part: task.OptionalPart, MandatoryCPUUS: took, CPUUS: 14_000_000,
		})
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: last}})
	if j := f.job(1); j.State != trade.Completed || j.OptionalMS != 18_100 || j.Charged != 5_000_000+9_050_000 {
		t.Errorf("%d ms, charged %d, %s", j.OptionalMS, j.Charged, j.State)
	}
}

// Whatever is asked and reported, no job pays more than was held for it.
func TestTheOptionalPartNeverCostsMoreThanWasHeld(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := open(t, "mf-edf", 2)
		q := imprecise()
		q.Processors = rapid.IntRange(1, 2).Draw(r, "processors")
		q.Optional.RateMicros = rapid.Int64Range(0, 3_000_000).Draw(r, "rate")
		q.Optional.WorkMS = rapid.Int64Range(1, 40_000).Draw(r, "work")
		o := f.submit(alice, q)
		if o.Refusal != nil {
			r.Fatalf("%+v", o.Refusal)
		}
		for f.x.Underway() > 0 {
			f.wait(rapid.Float64Range(0, 6).Draw(r, "pause"))
			report(f, r)
		}
		j := f.job(1)
		if most := o.Job.Held; j.Charged > most || j.Optional > most-5_000_000 {
			r.Fatalf("held %d, charged %d", most, j.Charged)
		}
		if j.OptionalMS > q.Optional.WorkMS*int64(q.Processors) {
			r.Fatalf("%d ms of %d", j.OptionalMS, q.Optional.WorkMS)
		}
	})
}
