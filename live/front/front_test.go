package front

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

// What is asked arrives as it was asked, in the name of who asked.
func TestWhatIsAskedBecomesACommand(t *testing.T) {
	by := api.Identity{User: "alice", Role: v1.RoleUser}
	who := trade.Identity{User: "alice", Role: trade.RoleUser}
	limit := int64(7)
	for name, c := range map[string]struct {
		asked api.Command
		want  trade.Command
	}{
		"quote": {
			api.Command{Quote: &v1.QuoteRequest{TTLMS: 5, Request: v1.Request{Name: "q", Budget: &limit}}},
			trade.Command{Quote: &trade.AskQuote{TTLMS: 5, Request: trade.Request{Name: "q", Budget: &limit}}},
		},
		"submit": {
			api.Command{Submit: &v1.SubmitRequest{Request: v1.Request{Argv: []string{"x"}, Array: &v1.Array{Last: 3}}, Quote: "q1"}},
			trade.Command{Submit: &trade.Submit{
				Request: trade.Request{Argv: []string{"x"}, Array: &trade.Array{Last: 3}}, Quote: "q1",
			}},
		},
		"cancel": {api.Command{Cancel: &api.Cancel{Job: 3}}, trade.Command{Cancel: &trade.Cancel{Job: 3}}},
		"drop":   {api.Command{Cancel: &api.Cancel{Quote: "q1"}}, trade.Command{Cancel: &trade.Cancel{Quote: "q1"}}},
		"money": {
			api.Command{Money: &api.MoneyCommand{Op: "transfer", From: "a", To: "b", Amount: 2, None: true, Memo: "m"}},
			trade.Command{Money: &trade.MoneyCommand{Op: "transfer", From: "a", To: "b", Amount: 2, None: true, Memo: "m"}},
		},
		"epoch": {
			api.Command{Epoch: &v1.Epoch{Policy: "libra", Settings: map[string]string{"a": "1"}, Rates: &v1.Rates{Processor: 2}}},
			trade.Command{Epoch: &trade.Epoch{Policy: "libra", Settings: map[string]string{"a": "1"}, Rates: &trade.Rates{Processor: 2}}},
		},
	} {
		c.asked.By, c.want.By = by, who
		if got, err := command(&c.asked); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	if _, err := command(&api.Command{By: by}); !errors.Is(err, errNothing) {
		t.Errorf("nothing: %v", err)
	}
}

// An answer that was kept by an earlier version, or by the exchange, reads as one
// of the API: they are the same bytes.
func TestAnOutcomeIsTheSameBytes(t *testing.T) {
	o := trade.Outcome{
		Job: &trade.Job{ID: 1, State: trade.Running}, Quote: &trade.Quote{ID: "q"},
		Refusal: &trade.Refusal{Reason: trade.ReasonFunds, Offers: []trade.Offer{{Change: "deadline"}}},
		Account: &trade.Account{Path: "a", Free: 3}, Epoch: &trade.EpochView{Policy: "libra"},
	}
	was, err := json.Marshal(&o)
	if err != nil {
		t.Fatal(err)
	}
	is, err := json.Marshal(outcome(&o))
	if err != nil {
		t.Fatal(err)
	}
	if string(was) != string(is) {
		t.Errorf("%s became %s", was, is)
	}
}
