package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// An allowance comes by the clock of the market, is not given away, and goes on from
// what was written down: nothing is paid twice.
func TestAnAllowanceComesByItself(t *testing.T) {
	f := open(t, "libra", 2)
	unit := int64(market.Unit)
	f.money(trade.MoneyCommand{Op: "open", To: "people/carol", User: "carol"})
	f.money(trade.MoneyCommand{Op: "allow", To: "people", Amount: 10 * unit, EveryUS: 600e6, Most: 25 * unit, Each: true})
	free := func(want int64) {
		t.Helper()
		if a, _ := f.x.Account("people/carol"); a.Free != want*unit {
			t.Errorf("carol has %v, want %d", market.Money(a.Free), want)
		}
	}
	free(10)
	at, some := f.x.Next()
	if !some || at != f.x.Now()+600e6 {
		t.Errorf("the market wants to be woken at %d, now is %d", at, f.x.Now())
	}
	f.wait(600)
	f.do(trade.Command{Tick: &trade.Tick{}})
	free(20)
	f.recover()
	f.do(trade.Command{Tick: &trade.Tick{}})
	free(20)
	f.wait(3 * 600)
	f.do(trade.Command{Tick: &trade.Tick{}})
	free(25)
	give := trade.Command{By: user("carol"), Money: &trade.MoneyCommand{Op: "transfer", From: "people/carol", To: "lab/bob", Amount: 1}}
	if o, err := f.try(give); err != nil || o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds || !strings.Contains(o.Refusal.Detail, "allowance") {
		t.Errorf("%+v %v", o.Refusal, err)
	}
	f.money(trade.MoneyCommand{Op: "grant", To: "people/carol", Amount: unit})
	give.Money.Amount = unit
	if o, err := f.try(give); err != nil || o.Refusal != nil {
		t.Errorf("what was granted is hers to give: %+v %v", o.Refusal, err)
	}
	free(25)
	if a, _ := f.x.Account("people/carol"); a.Allowance != 10*unit || a.AllowanceMS != 600_000 || a.AllowanceMost != 25*unit || a.AllowanceUS <= f.x.Now() || a.AllowanceEach {
		t.Errorf("%+v", a)
	}
	if a, _ := f.x.Account("people"); !a.AllowanceEach {
		t.Errorf("%+v", a)
	}
	f.compare()
}

// Who is bound to nothing gets an account with their first job, where the market has
// money for such.
func TestWhoComesIsWelcome(t *testing.T) {
	f := open(t, "libra", 2)
	first := trade.Command{By: user("eve"), Submit: &trade.Submit{Request: trade.Request{Argv: []string{"x"}, EstimateMS: 1000, DeadlineMS: 60_000}}}
	if o, err := f.try(first); err != nil || o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds {
		t.Fatalf("%+v %v", o, err)
	}
	f.money(trade.MoneyCommand{Op: "open", To: "people"})
	f.money(trade.MoneyCommand{Op: "allow", To: "people", Amount: 100 * int64(market.Unit), EveryUS: 600e6, Most: 100 * int64(market.Unit), Each: true, Welcome: true})
	hears := func(offer int64, want string) { // before there is an account, as after
		t.Helper()
		r := first.Submit.Request
		r.Budget = new(offer * int64(market.Unit))
		o, err := f.x.Preview(first.By, r)
		said := "yes"
		if o.Refusal != nil {
			said = o.Refusal.Detail
		}
		if err != nil || said != want {
			t.Errorf("with a budget of %d: %q, want %q; %v", offer, said, want, err)
		}
	}
	hears(100, "yes")
	hears(101, "people/eve has 100.00 ¤ free, 101.00 ¤ is needed")
	f.money(trade.MoneyCommand{Op: "grant", To: "people", Amount: 50 * int64(market.Unit)}) // what one lacks those above have
	hears(150, "yes")
	hears(151, "people/eve has 150.00 ¤ free, 151.00 ¤ is needed")
	f.money(trade.MoneyCommand{Op: "limit", To: "people", Amount: 90 * int64(market.Unit)})
	hears(90, "yes")
	hears(91, "people may spend 90.00 ¤ a month and has used 0.00 ¤; 91.00 ¤ more is needed")
	if o, err := f.try(first); err != nil || o.Job == nil || o.Job.Account != "people/eve" || o.Job.State == trade.Rejected {
		t.Fatalf("%+v %v", o, err)
	}
	f.compare()
}

// Who comes for the first time with what makes no sense is welcome all the same, and the log
// carried out again says so too, at the same instant.
func TestWhoComesInVainIsWelcome(t *testing.T) {
	f := open(t, "libra", 2)
	f.money(trade.MoneyCommand{Op: "open", To: "people"})
	f.money(trade.MoneyCommand{Op: "allow", To: "people", Amount: 100, EveryUS: 600e6, Most: 100, Each: true, Welcome: true})
	r := trade.Request{Argv: []string{"x"}, EstimateMS: 1000, AfterAny: []int64{999}}
	if o, err := f.try(trade.Command{By: user("eve"), Submit: &trade.Submit{Request: r}}); !errors.Is(err, trade.ErrUnknown) {
		t.Fatalf("%+v %v", o, err)
	}
	if a, _ := f.x.Account("people/eve"); a.Free != 100 {
		t.Errorf("%+v", a)
	}
	f.wait(1)
	f.do(trade.Command{By: user("eve"), Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: 1000}}})
	f.compare()
	logGivesTheSame(t, f)
}

// Who is bound to an account that others have already does not fill it again, and neither
// does who leaves: it is one account, and has one allowance.
func TestOthersWhoAreBoundBringNoAllowance(t *testing.T) {
	f := open(t, "libra", 2)
	f.money(trade.MoneyCommand{Op: "open", To: "people"})
	f.money(trade.MoneyCommand{Op: "allow", To: "people", Amount: 10, EveryUS: 600e6, Most: 25, Each: true})
	f.money(trade.MoneyCommand{Op: "open", To: "people/team"})
	owns := func(want int64) {
		t.Helper()
		if a, _ := f.x.Account("people/team"); a.Free != want {
			t.Errorf("the team has %d, want %d", a.Free, want)
		}
	}
	owns(0)
	f.money(trade.MoneyCommand{Op: "bind", To: "people/team", User: "carol"})
	owns(10)
	f.money(trade.MoneyCommand{Op: "transfer", From: "people/team", To: "lab/bob", Amount: 10})
	f.money(trade.MoneyCommand{Op: "bind", To: "people/team", User: "dan"})
	f.money(trade.MoneyCommand{Op: "bind", To: "people/team", User: "dan"})
	f.money(trade.MoneyCommand{Op: "unbind", To: "people/team", User: "carol"})
	owns(0)
	f.money(trade.MoneyCommand{Op: "unbind", To: "people/team", User: "dan"}) // nor do all who leave and come again
	f.money(trade.MoneyCommand{Op: "bind", To: "people/team", User: "dan"})
	owns(0)
	f.wait(600)
	f.do(trade.Command{Tick: &trade.Tick{}})
	owns(10)
}
