package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// The gain is what the site of 003 tells a broker, and what it refuses by.
func TestQuotesOfImpreciseJobs(t *testing.T) {
	f := open(t, "mf-edf", 1)
	f.submit(alice, imprecise())
	f.wait(4)
	f.part(task.Key{Job: 1}, 4, 4)

	// It would run for 6 of the 10 s that are left to the optional part.
	r := trade.Request{EstimateMS: 12_000, DeadlineMS: 16_000, Budget: budget(2.99)}
	o, err := f.x.Preview(bob, r)
	if err != nil || o.Refusal == nil || o.Refusal.Reason != market.NotWorthIt.String() {
		t.Fatalf("%+v, %v", o, err)
	}
	found := false
	for _, offer := range o.Refusal.Offers {
		found = found || offer.Change == "budget" && *offer.Quote.Request.Budget == 3_010_000
	}
	if !found {
		t.Errorf("no larger budget among %+v", o.Refusal.Offers)
	}
	r.Budget = budget(5)
	q := f.do(trade.Command{By: bob, Quote: &trade.AskQuote{Request: r}}).Quote
	if q == nil || q.Gain != 2_000_000 || !q.Firm || q.Price != 5_000_000 || q.PredictedUS != f.now+12*second {
		t.Fatalf("%+v", q)
	}
	if o := f.do(trade.Command{By: bob, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"x"}}}}); o.Refusal != nil {
		t.Errorf("%+v", o.Refusal)
	}
	more := imprecise()
	more.Argv, more.EstimateMS, more.DeadlineMS = nil, 5_000, 10_000
	o, err = f.x.Preview(alice, more)
	if err != nil || o.Quote != nil || o.Refusal.Reason != market.CannotMeetDeadline.String() || len(o.Refusal.Offers) == 0 {
		t.Fatalf("%+v, %v", o, err)
	}
	if offer := o.Refusal.Offers[0]; offer.Change != "deadline" || offer.Quote.OptionalMost != 5_000_000 {
		t.Errorf("%+v", offer)
	}
}

// Elsewhere an optional part is refused, and never forgotten.
func TestWhoKnowsNoOptionalPartsSaysSo(t *testing.T) {
	f := open(t, "libra", 1)
	if o := f.submit(alice, imprecise()); o.Refusal == nil || o.Refusal.Reason != trade.ReasonImprecise || o.Job.State != trade.Rejected {
		t.Errorf("%+v", o)
	}
	if o, err := f.x.Preview(alice, imprecise()); err != nil || o.Refusal == nil || o.Refusal.Reason != trade.ReasonImprecise {
		t.Errorf("%+v %v", o, err)
	}
	f = open(t, "mf-edf", 1)
	f.do(trade.Command{By: trade.Identity{User: "s1", Role: trade.RoleNode}, Enlist: &task.Hello{
		Node: "s1", Processors: 1, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Runs: "slurm",
	}})
	if o := f.submit(alice, imprecise()); o.Refusal == nil || o.Refusal.Reason != trade.ReasonImprecise {
		t.Errorf("%+v", o)
	}
}

func TestOptionalPartsAreChecked(t *testing.T) {
	for field, spoil := range map[string]func(*trade.Request){
		"optional.work_ms":           func(r *trade.Request) { r.Optional.WorkMS = 0 },
		"optional.rate_micros_per_s": func(r *trade.Request) { r.Optional.RateMicros = 1e17 },
		"optional":                   func(r *trade.Request) { r.DeadlineMS = 0 },
		"optional ":                  func(r *trade.Request) { r.Budget = nil },
		"soft":                       func(r *trade.Request) { r.Soft = true },
		"array":                      func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: 2} },
		"optional.argv":              func(r *trade.Request) { r.Optional.Argv = []string{""} },
	} {
		r := imprecise()
		spoil(&r)
		err := r.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSpace(field)+":") {
			t.Errorf("%q: %v", field, err)
		}
	}
}
