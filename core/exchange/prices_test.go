package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Where a job costs what it bids, the market says what a minute costs at the least; it
// is not free, and nobody is told that it cannot be had.
func TestPricesWhereTheBidIsThePrice(t *testing.T) {
	for policy, bid := range map[string]bool{"mf-edf": true, "libra-sla": true, "hol": true, "first-price": true, "libra": false} {
		f := openUnder(t, policy, 1, nil)
		for _, p := range f.x.Prices().Samples {
			if p.Refused == market.CannotMeetDeadline.String() && p.Factor == 1 { // libra-sla sells no processor whole
				continue
			}
			if p.Refused != "" || p.From != bid || p.Price <= 0 || bid && p.Price != int64(60*market.Unit) {
				t.Errorf("%s: %+v", policy, p)
			}
		}
		if !bid {
			continue
		}
		f = openUnder(t, policy, 1, map[string]string{"reserve": "0"})
		for _, p := range f.x.Prices().Samples {
			if p.From {
				t.Errorf("%s without a reserve: %+v", policy, p)
			}
		}
	}
}
