package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// Whoever offers just what was quoted is taken, and pays that, however the price
// was rounded.
func TestTheQuotedPriceIsEnough(t *testing.T) {
	for _, policy := range []string{"libra", "libra-plus"} {
		for seconds := int64(1); seconds < 30; seconds++ {
			f := open(t, policy, 1)
			r := trade.Request{EstimateMS: seconds * 1000, DeadlineMS: 31_000}
			quoted, err := f.x.Preview(alice, r)
			if err != nil || quoted.Quote == nil {
				t.Fatalf("%s: %+v, %v", policy, quoted.Refusal, err)
			}
			r.Budget = &quoted.Quote.Price
			o := f.submit(alice, r)
			if o.Refusal != nil || o.Job.Price != quoted.Quote.Price {
				t.Errorf("%s: %d s quoted at %d: %+v", policy, seconds, quoted.Quote.Price, o.Refusal)
			}
			r.Budget = new(*r.Budget - 1)
			if o = f.submit(alice, r); o.Refusal == nil {
				t.Errorf("%s: %d s taken for less than the %d quoted", policy, seconds, quoted.Quote.Price)
			}
		}
	}
}
