package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// Programs that are to be apart are on a node each, under every policy and with other jobs
// there, though all of them would have room on one; and where there are too few nodes the
// job is refused.
func TestProgramsApart(t *testing.T) {
	for _, kind := range policy.Kinds() {
		if kind.Name == "hol-optimal" {
			continue // it admits by chance, and none of these
		}
		t.Run(kind.Name, func(t *testing.T) {
			f := open(t, kind.Name, 4)
			f.enlist("n2", 4)
			f.enlist("n3", 4)
			f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000, Processors: 1})
			for _, threads := range []int{0, 2} {
				each := max(1, threads)
				o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Budget: budget(300), Processors: 2 * each, Threads: threads, Spread: true})
				if o.Job == nil || o.Job.State != trade.Running {
					t.Fatalf("%d threads: %+v %+v", threads, o.Refusal, o.Job)
				}
				var on []string
				for _, name := range []string{"n1", "n2", "n3"} {
					for _, order := range f.x.Orders(name) {
						if order.Spec.Job == o.Job.ID {
							on = append(on, name)
						}
					}
				}
				if len(on) != 2 || on[0] == on[1] {
					t.Errorf("%d threads: its two programs are on %v", threads, on)
				}
			}
			o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Budget: budget(300), Processors: 4, Spread: true})
			if o.Refusal == nil || o.Refusal.Reason != market.CannotMeetResources.String() {
				t.Errorf("four on three nodes: %+v %+v", o.Refusal, o.Job)
			}
		})
	}
	r := trade.Request{EstimateMS: 1, Argv: []string{"x"}, Spread: true, Array: &trade.Array{First: 1, Last: 2}}
	if err := r.Validate(); err == nil {
		t.Error("an array is taken apart")
	}
}
