package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// What is kept of a refused job says the same as the answer: the number that binds.
func TestARefusedJobSaysWhatItWasTold(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	few := int64(1)
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 60_000, Budget: &few})
	if o.Refusal == nil {
		t.Fatal("it was taken")
	}
	if kept := f.all[o.Job.ID].Detail; kept != o.Refusal.Detail || kept == trade.RefusalText(market.CannotMeetBudget) {
		t.Errorf("the answer is %q, and what is kept %q", o.Refusal.Detail, kept)
	}
}
