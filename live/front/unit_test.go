package front

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

// The core knows no currency: what it says of money leaves with the unit in it.
func TestSentencesHaveTheUnit(t *testing.T) {
	two := market.Money(2_000_000).Said()
	o := trade.Outcome{
		Job:     &trade.Job{Detail: two, Receipt: &trade.Receipt{Lines: []bill.Line{{What: "agreed for " + two}}}},
		Quote:   &trade.Quote{Worked: two},
		Refusal: &trade.Refusal{Detail: two, Offers: []trade.Offer{{Detail: two, Quote: trade.Quote{Worked: two}}}},
	}
	for unit, want := range map[string]string{"EUR": "2.00 EUR", "": "2.00"} {
		text, err := json.Marshal(Market{Unit: unit}.outcome(&o))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), want+`"`); n != 6 || strings.Contains(string(text), market.Sign) {
			t.Errorf("in %q: %d of 6 sentences have %s: %s", unit, n, want, text)
		}
		e := wire.Explanation(&trade.Explanation{Summary: two, Because: []string{two}})
		if wire.ExplanationIn(&e, unit); e.Summary != want || e.Because[0] != want {
			t.Errorf("in %q: %+v", unit, e)
		}
	}
}
