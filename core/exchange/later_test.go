package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// later is a request of ten seconds within a hundred.
func later(change func(*trade.Request)) trade.Request {
	r := trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000, Budget: budget(30)}
	change(&r)
	return r
}

// A job that may not begin before a time waits until then with its budget held, nothing is
// promised, and its deadline counts from there.
func TestAJobBeginsAtItsTime(t *testing.T) {
	f := open(t, "libra", 2)
	o := f.submit(alice, later(func(r *trade.Request) { r.BeginMS = 60_000 }))
	j := f.job(o.Job.ID)
	if o.Refusal != nil || j.State != trade.Held || j.BeginUS != j.SubmittedUS+60_000_000 || j.DueUS != j.BeginUS+100_000_000 || j.Held == 0 || j.PromisedUS != 0 {
		t.Fatalf("%+v, %+v", o.Refusal, j)
	}
	if at, asked := f.x.Next(); !asked || at != j.BeginUS {
		t.Errorf("it wants to be woken at %d, want %d", at, j.BeginUS)
	}
	e, _ := f.x.Explain(j.ID)
	if e.Summary != "waits for its time to begin, in 1m" {
		t.Errorf("%q", e.Summary)
	}
	f.now += 59_999_000
	f.do(trade.Command{Tick: &trade.Tick{}})
	if got := f.job(j.ID); got.State != trade.Held {
		t.Errorf("too early: %+v", got)
	}
	f.now += 1_000
	f.do(trade.Command{Tick: &trade.Tick{}})
	if got := f.job(j.ID); got.State != trade.Running || !got.Firm || got.PromisedUS != j.DueUS {
		t.Errorf("%+v", got)
	}
	if _, err := f.try(trade.Command{By: alice, Begin: &trade.Begin{Job: j.ID}}); !errors.Is(err, trade.ErrConflict) {
		t.Errorf("a job that is not on hold is released: %v", err)
	}
}

// A job on hold begins when its user says so, and no stranger; one that has to wait for more
// waits on.
func TestAJobOnHold(t *testing.T) {
	f := open(t, "libra", 2)
	first := f.submit(alice, later(func(*trade.Request) {}))
	held := f.submit(alice, later(func(r *trade.Request) { r.Hold = true }))
	both := f.submit(alice, later(func(r *trade.Request) { r.Hold, r.BeginMS, r.AfterAny = true, 30_000, []int64{first.Job.ID} }))
	if held.Job.State != trade.Held || !held.Job.OnHold || both.Job.State != trade.Held {
		t.Fatalf("%+v, %+v", held, both)
	}
	if e, _ := f.x.Explain(held.Job.ID); !strings.Contains(e.Summary, "libra release") {
		t.Errorf("%q", e.Summary)
	}
	if _, err := f.try(trade.Command{By: bob, Begin: &trade.Begin{Job: held.Job.ID}}); !errors.Is(err, trade.ErrUnknown) {
		t.Errorf("bob lets it begin: %v", err)
	}
	f.now += 5_000_000
	o := f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: held.Job.ID}})
	if j := f.job(held.Job.ID); o.Job.State != trade.Running || j.State != trade.Running || j.OnHold || j.DueUS != held.Job.DueUS || j.PromisedUS > j.DueUS {
		t.Errorf("%+v", j)
	}
	o = f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: both.Job.ID}})
	if o.Job.State != trade.Held || o.Job.OnHold {
		t.Errorf("%+v", o.Job)
	}
	f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: held.Job.ID}})
	f.now += 40_000_000
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(both.Job.ID); j.State != trade.Held {
		t.Errorf("%+v", j)
	}
	if _, err := f.try(trade.Command{By: alice, Begin: &trade.Begin{Job: both.Job.ID}}); !errors.Is(err, trade.ErrConflict) {
		t.Errorf("released twice: %v", err)
	}
	waiting := f.submit(alice, later(func(r *trade.Request) { r.Hold = true }))
	if o := f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: waiting.Job.ID}}); o.Job.OnHold || o.Job.Held != 0 {
		t.Errorf("it has ended, and is on hold: %+v", o.Job)
	}
	if _, err := f.try(trade.Command{By: alice, Begin: &trade.Begin{Job: waiting.Job.ID}}); !errors.Is(err, trade.ErrUnknown) {
		t.Errorf("a cancelled job is released: %v", err)
	}
}

// What is said of the deadline of a job that is kept back is true of it.
func TestWhatIsSaidOfADeadlineThatWaits(t *testing.T) {
	f := open(t, "libra", 2)
	said := func(id int64) string {
		e, _ := f.x.Explain(id)
		return strings.Join(e.Because, " ")
	}
	none := f.submit(alice, trade.Request{EstimateMS: 10_000, Hold: true})
	held := f.submit(alice, later(func(r *trade.Request) { r.Hold = true }))
	timed := f.submit(alice, later(func(r *trade.Request) { r.BeginMS = 3_600_000 }))
	if got := said(none.Job.ID); strings.Contains(got, "deadline") {
		t.Errorf("without one: %q", got)
	}
	if got := said(timed.Job.ID); !strings.HasSuffix(got, "its deadline runs from then") {
		t.Errorf("at its time: %q", got)
	}
	if got := said(held.Job.ID); !strings.HasSuffix(got, "its deadline runs from its submission") {
		t.Errorf("on hold: %q", got)
	}
	f.now = held.Job.DueUS + 1
	f.do(trade.Command{Tick: &trade.Tick{}})
	if got := said(held.Job.ID); !strings.HasSuffix(got, "its deadline has passed") {
		t.Errorf("too late: %q", got)
	}
}

// Who may no longer spend from an account lets no job begin there that is on hold; its owner may.
func TestAJobOnHoldOfAnAccountThatIsNoLongerTheirs(t *testing.T) {
	f := open(t, "libra", 2)
	for _, m := range []trade.MoneyCommand{
		{Op: "open", To: "project"}, {Op: "grant", To: "project", Amount: 100 * int64(market.Unit)}, {Op: "bind", To: "project", User: "alice"},
	} {
		f.do(trade.Command{By: owner, Money: &m})
	}
	held := f.submit(alice, later(func(r *trade.Request) { r.Hold, r.Account, r.Budget = true, "project", nil }))
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "unbind", To: "project", User: "alice"}})
	let := trade.Begin{Job: held.Job.ID}
	if _, err := f.try(trade.Command{By: alice, Begin: &let}); !errors.Is(err, trade.ErrForbidden) || f.job(let.Job).State != trade.Held {
		t.Errorf("alice spends what is not hers: %v, %+v", err, f.job(let.Job))
	}
	if o := f.do(trade.Command{By: owner, Begin: &let}); o.Job.State != trade.Running {
		t.Errorf("%+v", o.Job)
	}
}

// Who lets a job begin when it is too late is told that, and how much of its deadline is left.
func TestAJobOnHoldForTooLong(t *testing.T) {
	for wait, words := range map[float64]string{
		200: "its deadline has passed while it waited", 95: "it takes 10s even with processors to itself, and its deadline is in 5s",
	} {
		f := open(t, "libra", 2)
		held := f.submit(alice, later(func(r *trade.Request) { r.Hold = true }))
		f.wait(wait)
		o := f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: held.Job.ID}})
		if o.Job.Reason != market.CannotMeetDeadline.String() || o.Job.Detail != words || o.Job.Held != 0 {
			t.Errorf("after %v s: %s: %s", wait, o.Job.Reason, o.Job.Detail)
		}
	}
}

// What can never be had is refused when it is asked for, not when it would begin; what others
// are in the way of now is not. Nobody quotes what begins later, and a price is that of now.
func TestWhatBeginsLaterIsLookedAt(t *testing.T) {
	f := open(t, "libra", 2)
	for _, r := range []trade.Request{
		later(func(r *trade.Request) { r.Hold, r.Processors = true, 3 }),
		later(func(r *trade.Request) { r.BeginMS, r.Nodelist = 60_000, []string{"n9"} }),
		later(func(r *trade.Request) { r.BeginMS, r.DeadlineMS = 60_000, 9_000 }),
	} {
		if o := f.submit(alice, r); o.Refusal == nil || len(o.Refusal.Offers) > 0 {
			t.Errorf("%+v: %+v", r, o.Refusal)
		}
	}
	f.submit(bob, trade.Request{EstimateMS: 95_000, DeadlineMS: 100_000, Processors: 2})
	soon := later(func(r *trade.Request) { r.BeginMS, r.DeadlineMS, r.Processors = 300_000, 12_000, 2 })
	o := f.submit(alice, soon)
	if o.Refusal != nil || o.Job.State != trade.Held {
		t.Errorf("%+v", o.Refusal)
	}
	var wrong *market.FieldError
	if _, err := f.try(trade.Command{By: alice, Quote: &trade.AskQuote{Request: soon}}); !errors.As(err, &wrong) || wrong.Field != "begin_ms" {
		t.Errorf("%v", err)
	}
	if o, err := f.x.Preview(alice, later(func(r *trade.Request) { r.Hold, r.BeginMS, r.DeadlineMS = true, 5000, 900_000 })); err != nil || o.Quote == nil {
		t.Errorf("%v: %+v", err, o)
	}
}
