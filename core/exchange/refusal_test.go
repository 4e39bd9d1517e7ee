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

// What would not fit an empty cluster is not blamed on others, though there are some.
func TestAnArrayThatCouldNeverFitIsToldSo(t *testing.T) {
	f := openLive(t, "libra", 2, nil)
	f.submit(alice, trade.Request{EstimateMS: 1_000})
	for _, c := range []struct {
		array trade.Array
		want  string
	}{
		{trade.Array{First: 1, Last: 9}, "it takes 50s even with processors to itself, and its deadline is in 45s"},
		{trade.Array{First: 1, Last: 5, Limit: 1}, "it takes 50s even with processors to itself, and its deadline is in 45s"},
	} {
		o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 45_000, Array: &c.array})
		if o.Refusal == nil || o.Refusal.Detail != c.want {
			t.Errorf("%+v: %+v, want %q", c.array, o.Refusal, c.want)
		}
	}
}
