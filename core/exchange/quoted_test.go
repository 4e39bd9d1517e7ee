package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Whatever two users do with quotes: (a) together they never have more than they
// were granted; (f) what their quotes keep is bounded for each, is held for, and
// whatever ends untaken after a while has been paid for.
func TestWhateverQuotesAreAskedFor(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		processors := rapid.SampledFrom([]int{2, 8, 40}).Draw(r, "processors")
		f := openUnder(t, rapid.SampledFrom([]string{"libra", "libra-plus", "libra-sla", "edf-bf"}).Draw(r, "policy"), processors, nil)
		granted := 2000 * market.Unit
		var open []trade.Quote
		for range rapid.IntRange(5, 12).Draw(r, "steps") {
			by := rapid.SampledFrom([]trade.Identity{alice, bob}).Draw(r, "by")
			before := f.free(string(ledger.Owner))
			switch rapid.SampledFrom([]string{"ask", "ask", "take", "drop", "wait", "transfer"}).Draw(r, "what") {
			case "ask":
				estimate := rapid.Int64Range(1, 300_000).Draw(r, "estimate")
				o, err := f.try(trade.Command{By: by, Quote: &trade.AskQuote{TTLMS: rapid.Int64Range(1, 600_000).Draw(r, "ttl"), Request: trade.Request{
					EstimateMS: estimate, DeadlineMS: estimate * rapid.Int64Range(1, 10).Draw(r, "deadline"), Processors: rapid.IntRange(1, 3).Draw(r, "width"),
					Budget: budget(rapid.Float64Range(0, 400).Draw(r, "budget")),
				}}})
				if err == nil && o.Quote != nil {
					open = append(open, *o.Quote)
				}
			case "take":
				if len(open) > 0 {
					q := rapid.SampledFrom(open).Draw(r, "quote")
					_, _ = f.try(trade.Command{By: by, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"true"}}}})
				}
			case "drop":
				if len(open) > 0 {
					q := rapid.SampledFrom(open).Draw(r, "quote")
					v, here := f.x.Quote(q.ID)
					_, err := f.try(trade.Command{By: by, Cancel: &trade.Cancel{Quote: q.ID}})
					kept := (f.now - v.MadeUS) * (v.Rent - 1) / (60 * second) // what a minute costs is said rounded up
					if paid := int64(f.free(string(ledger.Owner)) - before); err == nil && here && v.Binding && (paid < min(kept, v.Held) || paid > v.Held) {
						r.Fatalf("%s was dropped for %d, its rent is %d", q.ID, paid, kept)
					}
				}
			case "wait":
				f.wait(rapid.Float64Range(0, 120).Draw(r, "seconds"))
			case "transfer":
				_, _ = f.try(trade.Command{By: by, Money: &trade.MoneyCommand{
					Op: "transfer", From: "lab/" + by.User, To: "lab/alice", Amount: rapid.Int64Range(1, 1e9).Draw(r, "amount"),
				}})
			}
			var have market.Money
			for _, a := range f.x.Accounts("lab") {
				have += market.Money(a.Free + a.Held)
			}
			if have > granted {
				r.Fatalf("users have %s of %s", have, granted)
			}
			if err := f.x.CheckBooks(); err != nil {
				r.Fatal(err)
			}
			keeps := map[string]float64{}
			for _, q := range open {
				if v, here := f.x.Quote(q.ID); here && v.Binding {
					keeps[v.Owner] += v.Keeps
					if v.Held < v.Price {
						r.Fatalf("%+v holds too little", v)
					}
				}
			}
			for user, kept := range keeps {
				if kept > max(1, 0.1*float64(processors))+1e-6 {
					r.Fatalf("%s keeps %v of %d", user, kept, processors)
				}
			}
		}
	})
}

// A quote that binds nobody is there still after a submission on it that makes no sense, and
// gone after one that does.
func TestAMistakeTakesNoQuote(t *testing.T) {
	f := open(t, "fifo", 2)
	q := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: 1000, DeadlineMS: 50_000}}}).Quote
	on := func(after ...int64) error {
		_, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"x"}, AfterAny: after}}})
		return err
	}
	if err := on(999); !errors.Is(err, trade.ErrUnknown) || !strings.Contains(err.Error(), "job 999") {
		t.Errorf("after a job that there is not: %v", err)
	}
	if err := on(); err != nil {
		t.Errorf("after that: %v", err)
	}
	if err := on(); !errors.Is(err, trade.ErrUnknown) || !strings.Contains(err.Error(), "quote") {
		t.Errorf("twice: %v", err)
	}
	f.compare()
	logGivesTheSame(t, f)
}

// A quote that says nothing of what to run keeps no more of a place and an environment than a job
// may have; in a log of form 1, whose program kept it, it is what it was.
func TestAQuoteWithoutAProgramIsBounded(t *testing.T) {
	f := openUnder(t, "libra", 2, nil)
	r := trade.Request{EstimateMS: 1000, DeadlineMS: 9000, Output: strings.Repeat("%j", 1<<19)}
	var wrong *market.FieldError
	if _, err := f.try(trade.Command{By: alice, Quote: &trade.AskQuote{Request: r}}); !errors.As(err, &wrong) || wrong.Field != "output" {
		t.Errorf("%v", err)
	}
	if o, err := f.x.Again(f.now, trade.Command{By: alice, Quote: &trade.AskQuote{Request: r}}, nil); err != nil || o.Quote == nil {
		t.Errorf("of form 1: %v", err)
	}
}
