package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// What is kept of a refused job says the same as the answer: the number that binds.
func TestARefusedJobSaysWhatItWasTold(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	few := int64(1)
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 60_000, Budget: &few})
	if o.Refusal == nil {
		t.Fatal("it was taken")
	}
	if kept := f.all[o.Job.ID].Detail; kept != o.Refusal.Detail || kept == trade.RefusalText(market.CannotMeetBudget) {
		t.Errorf("the answer is %q, and what is kept %q", o.Refusal.Detail, kept)
	}
}

// What would not fit an empty cluster is not blamed on others, though there are some.
func TestAnArrayThatCouldNeverFitIsToldSo(t *testing.T) {
	f := openLive(t, "libra", 2, nil)
	f.submit(alice, trade.Request{EstimateMS: 1_000})
	for _, c := range []struct {
		array trade.Array
		want  string
	}{
		{trade.Array{First: 1, Last: 9}, "it takes 50s even with processors to itself, and its deadline is in 45s"},
		{trade.Array{First: 1, Last: 5, Limit: 1}, "it takes 50s even with processors to itself, and its deadline is in 45s"},
	} {
		o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 45_000, Array: &c.array})
		if o.Refusal == nil || o.Refusal.Detail != c.want {
			t.Errorf("%+v: %+v, want %q", c.array, o.Refusal, c.want)
		}
	}
}

// The word for programs and the sentence for people name one constraint, the one that
// binds: a policy that looks at the budget first says so where no budget would help.
func TestARefusalNamesOneConstraint(t *testing.T) {
	for _, c := range []struct {
		name, reason, want string
		busy               bool
		request            trade.Request
	}{
		{"never in time, whatever it pays", "cannot_meet_deadline", "it takes 50s even with processors to itself, and its deadline is in 45s", false, trade.Request{EstimateMS: 50_000, DeadlineMS: 45_000, Budget: budget(1)}},
		{"not beside others, whatever it pays", "cannot_meet_deadline", "it cannot be done within 1m, its deadline, beside what has been promised to others; to be in time it needs processors to itself within 20s", true, trade.Request{EstimateMS: 40_000, DeadlineMS: 60_000, Budget: budget(1)}},
		{"too dear on a busy market", "cannot_meet_budget", "it costs 10.03 ¤, and its budget is 1.00 ¤", true, trade.Request{EstimateMS: 10_000, DeadlineMS: 360_000, Budget: budget(1)}},
	} {
		f := openLive(t, "libra", 1, nil)
		if c.busy {
			f.submit(bob, trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000})
		}
		for _, o := range []trade.Outcome{f.ask(alice, 60, c.request), f.submit(alice, c.request)} {
			if o.Refusal == nil || o.Refusal.Reason != c.reason || o.Refusal.Detail != c.want {
				t.Errorf("%s: %+v, want %s: %s", c.name, o.Refusal, c.reason, c.want)
			}
		}
	}
}

// Who names a budget that is meant as none, and has less, is offered the largest that the
// account can keep.
func TestABudgetBeyondTheAccount(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	has := f.free("lab/alice")
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 60_000, Budget: budget(1_000_000)})
	if o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds || len(o.Refusal.Offers) != 1 {
		t.Fatalf("%+v", o.Refusal)
	}
	offer := o.Refusal.Offers[0]
	if got := market.Money(*offer.Quote.Request.Budget); offer.Change != "budget" || got > has || has-got > market.Unit/100 {
		t.Errorf("%s: of %s", offer.Detail, has)
	}
	if o = f.submit(alice, offer.Quote.Request); o.Refusal != nil {
		t.Errorf("what was offered is refused: %+v", o.Refusal)
	}
}

// A job that is stopped because it cannot pay for more is told what more costs, and what
// there is.
func TestWhoCannotPayForMoreIsToldTheAmounts(t *testing.T) {
	f := openLive(t, "libra", 1, map[string]string{"delta": "0"}) // one a second
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, Budget: budget(14)}).Job.ID
	f.wait(10)
	f.used(task.Key{Job: id}, 10)
	f.wait(1)
	f.used(task.Key{Job: id}, 11)
	if j := f.job(id); j.Detail != "needs more than it estimated: the next 1s cost 1.00 ¤, and its budget of 14.00 ¤ has 0.00 ¤ for that" {
		t.Errorf("%s: %q", j.State, j.Detail)
	}
}

// Nor is it told of its budget where that would do, and what is asked for work has become more than it pays;
// nor that nothing is promised under a policy that promises most things.
func TestWhoGetsNoMoreIsToldWhy(t *testing.T) {
	for _, c := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"price": "posted", "follow": "1", "reserve": "0.1"}, "it pays less than is asked for as much work now"},
		{map[string]string{"price": "posted", "reserve": "0.1"}, "no more can be promised to it now"},
	} {
		f := openUnder(t, "going-rate", 1, c.set)
		id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 30_000, Budget: budget(14)}).Job.ID
		if o := f.submit(bob, trade.Request{EstimateMS: 25_000, DeadlineMS: 35_000, Budget: budget(90)}); o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		f.wait(10)
		f.used(task.Key{Job: id}, 10)
		f.wait(1)
		f.used(task.Key{Job: id}, 11)
		if j := f.job(id); j.Detail != "needs more than it estimated: "+c.want {
			t.Errorf("%s: %q, want %q", j.State, j.Detail, c.want)
		}
	}
}
