package replay_test

import (
	"context"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/replay"
)

// What a market's jobs were is what comes again, on processors of rating 1: those
// that ended, as they ended; those under way or cancelled say nothing yet.
func TestRemember(t *testing.T) {
	const second = int64(1_000_000)
	budget := int64(20 * market.Unit)
	request := v1.Request{EstimateMS: 10_000, DeadlineMS: 30_000, Budget: &budget, Processors: 2}
	jobs := []v1.Job{
		{ID: 3, Owner: "a", State: v1.Completed, Request: request, SubmittedUS: 100 * second, EndedUS: 120 * second, DueUS: 130 * second, Width: 2, Work: 8_000, Charged: int64(12 * market.Unit)},
		{ID: 4, Owner: "b", State: v1.Failed, Request: request, SubmittedUS: 101 * second, EndedUS: 140 * second, DueUS: 131 * second, Width: 2, Work: 10_000, Charged: int64(12 * market.Unit), Penalty: int64(2 * market.Unit)},
		{ID: 5, Owner: "b", State: v1.Rejected, Request: request, SubmittedUS: 102 * second},
		{ID: 6, Owner: "b", State: v1.Cancelled, Request: request, SubmittedUS: 103 * second},
		{ID: 7, Owner: "b", State: v1.Running, Request: request, SubmittedUS: 104 * second},
	}
	past, err := replay.Remember(t.Context(), func(_ context.Context, after int64) ([]v1.Job, error) {
		if after != 0 {
			return nil, nil
		}
		return jobs, nil
	}, replay.GroundOf([]v1.NodeView{{Node: "a", Up: true, Processors: 1, Rating: 1}, {Node: "b", Up: true, Processors: 1, Rating: 3}, {Node: "c", Rating: 9, Processors: 9}}, v1.Rates{}).Plain(2))
	if err != nil || len(past.Arrivals) != 3 || len(past.Course.Fates) != 3 {
		t.Fatalf("%+v, %v", past, err)
	}
	first, refused := past.Arrivals[0], past.Arrivals[2]
	if first.Job.Estimate != 5 || first.Actual != 4 || first.Job.Width != 2 || first.Job.Submit != 0 || first.Job.SLA.Deadline != 30 || first.Job.SLA.Budget != 20 {
		t.Errorf("%+v", first)
	}
	if refused.Actual != 5 || refused.Job.Submit != 2 {
		t.Errorf("how long it would have run nobody knows: %+v", refused)
	}
	want := []replay.Fate{{Satisfied: true, Paid: 12}, {Paid: 10}, {}}
	for i, f := range past.Course.Fates {
		if f != want[i] {
			t.Errorf("%d: %+v, want %+v", i, f, want[i])
		}
	}
	if last := past.Last(1); len(last.Arrivals) != 1 || last.Arrivals[0].Job.Name != "5" || past.Last(0) != past || past.Last(9) != past {
		t.Errorf("%+v", last)
	}
}
