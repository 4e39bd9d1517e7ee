package exchange_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// 10 s by 20 s under libra: half a processor, at 1*10 + 1*10/20 = 10.5. Alone it
// gets all of it. The budget is held, the price is taken, the rest comes back.
func TestAJobIsPromisedRunAndBilled(t *testing.T) {
	f := open(t, "libra", 1)
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000, Budget: budget(15)})
	j := o.Job
	if o.Refusal != nil || j.State != trade.Running || j.Price != 10_500_000 || !j.Firm || j.PromisedUS != f.now+20*second {
		t.Fatalf("%+v, %+v", o.Refusal, j)
	}
	if got := f.free("lab/alice"); got != 985*market.Unit {
		t.Errorf("free %s, want 985: the budget is held", got)
	}
	orders := f.x.Orders("n1")
	if len(orders) != 1 || orders[0].CPU != 1 || orders[0].Spec.User != "alice" || orders[0].Spec.Output != "libra-1.out" {
		t.Fatalf("orders %+v", orders)
	}
	f.wait(10)
	f.end(orders[0].Spec.Key, 10, 0)
	done := f.job(j.ID)
	if done.State != trade.Completed || done.Charged != 10_500_000 || done.Penalty != 0 || done.Receipt == nil {
		t.Fatalf("%+v", done)
	}
	if got := f.free("lab/alice"); got != 989_500_000 {
		t.Errorf("free %s, want 989.5", got)
	}
	if len(f.x.Orders("n1")) != 0 || f.x.Underway() != 0 {
		t.Error("something is left")
	}
}

// A quote keeps its room while others come, and the deadline counts from when
// it is taken.
func TestAQuoteBinds(t *testing.T) {
	f := open(t, "libra", 1)
	q := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}}}).Quote
	if q == nil || !q.Firm || q.Price != 10_500_000 || q.Share != 0.5 {
		t.Fatalf("%+v", q)
	}
	f.wait(5)
	if o := f.submit(bob, trade.Request{EstimateMS: 12_000, DeadlineMS: 20_000}); o.Refusal == nil {
		t.Fatal("bob was given what is kept for alice")
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}); o.Refusal != nil {
		t.Fatalf("bob was refused what is free: %+v", o.Refusal)
	}
	o := f.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"sleep", "1"}}}})
	if o.Refusal != nil || o.Job.Price != q.Price || o.Job.PromisedUS != f.now+20*second || o.Job.State != trade.Running {
		t.Fatalf("%+v %+v", o.Refusal, o.Job)
	}
	for _, order := range f.x.Orders("n1") {
		if order.CPU != 0.5 {
			t.Errorf("%+v", order)
		}
	}
	if _, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID}}); err == nil {
		t.Error("a quote was taken twice")
	}
}

// A quote that nobody takes makes room when it expires.
func TestAQuoteExpires(t *testing.T) {
	f := open(t, "libra", 1)
	q := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{TTLMS: 10_000, Request: trade.Request{EstimateMS: 10_000, DeadlineMS: 10_000}}}).Quote
	if o := f.submit(bob, trade.Request{EstimateMS: 1_000, DeadlineMS: 60_000}); o.Refusal == nil {
		t.Fatal("there is no room beside the quote")
	}
	f.wait(10)
	if o := f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 10_000}); o.Refusal != nil {
		t.Errorf("%+v", o.Refusal)
	}
	if _, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"true"}}}}); err == nil {
		t.Error("an expired quote was taken")
	}
}

// Every counter-offer would be accepted now.
func TestCounterOffersAreAccepted(t *testing.T) {
	for _, policy := range []string{"libra", "libra-plus", "libra-sla", "mf-edf"} {
		f := open(t, policy, 4)
		f.submit(bob, trade.Request{EstimateMS: 30_000, DeadlineMS: 40_000, Processors: 3, Budget: budget(500)})
		asked := trade.Request{EstimateMS: 20_000, DeadlineMS: 25_000, Processors: 4, Budget: budget(25), Argv: []string{"x"}}
		o := f.submit(alice, asked)
		if o.Refusal == nil || len(o.Refusal.Offers) == 0 {
			t.Fatalf("%s: %+v", policy, o.Refusal)
		}
		for _, offer := range o.Refusal.Offers {
			g := open(t, policy, 4)
			g.submit(bob, trade.Request{EstimateMS: 30_000, DeadlineMS: 40_000, Processors: 3, Budget: budget(500)})
			again := g.submit(alice, asked)
			taken := g.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: offer.Quote.ID}})
			if taken.Refusal != nil || again.Refusal == nil {
				t.Errorf("%s: %s was refused: %+v", policy, offer.Detail, taken.Refusal)
			}
		}
	}
}

// Two jobs need half each. The one that takes longer than it said gets more
// only if there is room: there is none beside the other, so it is stopped, and
// the other is in time.
func TestAnOverrunHurtsNobody(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job
	b := f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job
	f.wait(19.9)
	f.used(task.Key{Job: a.ID}, 10)
	stopping := f.job(a.ID)
	if stopping.State != trade.Stopping || stopping.Reason != trade.ReasonOverrun {
		t.Fatalf("%+v", stopping)
	}
	f.end(task.Key{Job: b.ID}, 9.95, 0)
	if other := f.job(b.ID); other.State != trade.Completed || other.Share != 0 {
		t.Errorf("%+v", other)
	}
}

// What is reckoned is not held against a job: one that began late, or whose node
// is not heard of, has not used up its estimate before somebody has measured it.
func TestNobodyOverrunsByReckoning(t *testing.T) {
	f := open(t, "libra", 1)
	f.enlist("n2", 1)
	r := trade.Request{EstimateMS: 10_000, DeadlineMS: 40_000}
	a := f.submit(alice, r).Job
	for _, budget := range []*int64{&a.Price, nil} { // with no money for more, and with as much as there is
		r.Budget = budget
		f.submit(bob, r)
	}
	f.wait(30)
	for id := a.ID; id <= a.ID+2; id++ {
		if j := f.job(id); j.State != trade.Running || !j.Firm || len(j.Extensions) != 0 {
			t.Errorf("%+v", j)
		}
	}
	// The node of the first is lost: it begins again as if nothing had been.
	f.do(trade.Command{Node: &trade.NodeChange{Node: f.job(a.ID).Places[0].Node, Why: "test"}})
	if j := f.job(a.ID); j.State != trade.Lost && (j.State != trade.Running || j.Attempt != 1) || j.Charged != 0 {
		t.Errorf("%+v", j)
	}
}

// Alone, a job that takes longer is given more at the current price, and pays
// for what it used of it.
func TestAnOverrunIsExtended(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 30_000, Budget: budget(20)}).Job
	f.wait(10)
	f.used(task.Key{Job: a.ID}, 10)
	f.wait(0.5)
	j := f.job(a.ID)
	if j.State != trade.Running || len(j.Extensions) != 1 || j.Extensions[0].WorkMS != 1000 || !j.Firm {
		t.Fatalf("%+v", j)
	}
	f.end(task.Key{Job: a.ID}, 10.5, 0)
	done := f.job(a.ID)
	// 1 s more with 20 s left costs 1 + 1/20; half of it was used.
	if want := int64(10_333_333 + 525_000); done.Charged != want || done.State != trade.Completed {
		t.Errorf("charged %d, want %d (%+v)", done.Charged, want, done.Receipt)
	}
}

// What a job has had beyond its estimate before that was measured is paid for
// too, at the same price.
func TestAnOverrunIsPaidFromItsBeginning(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 32_000, Budget: budget(20)}).Job
	f.wait(12)
	f.used(task.Key{Job: a.ID}, 12)
	j := f.job(a.ID)
	// 1 s more with 20 s left costs 1 + 1/20, and so do the 2 s before.
	if len(j.Extensions) != 1 || j.Extensions[0].WorkMS != 3000 || j.Extensions[0].Price != 3_150_000 {
		t.Fatalf("%+v", j.Extensions)
	}
	f.wait(0.5)
	f.end(task.Key{Job: a.ID}, 12.5, 0)
	if done := f.job(a.ID); done.Charged != a.Price+2_625_000 {
		t.Errorf("charged %d, want %d and 2.625 (%+v)", done.Charged, a.Price, done.Receipt)
	}
}

// Whoever chose late goes on without a promise and without a penalty.
func TestALateOverrunGoesOn(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000, Overrun: trade.OverrunLate, PenaltyMicros: 1e6}).Job
	f.submit(bob, trade.Request{EstimateMS: 30_000, DeadlineMS: 60_000})
	f.wait(19)
	f.used(task.Key{Job: a.ID}, 10)
	f.wait(6)
	j := f.job(a.ID)
	if j.State != trade.Running || j.Firm || j.Penalty != 0 {
		t.Fatalf("%+v", j)
	}
	f.end(task.Key{Job: a.ID}, 14, 0)
	if done := f.job(a.ID); done.State != trade.Completed || done.Penalty != 0 {
		t.Errorf("%+v", done)
	}
}

// A lost node breaks a promise: the job begins again, ends late, and the owner
// pays a second's penalty for every second.
func TestABrokenPromiseIsPaidFor(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000, PenaltyMicros: 2e6, Soft: true}).Job
	f.wait(5)
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "test"}})
	if j := f.job(a.ID); j.State != trade.Lost || j.Charged != 0 {
		t.Fatalf("the only node is gone: %+v", j)
	}
	// With a second node it goes on there.
	g := open(t, "libra", 1)
	g.enlist("n2", 1)
	a = g.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000, PenaltyMicros: 2e6}).Job
	g.wait(5)
	g.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "test"}})
	j := g.job(a.ID)
	if j.State != trade.Running || j.Attempt != 1 || j.Places[0].Node != "n2" {
		t.Fatalf("%+v", j)
	}
	g.wait(10) // of which it got only 3
	g.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: a.ID, Attempt: 1}, State: task.Running, CPUUS: 3e6}}}})
	g.wait(7) // 22 s after submission
	g.end(task.Key{Job: a.ID, Attempt: 1}, 10, 0)
	done := g.job(a.ID)
	if done.State != trade.Completed || done.Penalty != 4_000_000 || done.Charged != 10_500_000 {
		t.Errorf("%+v", done)
	}
}

// Jobs that follow others begin when those have succeeded, and are cancelled
// when one has not.
func TestDependencies(t *testing.T) {
	f := open(t, "libra", 2)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000}).Job
	b := f.submit(alice, trade.Request{EstimateMS: 10_000, After: []int64{a.ID}, Budget: budget(50)}).Job
	c := f.submit(alice, trade.Request{EstimateMS: 10_000, After: []int64{a.ID, b.ID}}).Job
	if b.State != trade.Held || c.State != trade.Held || len(f.x.Orders("n1")) != 1 {
		t.Fatalf("%s %s", b.State, c.State)
	}
	f.wait(1)
	f.end(task.Key{Job: a.ID}, 1, 0)
	if got := f.job(b.ID).State; got != trade.Running {
		t.Fatalf("after its predecessor: %s", got)
	}
	f.end(task.Key{Job: b.ID}, 1, 7)
	if got := f.job(b.ID); got.State != trade.Failed || got.Reason != trade.ReasonExit {
		t.Errorf("%+v", got)
	}
	if got := f.job(c.ID); got.State != trade.Cancelled || got.Reason != trade.ReasonDependency {
		t.Errorf("%+v", got)
	}
	if got := f.free("lab/alice"); f.x.Underway() != 0 || got != (1000-10-10)*market.Unit {
		t.Errorf("%d under way, free %s", f.x.Underway(), got)
	}
}

// A job can wait for the end of another, however it ends, or for its failure: of one that
// has ended already, too.
func TestOtherDependencies(t *testing.T) {
	for _, exit := range []int{0, 7} {
		f := open(t, "libra", 2)
		a := f.submit(alice, trade.Request{EstimateMS: 10_000}).Job
		whatever := f.submit(alice, trade.Request{EstimateMS: 10_000, AfterAny: []int64{a.ID}}).Job
		instead := f.submit(alice, trade.Request{EstimateMS: 10_000, AfterFailed: []int64{a.ID}}).Job
		if whatever.State != trade.Held || instead.State != trade.Held || len(f.x.Orders("n1")) != 1 {
			t.Fatalf("they wait: %s %s", whatever.State, instead.State)
		}
		f.wait(1)
		f.end(task.Key{Job: a.ID}, 1, exit)
		if got := f.job(whatever.ID).State; got != trade.Running {
			t.Errorf("exit code %d: after its end: %s", exit, got)
		}
		got := f.job(instead.ID)
		if exit == 0 && (got.State != trade.Cancelled || got.Reason != trade.ReasonDependency || !strings.Contains(got.Detail, "was to fail first")) || exit != 0 && got.State != trade.Running {
			t.Errorf("exit code %d: after its failure: %+v", exit, got)
		}
		settled := []trade.Settled{{Job: a.ID, Owner: alice.User, State: map[bool]trade.State{true: trade.Completed, false: trade.Failed}[exit == 0]}}
		late := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: f.job(instead.ID).Request, Settled: settled}})
		if refused := late.Refusal != nil && late.Refusal.Reason == trade.ReasonDependency; refused != (exit == 0) {
			t.Errorf("exit code %d: when it has ended: %+v", exit, late)
		}
	}
}

// Of a job that waited for another and is then refused nobody hears what would be taken
// instead: it is not looked for, nor kept. Thousands may wait for one.
func TestNothingIsOfferedToNobody(t *testing.T) {
	f := open(t, "libra", 4)
	first := f.submit(alice, trade.Request{EstimateMS: 1000, DeadlineMS: 10_000, Budget: budget(50)}).Job
	f.submit(bob, trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000, Processors: 3, Budget: budget(500)})
	asks := trade.Request{EstimateMS: 10_000, DeadlineMS: 12_000, Processors: 3}
	if o := f.submit(alice, asks); o.Refusal == nil || len(o.Refusal.Offers) == 0 {
		t.Fatalf("nothing was tested: %+v", o.Refusal)
	}
	asks.AfterAny = []int64{first.ID}
	waits := f.submit(alice, asks).Job
	f.end(task.Key{Job: first.ID}, 1, 1)
	if j := f.job(waits.ID); j.State != trade.Rejected {
		t.Fatalf("it is %s", j.State)
	}
	if _, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: fmt.Sprintf("q%da", waits.ID), Request: trade.Request{Argv: []string{"x"}}}}); !errors.Is(err, trade.ErrUnknown) || !strings.Contains(err.Error(), "quote") {
		t.Errorf("an offer that nobody has heard of: %v", err)
	}
	f.compare()
}

// What is offered to a job that followed another, which has ended, can be taken: it has
// waited for that.
func TestAnOfferAfterAnotherJob(t *testing.T) {
	for _, asks := range []trade.Request{{After: []int64{1}}, {AfterAny: []int64{1}}} {
		f := open(t, "libra", 4)
		first := f.submit(alice, trade.Request{EstimateMS: 1000}).Job
		f.end(task.Key{Job: first.ID}, 1, 0)
		f.submit(bob, trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000, Processors: 3, Budget: budget(500)})
		asks.Argv, asks.EstimateMS, asks.DeadlineMS, asks.Processors = []string{"x"}, 10_000, 12_000, 3
		o := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: asks, Settled: []trade.Settled{{Job: first.ID, Owner: alice.User, State: trade.Completed}}}})
		if o.Refusal == nil || len(o.Refusal.Offers) == 0 {
			t.Fatalf("nothing was tested: %+v", o.Refusal)
		}
		taken, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: o.Refusal.Offers[0].Quote.ID}})
		if err != nil || taken.Refusal != nil {
			t.Errorf("%+v %v", taken.Refusal, err)
		}
	}
}

// Ten elements, four at a time: four lanes of three, three, two and two.
func TestAnArrayIsOneJob(t *testing.T) {
	f := open(t, "libra", 4)
	o := f.submit(alice, trade.Request{
		EstimateMS: 1_000, DeadlineMS: 60_000, Budget: budget(10), Array: &trade.Array{First: 1, Last: 10, Limit: 4},
	})
	if o.Refusal != nil || o.Job.Width != 4 {
		t.Fatalf("%+v %+v", o.Refusal, o.Job)
	}
	seen := map[int]bool{}
	for _, order := range f.x.Orders("n1") {
		for i := range order.Spec.Len() {
			seen[order.Spec.Element(i)] = true
		}
	}
	if len(seen) != 10 || !seen[1] || !seen[10] {
		t.Errorf("elements %v", seen)
	}
}

// Who has too little is told so, and nothing is left behind.
func TestShortFunds(t *testing.T) {
	f := open(t, "libra", 1)
	for _, r := range []trade.Request{
		{EstimateMS: 2_000_000, DeadlineMS: 4_000_000, Budget: budget(5000)},
		{EstimateMS: 2_000_000, DeadlineMS: 4_000_000},
	} {
		o := f.submit(alice, r)
		if o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds {
			t.Errorf("%+v", o)
		}
	}
	if f.x.Underway() != 0 || f.free("lab/alice") != 1000*market.Unit {
		t.Error("something is left")
	}
}

// Cancelled half-way, a job owes half its price.
func TestACancelledJobPaysForWhatItHad(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job
	f.wait(5)
	if _, err := f.try(trade.Command{By: bob, Cancel: &trade.Cancel{Job: a.ID}}); err == nil {
		t.Fatal("bob cancelled alice's job")
	}
	f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: a.ID}})
	if o := f.x.Orders("n1"); len(o) != 1 || o[0].Stop != task.Terminate {
		t.Fatalf("%+v", o)
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: a.ID}, State: task.Ended, Signal: "SIGTERM", CPUUS: 5e6}}}})
	if j := f.job(a.ID); j.State != trade.Cancelled || j.Charged != 5_250_000 {
		t.Errorf("%+v", j)
	}
}

// The answer to a submission shows the share that a job begins with, as everyone
// sees it afterwards.
func TestAnswerHasTheFirstShare(t *testing.T) {
	f := open(t, "libra", 1)
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000})
	if len(o.Job.Timeline) != 1 || o.Job.Timeline[0] != (trade.Point{AtUS: f.now, Share: o.Job.Share}) {
		t.Errorf("answered with %+v", o.Job.Timeline)
	}
	if j := f.job(o.Job.ID); !slices.Equal(j.Timeline, o.Job.Timeline) {
		t.Errorf("answered with %+v, then %+v", o.Job.Timeline, j.Timeline)
	}
}

// An offer to a question without a program has none either: it ran "?", and failed.
func TestAnOfferWithoutAProgramRunsNothing(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	o := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: 10_000, DeadlineMS: 5_000}}})
	if o.Refusal == nil || len(o.Refusal.Offers) == 0 {
		t.Fatalf("%+v", o)
	}
	offer := o.Refusal.Offers[0].Quote
	if offer.Request.HasProgram() {
		t.Errorf("it runs %q", offer.Request.Argv)
	}
	if taken, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: offer.ID}}); err == nil {
		t.Errorf("nothing was to run, and was taken: %+v", taken)
	}
	given := trade.Request{Argv: []string{"sleep", "1"}}
	taken, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: offer.ID, Request: given}})
	if err != nil || taken.Job == nil || taken.Job.Request.Argv[0] != "sleep" {
		t.Errorf("%v: %+v", err, taken)
	}
}
