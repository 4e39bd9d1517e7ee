package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A job that its node loses begins again, but not for ever; it costs nothing then.
func TestAJobThatIsLostAgainAndAgain(t *testing.T) {
	f := open(t, "libra", 1)
	j := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 3_600_000}).Job
	for attempt := range 10 {
		orders := f.x.Orders("n1")
		if len(orders) != 1 || orders[0].Spec.Attempt != attempt {
			t.Fatalf("attempt %d: %+v", attempt, orders)
		}
		f.wait(1)
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: orders[0].Spec.Key, State: task.Lost}}}})
	}
	if got := f.job(j.ID); got.State != trade.Lost || got.Reason != market.NodeLost.String() || got.Charged != 0 {
		t.Errorf("%s (%s), charged %d", got.State, got.Reason, got.Charged)
	}
	if len(f.x.Orders("n1")) != 0 || f.free("lab/alice") != 1000*market.Unit {
		t.Errorf("something is left: %s free", f.free("lab/alice"))
	}
}
