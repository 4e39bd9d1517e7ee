package policy_test

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Jobs that get exactly what they need, on processors that are full, do not fall behind:
// two years on, when a second of the clock is rounded more coarsely, they are not asked
// one by one at every arrival.
func TestAFullProcessorIsNotLateByRounding(t *testing.T) {
	kind, err := policy.Find("libra")
	if err != nil {
		t.Fatal(err)
	}
	for _, begin := range []market.Time{0, 6e7} {
		p, err := kind.New(map[string]string{"replan": "touched"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := cluster.New(market.PlainNodes(100), p)
		if err != nil {
			t.Fatal(err)
		}
		draw, now := rand.New(rand.NewPCG(1, 1)), begin
		for i := range 2000 {
			if i%20 == 0 { // who comes together fills processors before anybody is ahead
				now += market.Time(draw.Float64())
			}
			work := market.Work(1000 + 1000*draw.Float64())
			part := []float64{2, 3, 4, 6}[draw.IntN(4)]
			j := market.Job{ID: market.JobID(i + 1), Submit: now, Estimate: work, Width: 1 + int32(draw.IntN(4))}
			j.SLA.Deadline, j.SLA.Budget = market.Time(float64(work)*part), market.Unlimited
			if _, err := c.Step(now, []market.Event{{Kind: market.Submitted, Job: j.ID, Spec: &j}}); err != nil {
				t.Fatal(err)
			}
		}
		if n := policy.Apart(p); n > 0 {
			t.Errorf("from second %v on: %d houses are summed at every arrival", begin, n)
		}
	}
}

// What rounding excuses stays below the nine decimals to which placements compare
// shares, however little is left until a job is due.
func TestRoundingExcusesLittle(t *testing.T) {
	for _, left := range []market.Time{1e-6, 1, 1e3, 1e6} {
		e := book.Entry{Since: 6e7, Job: market.Job{Submit: 6e7, SLA: market.SLA{Deadline: left}}}
		if got := policy.Blur(&e); !(got > 0 && got <= 2e-10) {
			t.Errorf("%v s before it is due: %g", left, got)
		}
	}
}
