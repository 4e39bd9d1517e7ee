package front

import (
	"encoding/json"
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// An answer that was kept by an earlier version, or by the exchange, reads as one
// of the API: they are the same bytes.
func TestAnOutcomeIsTheSameBytes(t *testing.T) {
	o := trade.Outcome{
		Job: &trade.Job{ID: 1, State: trade.Running, Request: trade.Request{EstimateMS: 1000}}, Quote: &trade.Quote{ID: "q"},
		Refusal: &trade.Refusal{Reason: trade.ReasonFunds, Offers: []trade.Offer{{Change: "deadline"}}},
		Account: &trade.Account{Path: "a", Free: 3}, Epoch: &trade.EpochView{Policy: "libra"},
	}
	was, err := json.Marshal(&o)
	if err != nil {
		t.Fatal(err)
	}
	is, err := json.Marshal(Market{}.outcome(&o))
	if err != nil {
		t.Fatal(err)
	}
	if string(was) != string(is) {
		t.Errorf("%s became %s", was, is)
	}
}
