package exchange_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// openUnder is a market like that of open, under the rules of a live one and others
// that are named.
func openUnder(t *testing.T, policy string, processors int, set map[string]string) *floor {
	t.Helper()
	f := open(t, policy, processors)
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
		Policy: policy, Settings: epoch.Complete(policy, set, epoch.LiveSettings()),
	}})
	return f
}

func (f *floor) ask(by trade.Identity, ttl float64, r trade.Request) trade.Outcome {
	f.Helper()
	return f.do(trade.Command{By: by, Quote: &trade.AskQuote{TTLMS: int64(ttl * 1000), Request: r}})
}

func minuteJob() trade.Request { return trade.Request{EstimateMS: 60_000, DeadlineMS: 60_000} }

// Two users with a quote each do not close a market of two processors: what all quotes
// together keep is a part of it, and one processor at the least.
func TestQuotesOfManyLeaveSomethingToBuy(t *testing.T) {
	f := openUnder(t, "libra", 2, nil)
	if q := f.ask(alice, 600, minuteJob()).Quote; q == nil || !q.Binding {
		t.Fatalf("the first: %+v", q)
	}
	q := f.ask(bob, 600, minuteJob()).Quote
	if q == nil || q.Binding || !strings.Contains(q.NotBinding, "all open quotes together may keep 1.00 of 2") {
		t.Errorf("the second: %+v", q)
	}
	if o := f.submit(bob, minuteJob()); o.Refusal != nil {
		t.Errorf("there is nothing left to buy: %+v", o.Refusal)
	}
	f = openUnder(t, "libra", 2, map[string]string{"quote_all": "none"})
	f.ask(alice, 600, minuteJob())
	if q := f.ask(bob, 600, minuteJob()).Quote; q == nil || !q.Binding {
		t.Errorf("without the bound: %+v", q)
	}
}

// A binding quote holds its price; what is held backs nothing else; taken, it is
// what is held for the job, and no rent is due.
func TestAQuoteHoldsItsPrice(t *testing.T) {
	f := openUnder(t, "libra", 32, map[string]string{"quote_share": "none"})
	q := f.ask(alice, 60, minuteJob()).Quote
	if q == nil || !q.Binding || q.Held < q.Price || q.Rent == 0 || q.Keeps != 1 {
		t.Fatalf("%+v", q)
	}
	if a, _ := f.x.Account("lab/alice"); a.Held != q.Held || a.Spent != 0 {
		t.Errorf("%+v, the quote holds %d", a, q.Held)
	}
	f.money(trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: "lab/bob", Amount: int64(f.free("lab/alice")) - q.Held/2})
	if o := f.ask(alice, 60, minuteJob()); o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds {
		t.Errorf("one balance backs two quotes: %+v", o)
	}
	f.wait(30)
	o := f.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"true"}}}})
	if o.Job == nil || o.Job.Held != q.Held || o.Job.Price != q.Price {
		t.Fatalf("%+v, %+v", o.Refusal, o.Job)
	}
	if a, _ := f.x.Account("lab/alice"); a.Held != q.Held {
		t.Errorf("held %d, the job %d", a.Held, q.Held)
	}
	f.wait(60)
	f.end(task.Key{Job: o.Job.ID}, 60, 0)
	if a, _ := f.x.Account("lab/alice"); a.Held != 0 || int64(f.free(string(ledger.Owner))) != q.Price {
		t.Errorf("the owner has %s and held is %d, the price was %d", f.free(string(ledger.Owner)), a.Held, q.Price)
	}
}

// A quote that nobody takes costs for the time in which it kept room, by the rules
// under which it was made.
func TestRent(t *testing.T) {
	for name, end := range map[string]func(*floor, string){
		"expired": func(f *floor, _ string) { f.wait(700); f.do(trade.Command{Tick: &trade.Tick{}}) },
		"dropped": func(f *floor, id string) {
			f.wait(599)
			f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Quote: id}})
		},
		"across an epoch": func(f *floor, _ string) {
			f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
				Policy: "libra", Settings: epoch.Complete("libra", map[string]string{"quote_rent": "0.5"}, epoch.LiveSettings()),
			}})
			f.recover()
			f.wait(700)
			f.do(trade.Command{Tick: &trade.Tick{}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := openUnder(t, "libra", 2, nil)
			before := f.free("lab/alice")
			q := f.ask(alice, 600, minuteJob()).Quote
			end(f, q.ID)
			a, _ := f.x.Account("lab/alice")
			paid := int64(before) - a.Free
			if want := (q.Price + 9) / 10; paid > want || paid < want-want/100 || a.Held != 0 || a.Spent != paid {
				t.Errorf("paid %d of %d for ten minutes, held %d, spent %d", paid, q.Price, a.Held, a.Spent)
			}
			if _, err := f.try(trade.Command{By: alice, Cancel: &trade.Cancel{Quote: q.ID}}); !errors.Is(err, trade.ErrUnknown) {
				t.Errorf("dropped once more: %v", err)
			}
		})
	}
}

// Rent is rounded as the rest of what is owed is: up, where a market rounds up. The quote
// says the same of a minute.
func TestRentIsRoundedAsBillsAre(t *testing.T) {
	for rounding, more := range map[string]int64{"up": 1, "down": 0} {
		f := openUnder(t, "libra", 2, map[string]string{"rounding": rounding, "least_estimate": "0"})
		before := f.free("lab/alice")
		r := minuteJob()
		r.EstimateMS = 59_987
		q := f.ask(alice, 600, r).Quote
		if q == nil || !q.Binding || q.Price%100 == 0 {
			t.Fatalf("%+v", q)
		}
		want := q.Price/100 + more
		f.wait(60)
		f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Quote: q.ID}})
		if paid := int64(before - f.free("lab/alice")); paid != want || q.Rent != want {
			t.Errorf("%s: paid %d, said %d of %d, want %d", rounding, paid, q.Rent, q.Price, want)
		}
	}
}

// To keep room for a moment and drop it, again and again, costs something each time.
func TestRentOfAMoment(t *testing.T) {
	f := openUnder(t, "libra", 4, nil)
	crumb := trade.Request{EstimateMS: 1, DeadlineMS: 1000}
	before := f.free("lab/alice")
	for range 5 {
		q := f.ask(alice, 600, crumb).Quote
		if q == nil || !q.Binding {
			t.Fatalf("%+v", q)
		}
		f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Quote: q.ID}})
	}
	if paid := before - f.free("lab/alice"); paid < 5 {
		t.Errorf("paid %d for five quotes of a moment", paid)
	}
}

// Rent is never more than what is held.
func TestRentIsNeverMoreThanTheHold(t *testing.T) {
	f := openUnder(t, "libra", 2, map[string]string{"quote_rent": "1", "unused": "1"})
	before := f.free("lab/alice")
	q := f.ask(alice, 600, minuteJob()).Quote
	f.wait(700)
	f.do(trade.Command{Tick: &trade.Tick{}})
	if paid := int64(before - f.free("lab/alice")); paid == 0 || paid > q.Held {
		t.Errorf("paid %d, held %d", paid, q.Held)
	}
}

// The quotes of one user keep a part of the cluster at most, however they are cut,
// and by whatever they keep it; one of one processor may always be had.
func TestQuotesKeepAPartOfTheCluster(t *testing.T) {
	for _, c := range []struct {
		name       string
		processors int
		r          trade.Request
		binding    int
	}{
		{"two processors", 2, minuteJob(), 1},
		{"ten processors", 10, minuteJob(), 1},
		{"forty processors", 40, minuteJob(), 4},
		{"half of each", 40, trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000}, 8},
		{"wide", 40, trade.Request{EstimateMS: 60_000, DeadlineMS: 60_000, Processors: 5}, 0},
		{"two of two", 2, trade.Request{EstimateMS: 60_000, DeadlineMS: 60_000, Processors: 2}, 0},
		{"memory", 40, trade.Request{EstimateMS: 1_000, DeadlineMS: 1_000_000, MemoryMB: 1 << 18}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := openUnder(t, "libra", c.processors, nil)
			binding := 0
			for range 12 {
				o := f.ask(alice, 600, c.r)
				switch {
				case o.Quote == nil:
					t.Fatalf("%+v", o.Refusal)
				case o.Quote.Binding:
					binding++
				case o.Quote.NotBinding == "" || o.Quote.Held != 0 || o.Quote.Rent != 0:
					t.Errorf("%+v", o.Quote)
				}
			}
			if binding != c.binding {
				t.Errorf("%d quotes bind, want %d", binding, c.binding)
			}
			p := f.x.Prices()
			if p.Quotes != binding || p.Quoted > max(0.1, 1/float64(c.processors))+1e-9 {
				t.Errorf("the prices say that %d quotes keep %v", p.Quotes, p.Quoted)
			}
			// Others find room, and other quotes as long as all leave something to buy.
			left := binding == 0 || c.processors > 2
			if o := f.ask(bob, 60, minuteJob()); o.Quote == nil || o.Quote.Binding != left {
				t.Errorf("bob: %+v %+v", o.Quote, o.Refusal)
			}
			if o := f.submit(bob, minuteJob()); o.Refusal != nil {
				t.Errorf("bob: %+v", o.Refusal)
			}
		})
	}
}

// A quote keeps what others cannot have for it: of its processors the part that it
// needs to be in time, or what of the cluster's memory and disk it asks for, counted
// as so many of its processors.
func TestWhatAQuoteKeeps(t *testing.T) {
	const all = 1 << 20 // of memory, and of disk, on eight processors
	for _, c := range []struct {
		r     trade.Request
		keeps float64
	}{
		{trade.Request{EstimateMS: 60_000, DeadlineMS: 60_000}, 1},
		{trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000, Processors: 3}, 1.5},
		{trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000, Processors: 2, MemoryMB: all / 4}, 4},
		{trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000, Processors: 2, DiskMB: all / 8}, 2},
		{trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000, Processors: 2, MemoryMB: all / 4, DiskMB: all / 8}, 4},
		{trade.Request{EstimateMS: 60_000, DeadlineMS: 60_000, Processors: 4, MemoryMB: all / 100}, 4},
	} {
		f := openUnder(t, "libra", 8, map[string]string{"quote_share": "none"})
		f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 1_000_000 * int64(market.Unit)}})
		if o := f.ask(alice, 60, c.r); o.Quote == nil || !o.Quote.Binding || o.Quote.Formula == "" || math.Abs(o.Quote.Keeps-c.keeps) > 1e-9 {
			t.Errorf("%+v keeps %+v (%+v), want %v", c.r, o.Quote, o.Refusal, c.keeps)
		}
	}
}

func TestQuotesAreCounted(t *testing.T) {
	f := openUnder(t, "libra", 40, map[string]string{"quote_limit": "2"})
	f.ask(alice, 60, minuteJob())
	f.ask(alice, 60, minuteJob())
	if _, err := f.try(trade.Command{By: alice, Quote: &trade.AskQuote{Request: minuteJob()}}); !errors.Is(err, trade.ErrConflict) {
		t.Errorf("a third quote: %v", err)
	}
	f.wait(61)
	f.ask(alice, 60, minuteJob())
}

// A quote under a policy that promises nothing does not say that it binds.
func TestWhatIsNotPromisedDoesNotBind(t *testing.T) {
	f := openUnder(t, "fifo", 2, nil)
	q := f.ask(alice, 60, trade.Request{EstimateMS: 60_000}).Quote
	if q == nil || q.Binding || q.NotBinding == "" {
		t.Fatalf("%+v", q)
	}
	if a, _ := f.x.Account("lab/alice"); a.Held != 0 {
		t.Errorf("it holds %d", a.Held)
	}
	o := f.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"true"}}}})
	if o.Job == nil || o.Job.Quote != q.ID {
		t.Errorf("%+v", o)
	}
}

// Where others would have to make way nothing can be kept: a quote binds nobody, and says whether they
// do for its price, and for how much they would.
func TestAQuoteSaysForHowMuchOthersMakeWay(t *testing.T) {
	f := openUnder(t, "make-way", 1, nil)
	f.submit(alice, trade.Request{EstimateMS: 100_000, DeadlineMS: 1_000_000, Budget: budget(100)})
	f.wait(1)
	for _, c := range []struct {
		offer float64
		want  string
	}{
		{10, "for 1.10 times this price: 1.1 times what they pay"},
		{15, "others make way now: 1.1 times what they pay for the time is asked, and this is 1.50 times"},
	} {
		q := f.ask(bob, 60, trade.Request{EstimateMS: 10_000, DeadlineMS: 200_000, Budget: budget(c.offer)}).Quote
		if q == nil || q.Binding || !strings.Contains(q.NotBinding, c.want) {
			t.Errorf("an offer of %v: %+v", c.offer, q)
		}
	}
}

// Room that is gone with its node is not paid for, and nothing is held for it.
func TestAQuoteWhoseNodeIsGone(t *testing.T) {
	f := openUnder(t, "libra", 2, nil)
	before := f.free("lab/alice")
	q := f.ask(alice, 600, minuteJob()).Quote
	f.wait(60)
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1"}})
	if got := f.free("lab/alice"); got != before {
		t.Errorf("it cost %s", before-got)
	}
	if v, open := f.x.Quote(q.ID); open && v.Binding {
		t.Errorf("%+v", v)
	}
	f.compare()
	f.wait(700)
	f.do(trade.Command{Tick: &trade.Tick{}})
	if got := f.free("lab/alice"); got != before {
		t.Errorf("in the end it cost %s", before-got)
	}
}

// Two users who renew quotes for ever pay for it: the money goes to the owner.
func TestRenewingForEverCosts(t *testing.T) {
	f := openUnder(t, "libra", 2, nil)
	last := f.free("lab/alice")
	for range 20 {
		f.ask(alice, 60, minuteJob())
		f.wait(61)
		f.do(trade.Command{Tick: &trade.Tick{}})
		if left := f.free("lab/alice"); left >= last {
			t.Fatalf("renewed for nothing: %s, then %s", last, left)
		} else {
			last = left
		}
	}
	if got := f.free(string(ledger.Owner)); got != 1000*market.Unit-last {
		t.Errorf("the owner has %s", got)
	}
	if s := f.x.LedgerState(); len(s.Holds) != 0 {
		t.Errorf("%+v", s.Holds)
	}
}
