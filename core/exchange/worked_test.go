package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// The line that says why a price is what it is names a rate that is in the price, under
// every policy that has one in it, and none where a job costs what it bids.
func TestTheRateThatIsNamedIsInThePrice(t *testing.T) {
	byRate := map[string]bool{}
	for _, kind := range policy.Kinds() {
		for _, bids := range []bool{true, false} {
			f := openUnder(t, kind.Name, 1, nil)
			f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
				Policy: kind.Name, Settings: epoch.Complete(kind.Name, nil, epoch.LiveSettings()), Rates: &trade.Rates{ProcessorHour: 3_700_000},
			}})
			for _, n := range []task.Hello{{Node: "one", Rating: 1, Speed: 1}, {Node: "fast", Rating: 1.25, Speed: 1.25}} {
				n.Processors, n.Boot = 2, "b"
				f.do(trade.Command{By: trade.Identity{User: n.Node, Role: trade.RoleNode}, Enlist: &n})
			}
			r := trade.Request{EstimateMS: 600_000, DeadlineMS: 3_600_000}
			if bids {
				r.Budget = budget(90)
			}
			if !kind.Imprecise {
				r.Processors = 3
			}
			o := f.ask(alice, 0, r)
			if o.Quote == nil {
				continue // it wants a budget, or does not find it worth it
			}
			named := o.Quote.Worked != ""
			if wants := strings.Contains(o.Quote.Formula, "rate") || strings.Contains(o.Quote.Formula, "PBase"); named != wants {
				t.Errorf("%s, with a budget %t: %q is said to be %q", kind.Name, bids, o.Quote.Formula, o.Quote.Worked)
			}
			if named && !strings.Contains(o.Quote.Worked, "3.70 ¤ an hour") {
				t.Errorf("%s: %q", kind.Name, o.Quote.Worked)
			}
			byRate[kind.Name] = byRate[kind.Name] || named && bids
		}
	}
	for name, want := range map[string]bool{"libra": true, "libra-plus": true, "make-way": false, "best-offer": false, "bid-share": false, "first-price": false, "first-reward": false, "libra-sla": false} {
		if byRate[name] != want {
			t.Errorf("%s: with a budget a rate is named: %t, want %t", name, byRate[name], want)
		}
	}
}
