package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/audit"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// What a job was paid back is bounded by the rules on its receipt, whatever the
// chain of the books says.
func TestAudit(t *testing.T) {
	live := []trade.Setting{}
	for name, value := range epoch.LiveSettings() {
		live = append(live, trade.Setting{Name: name, Value: value})
	}
	for _, c := range []struct {
		name             string
		state            trade.State
		settings         []trade.Setting
		charged, penalty int64
		says             string
	}{
		{"as much as it was charged", trade.Completed, live, 5, 5, ""},
		{"more than it was charged", trade.Completed, live, 5, 6, "a penalty of"},
		{"by the papers", trade.Completed, nil, 5, 6, ""},
		{"lost, its price", trade.Lost, live, 0, 9, ""},
		{"lost, more than that", trade.Lost, live, 0, 10, "a penalty of"},
	} {
		a := audit.New()
		a.Tx(&ledger.Tx{Seq: 1, Kind: ledger.KindCharge, Job: 7, Postings: []ledger.Posting{{Account: ledger.Owner, Side: ledger.Free, Amount: market.Money(c.charged)}}})
		a.Tx(&ledger.Tx{Seq: 2, Kind: ledger.KindPenalty, Job: 7, Postings: []ledger.Posting{{Account: ledger.Owner, Side: ledger.Free, Amount: market.Money(-c.penalty)}}})
		err := a.Job(&trade.Job{
			ID: 7, State: c.state, Price: 9, Charged: c.charged, Penalty: c.penalty,
			Receipt: &trade.Receipt{Settings: c.settings, Charged: c.charged, Penalty: c.penalty, TxSeqs: []int64{1, 2}},
		})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
