package exchange_test

import (
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Whoever comes or goes changes what a kernel is told, to the microsecond in a tenth of
// a second, on the processors it comes to or goes from, and on no other.
func TestAnArrivalChangesQuotasWhereItIs(t *testing.T) {
	const processors, jobs = 64, 320
	f := openLive(t, "libra", processors, map[string]string{"fit": "least-loaded"})
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 1e8 * int64(market.Unit)}})
	const patience = 1.5 * jobs / processors
	come := func(i int) int64 {
		f.now += second / 10
		work := int64(600_000 + 977*(i%1009))
		j := f.submit(alice, trade.Request{EstimateMS: work, DeadlineMS: int64(float64(work) * patience)}).Job
		if j.State != trade.Running {
			t.Fatalf("job %d is %s: %s", j.ID, j.State, j.Detail)
		}
		return j.ID
	}
	for i := range jobs {
		come(i)
	}
	quota := func(o *task.Order) int { return int(math.Round(o.CPU * 1e5)) }
	was := map[int64]task.Order{}
	look := func() {
		for _, o := range f.x.Orders("n1") {
			was[o.Spec.Job] = o
		}
	}
	written, beside := 0, 0
	check := func(what string, id int64) {
		at := was[id].Processor
		orders := f.x.Orders("n1")
		for i := range orders {
			if o := &orders[i]; o.Spec.Job == id {
				at = o.Processor
			}
		}
		for i := range orders {
			o := &orders[i]
			if o.Spec.Job == id {
				continue
			}
			if o.Processor == at {
				beside++
			}
			before, known := was[o.Spec.Job]
			if known && quota(&before) == quota(o) {
				continue
			}
			if written++; o.Processor != at {
				t.Fatalf("job %d %s on processor %d, and job %d on %d has another quota", id, what, at, o.Spec.Job, o.Processor)
			}
		}
		look()
	}
	look()
	const events = 40
	for i := range events / 2 {
		id := come(i)
		check("comes", id)
		f.cancel(id)
		f.end(task.Key{Job: id}, 0, 0)
		check("goes", id)
	}
	t.Logf("%d jobs on %d processors: %.1f quotas a change are written anew, of %.1f jobs beside it", jobs, processors, float64(written)/events, float64(beside)/events)
	if written < events {
		t.Errorf("%d quotas in %d changes: that shows little", written, events)
	}
}
