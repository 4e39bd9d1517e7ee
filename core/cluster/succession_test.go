package cluster_test

import (
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
)

// Another policy is put in force: at the next event everybody has what that one gives,
// on processors too to which nothing has happened since, and though somebody asked it
// for a price before. Two jobs share a processor by what they need, two thirds and one;
// bids are alike, so that each gets half when a third job comes to another processor.
func TestAnotherPolicyPlansEverybodyAfresh(t *testing.T) {
	for _, asked := range []bool{false, true} {
		nodes := market.PlainNodes(2)
		old, err := cluster.New(nodes, aPolicy(t, "libra"))
		if err != nil {
			t.Fatal(err)
		}
		first, second := job(0, 0, 10, 20), job(1, 0, 10, 40)
		first.SLA.Budget, second.SLA.Budget = 100, 100
		step(t, old, 0, submitted(first), submitted(second))
		if s, _ := old.Status(0, 0); !near(s.Speed, 2./3) {
			t.Fatalf("by need the first has %v", s.Speed)
		}
		c, err := cluster.Restore(nodes, aPolicy(t, "bid-share"), old.State())
		if err != nil {
			t.Fatal(err)
		}
		third := job(2, 1, 10, 20)
		if asked {
			if quote, err := c.Quote(1, *third); err != nil || !quote.Procs.Has(1) {
				t.Fatalf("a quote: %v, %v", quote, err)
			}
		}
		step(t, c, 1, submitted(third))
		for id, want := range []float64{0.5, 0.5, 1} {
			if s, _ := c.Status(market.JobID(id), 1); !near(s.Speed, want) {
				t.Errorf("asked before %v: job %d has %v, want %v", asked, id, s.Speed, want)
			}
		}
	}
}

// An estimate that is extended is a lower bid, for those beside it too. The first job has
// both processors, the second one of them and the third the other; the third leaves.
func TestAnExtensionLowersTheBid(t *testing.T) {
	c := open(t, 2, "bid-share", nil)
	for id, width := range []int32{2, 1, 1} {
		j := job(market.JobID(id), 0, 10, 100)
		j.Width, j.SLA.Budget = width, 100
		step(t, c, 0, submitted(j))
	}
	step(t, c, 1, extended(1, 10, market.Unlimited))
	step(t, c, 2, market.Event{Kind: market.Cancelled, Job: 2})
	if s, _ := c.Status(1, 2); !near(s.Speed, 5./15) {
		t.Errorf("who bids 5 beside 10 has %v", s.Speed)
	}
}
