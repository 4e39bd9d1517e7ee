package exchange_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

func (f *floor) money(m trade.MoneyCommand) trade.Outcome {
	f.Helper()
	return f.do(trade.Command{By: owner, Money: &m})
}

func user(name string) trade.Identity {
	return trade.Identity{User: name, Role: trade.RoleUser}
}

// A user called like part of a path has nothing of it.
func TestANameInAPathIsNobodys(t *testing.T) {
	f := open(t, "libra", 2)
	f.money(trade.MoneyCommand{Op: "open", To: "site/alice"})
	f.money(trade.MoneyCommand{Op: "grant", To: "site/alice", Amount: 400 * int64(market.Unit)})
	f.money(trade.MoneyCommand{Op: "grant", To: "site", Amount: 400 * int64(market.Unit)})
	site := user("site")
	if got := f.x.AccountOf("site"); got != "" {
		t.Errorf("%q pays for a user who is bound to nothing", got)
	}
	for _, path := range []string{"site", "site/alice"} {
		_, err := f.try(trade.Command{By: site, Submit: &trade.Submit{Request: trade.Request{Argv: []string{"true"}, EstimateMS: 1000, Account: path}}})
		if !errors.Is(err, trade.ErrForbidden) {
			t.Errorf("%s pays for a user called site: %v", path, err)
		}
		_, err = f.try(trade.Command{By: site, Money: &trade.MoneyCommand{Op: "transfer", From: path, To: "lab/bob", Amount: 1}})
		if !errors.Is(err, trade.ErrForbidden) {
			t.Errorf("a user called site gives away what %s has: %v", path, err)
		}
	}
	if o := f.submit(site, trade.Request{EstimateMS: 1000}); o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds {
		t.Errorf("a user without an account: %+v", o)
	}
	// Not even an account of that very name is more than itself.
	f.money(trade.MoneyCommand{Op: "open", To: "dept"})
	f.money(trade.MoneyCommand{Op: "open", To: "dept/bob"})
	f.money(trade.MoneyCommand{Op: "grant", To: "dept/bob", Amount: 5})
	if _, err := f.try(trade.Command{By: user("dept"), Money: &trade.MoneyCommand{Op: "transfer", From: "dept/bob", To: "lab/bob", Amount: 1}}); !errors.Is(err, trade.ErrForbidden) {
		t.Errorf("what is below dept is a user's called dept: %v", err)
	}
}

// Whatever is opened, what pays for a user stays what it was.
func TestOpeningMovesNobody(t *testing.T) {
	f := open(t, "libra", 2)
	f.money(trade.MoneyCommand{Op: "open", To: "staff/carol", User: "carol"})
	for _, path := range []string{"project/carol/dave", "a/carol", "carol"} {
		f.money(trade.MoneyCommand{Op: "open", To: path})
		if got := f.x.AccountOf("carol"); got != "staff/carol" {
			t.Errorf("after %s was opened %s pays for carol", path, got)
		}
	}
	f.money(trade.MoneyCommand{Op: "bind", To: "carol", User: "carol"})
	if got := f.x.AccountOf("carol"); got != "staff/carol" || !f.x.Bindings("carol").May("carol") {
		t.Errorf("bound to another, %s pays for carol", got)
	}
	f.money(trade.MoneyCommand{Op: "bind", To: "carol", User: "carol", First: true})
	if got := f.x.AccountOf("carol"); got != "carol" {
		t.Errorf("put first, it is %s that pays", got)
	}
	a := f.money(trade.MoneyCommand{Op: "bind", To: "carol", User: "dave"}).Account
	if !reflect.DeepEqual(a.Users, []string{"carol", "dave"}) {
		t.Errorf("%+v", a)
	}
	f.money(trade.MoneyCommand{Op: "unbind", To: "carol", User: "carol"})
	if got := f.x.AccountOf("carol"); got != "staff/carol" {
		t.Errorf("bound no longer, %s pays", got)
	}
	for _, m := range []trade.MoneyCommand{
		{Op: "unbind", To: "carol", User: "carol"},
		{Op: "bind", To: "nowhere", User: "carol"},
		{Op: "bind", To: "carol"},
		{Op: "limit", To: "carol", User: "carol"},
	} {
		if _, err := f.try(trade.Command{By: owner, Money: &m}); err == nil {
			t.Errorf("%+v is taken", m)
		}
	}
	if _, err := f.try(trade.Command{By: user("dave"), Money: &trade.MoneyCommand{Op: "bind", To: "staff/carol", User: "dave"}}); !errors.Is(err, trade.ErrForbidden) {
		t.Errorf("dave binds himself: %v", err)
	}
	f.recover()
	if !f.x.Bindings("dave").May("carol") || f.x.AccountOf("carol") != "staff/carol" {
		t.Error("who is bound to what is not read back")
	}
}

// An account of one name is for who is called so, unless they have another.
func TestAPlainAccount(t *testing.T) {
	f := open(t, "libra", 2)
	a := f.money(trade.MoneyCommand{Op: "open", To: "erin"}).Account
	if f.x.AccountOf("erin") != "erin" || !reflect.DeepEqual(a.Users, []string{"erin"}) {
		t.Errorf("erin: %q, %+v", f.x.AccountOf("erin"), a)
	}
	a = f.money(trade.MoneyCommand{Op: "open", To: "alice"}).Account
	if f.x.AccountOf("alice") != "lab/alice" || len(a.Users) != 0 {
		t.Errorf("alice: %q, %+v", f.x.AccountOf("alice"), a)
	}
}

// A limit holds for what is given away, nobody gives to themselves, and what is held
// is not spent.
func TestLimitsAndTransfers(t *testing.T) {
	f := open(t, "libra", 2)
	unit := int64(market.Unit)
	f.money(trade.MoneyCommand{Op: "limit", To: "lab/alice", Amount: 10 * unit})
	o := f.do(trade.Command{By: alice, Money: &trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: "lab/bob", Amount: 400 * unit}})
	if o.Refusal == nil || o.Refusal.Reason != trade.ReasonLimit {
		t.Errorf("a limit of 10 lets 400 through: %+v", o)
	}
	f.do(trade.Command{By: alice, Money: &trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: "lab/bob", Amount: 4 * unit}})
	f.submit(alice, trade.Request{EstimateMS: 1000, Budget: budget(5)})
	a, _ := f.x.Account("lab/alice")
	if a.Spent != 0 || a.Sent != 4*unit || a.Used <= a.Sent || a.Used != a.Sent+a.Held {
		t.Errorf("spent %d, sent %d, held %d, used %d", a.Spent, a.Sent, a.Held, a.Used)
	}
	o = f.do(trade.Command{By: alice, Money: &trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: "lab/nobody", Amount: unit}})
	if o.Refusal == nil || o.Refusal.Reason != trade.ReasonAccount || !strings.Contains(o.Refusal.Detail, "lab/nobody") {
		t.Errorf("a transfer to nobody: %+v", o.Refusal)
	}
	var field *trade.FieldError
	if _, err := f.try(trade.Command{By: alice, Money: &trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: "lab/alice", Amount: 1}}); !errors.As(err, &field) || field.Field != "to" {
		t.Errorf("a transfer to oneself: %v", err)
	}
}

// The market's own accounts are no place to give money to: it would be gone, and look
// like income.
func TestNobodyTransfersToTheMarket(t *testing.T) {
	f := open(t, "libra", 2)
	for _, to := range []string{"@owner", "@mint"} {
		before := f.free("lab/alice")
		transfer := trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: to, Amount: int64(market.Unit)}
		_, err := f.try(trade.Command{By: alice, Money: &transfer})
		if !errors.Is(err, trade.ErrForbidden) || !strings.Contains(err.Error(), "only its owner may") || f.free("lab/alice") != before {
			t.Errorf("alice transfers to %s: %v", to, err)
		}
		if f.money(transfer); f.free("lab/alice") != before-market.Unit { // the owner may take money out of the market
			t.Errorf("the owner cannot transfer to %s", to)
		}
	}
}

// What was written before users were bound goes on as it was: who had an account by
// their name keeps it, and from then on nobody gets one by it.
func TestAMarketFromBeforeBindings(t *testing.T) {
	x := exchange.New("old")
	at := int64(1_700_000_000) * second
	var log [][]byte
	do := func(c trade.Command) {
		t.Helper()
		at += second
		if _, err := x.Again(at, c, nil); err != nil {
			t.Fatal(err)
		}
		fx := x.Effects()
		log = append(log, asJSON(t, fx.Facts))
	}
	do(trade.Command{By: owner, Open: &trade.Open{Policy: "libra"}})
	do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/carol/thesis"}})
	do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/carol/thesis", Amount: 7}})
	read := func() *journal.Image {
		t.Helper()
		m := journal.NewImage()
		for _, text := range log {
			var f journal.Facts
			if err := json.Unmarshal(text, &f); err != nil {
				t.Fatal(err)
			}
			if err := m.Apply(&f); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	var err error
	for range 2 { // opened, nothing happens, and opened again
		if x, err = exchange.Open("new", read()); err != nil {
			t.Fatal(err)
		}
		if got := x.AccountOf("carol"); got != "lab/carol" || !x.Bindings("carol").May("lab/carol/thesis") {
			t.Errorf("%s pays for carol, who is bound to %v", got, x.Bindings("carol"))
		}
	}
	for _, to := range []string{"a/carol", "a/dave"} {
		at += second
		if _, err := x.Do(at, trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: to}}); err != nil {
			t.Fatal(err)
		}
		fx := x.Effects()
		log = append(log, asJSON(t, fx.Facts))
	}
	for range 2 {
		if got := x.AccountOf("carol"); got != "lab/carol" || len(x.Bindings("dave")) > 0 {
			t.Errorf("%s pays for carol, and dave is bound to %v", got, x.Bindings("dave"))
		}
		if x, err = exchange.Open("new", read()); err != nil {
			t.Fatal(err)
		}
	}
}
