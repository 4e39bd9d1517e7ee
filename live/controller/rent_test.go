package controller_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// What a quote that was not taken has paid is in every sum: the report, the statement
// and the bill for cost tools say of the account and of its owner what the ledger says.
func TestRentIsInEverySum(t *testing.T) {
	f := open(t, nil)
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: "libra", Settings: epoch.Complete("libra", nil, epoch.LiveSettings())}}, "")
	f.submit("", trade.Request{EstimateMS: 1000, DeadlineMS: 20_000})
	f.ended("n1", f.orders("n1", 1)[0].Spec.Key, time.Second)
	f.orders("n1", 0)
	ten := int64(10 * time.Hour / time.Millisecond)
	quoted, _ := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: ten, DeadlineMS: 20 * ten}}}, "")
	if quoted.Quote == nil || !quoted.Quote.Binding {
		t.Fatalf("%+v", quoted)
	}
	f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Quote: quoted.Quote.ID}}, "")
	for range 2 { // and so it stays
		rent := market.Money(0)
		s, err := f.Statement(t.Context(), "lab", true, 0, math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		spent := market.Money(0)
		for _, l := range s.Lines {
			switch l.Kind {
			case ledger.KindRent:
				rent -= l.Amount
				if l.Job != ledger.NoJob || l.Quote != quoted.Quote.ID || !strings.Contains(l.Memo, "quote "+quoted.Quote.ID) {
					t.Errorf("%+v", l)
				}
				spent -= l.Amount
			case ledger.KindCharge:
				spent -= l.Amount
			}
		}
		house, err := f.Statement(t.Context(), string(ledger.Owner), false, 0, math.MaxInt64)
		if err != nil || rent == 0 || house.Closing != spent {
			t.Errorf("the owner has %s, %s was spent, %s of it rent, %v", house.Closing, spent, rent, err)
		}
		tally, err := f.Tally(t.Context(), 0, math.MaxInt64)
		if err != nil || market.Money(tally.Rent) != rent || market.Money(tally.Income) != house.Closing || tally.Net != tally.Income-tally.Rent {
			t.Errorf("the report says %+v, %v; the owner has %s, %s of it rent", tally, err, house.Closing, rent)
		}
		used, err := f.Usage(t.Context(), "lab", 0, math.MaxInt64)
		if err != nil || len(used) != 2 || used[1].Quote != quoted.Quote.ID {
			t.Fatalf("%+v, %v", used, err)
		}
		for _, u := range used {
			spent -= u.Charge - u.Penalty
		}
		if spent != 0 {
			t.Errorf("the bill leaves %s of what the ledger has out: %+v", spent, used)
		}
		f.verify()
		f.restart()
	}
}
