package controller_test

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// The epoch in force is told without asking the loop, and is the new one as soon as whoever began
// it has an answer.
func TestTheEpochInForce(t *testing.T) {
	f := open(t, nil)
	asked := func() float64 {
		t.Helper()
		numbers, err := f.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return numbers["queries_total"]
	}
	for _, policy := range []string{"libra-plus", "fcfs-bf", "libra"} {
		f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: policy}}, "")
		before := asked()
		e, err := f.Epoch(t.Context())
		if err != nil || e.Policy != policy {
			t.Errorf("under %s it is said to be %s: %v", policy, e.Policy, err)
		}
		if more := asked() - before; more > 1 { // for this number
			t.Errorf("the loop was asked %v times", more)
		}
		all, err := f.Epochs(t.Context())
		if err != nil || len(all) == 0 || all[len(all)-1].Number != e.Number {
			t.Errorf("the last of all is another: %+v, %+v, %v", all, e, err)
		}
	}
	f.restart() // and who has written nothing yet knows it all the same
	if e, err := f.Epoch(t.Context()); err != nil || e.Policy != "libra" {
		t.Errorf("after a restart it is said to be %q: %v", e.Policy, err)
	}
}
