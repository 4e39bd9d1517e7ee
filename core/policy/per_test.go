package policy_test

import (
	"math"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Of every policy that prices, a job of n processors costs what n jobs of one
// processor cost at the same moment, if that is what it is set to; and what one of
// them costs if it is not, as in the papers.
func TestPriceForEachProcessor(t *testing.T) {
	const width = 4
	for _, name := range []string{"fifo", "fcfs-bf", "sjf-bf", "edf-bf", "libra", "libra-plus", "qops", "bid-share"} {
		kind, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		quote := func(per string, width int32, deadline market.Time) market.Price {
			p, err := kind.New(map[string]string{"per": per})
			if err != nil {
				t.Fatal(err)
			}
			c, err := cluster.New(market.PlainNodes(8), p)
			if err != nil {
				t.Fatal(err)
			}
			q, err := c.Quote(0, market.Job{
				ID: 1, Estimate: 10, Width: width,
				SLA: market.SLA{Deadline: deadline, Budget: market.Unlimited},
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return q.Price
		}
		for _, deadline := range []market.Time{30, market.Never} {
			one := quote("processor", 1, deadline)
			if got := quote("processor", width, deadline); math.Abs(float64(got-width*one)) > 1e-9 || one <= 0 {
				t.Errorf("%s, deadline %v: %d processors cost %v, one %v", name, deadline, width, got, one)
			}
			if got := quote("job", width, deadline); got != one {
				t.Errorf("%s, deadline %v: by the job it costs %v, one processor %v", name, deadline, got, one)
			}
		}
	}
}

// Processors that are within the budget one by one may not be together: then the
// cheapest are taken, and if those cost too much too, none.
func TestTheCheapestProcessorsTogether(t *testing.T) {
	kind, _ := policy.Find("libra-plus")
	p, err := kind.New(map[string]string{"per": "processor", "beta": "0"})
	if err != nil {
		t.Fatal(err)
	}
	nodes := market.PlainNodes(4)
	for i := range nodes {
		nodes[i].Base.Processor = market.Price(4 - i)
	}
	c, err := cluster.New(nodes, p)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(budget market.Price) (market.Quote, error) {
		return c.Quote(0, market.Job{ID: 1, Estimate: 1, Width: 2, SLA: market.SLA{Deadline: 10, Budget: budget}})
	}
	if q, err := ask(4); err != nil || q.Price != 3 || !q.Procs.Has(2) || !q.Procs.Has(3) {
		t.Errorf("within 4: %+v, %v", q, err)
	}
	if q, err := ask(2.5); err == nil {
		t.Errorf("within 2.5: %+v", q)
	}
}

// What memory costs is for the time it is kept: half the work, half the price.
func TestMemoryByAmountAndTime(t *testing.T) {
	kind, _ := policy.Find("libra-plus")
	memory := func(resources string, estimate market.Work, deadline market.Time) market.Price {
		p, err := kind.New(map[string]string{"resources": resources})
		if err != nil {
			t.Fatal(err)
		}
		nodes := market.PlainNodes(1)
		nodes[0].Base.Memory, nodes[0].Memory = 0.5, 1000
		c, err := cluster.New(nodes, p)
		if err != nil {
			t.Fatal(err)
		}
		price := func(mb int64) market.Price {
			q, err := c.Quote(0, market.Job{ID: 1, Estimate: estimate, Width: 1, Memory: mb, SLA: market.SLA{Deadline: deadline, Budget: market.Unlimited}})
			if err != nil {
				t.Fatal(err)
			}
			return q.Price
		}
		return price(100) - price(0)
	}
	if a, b := memory("amount", 100, 1000), memory("amount", 200, 1000); math.Abs(float64(a-b)) > 1e-9 {
		t.Errorf("by the amount: %v and %v", a, b)
	}
	for _, deadline := range []market.Time{8000, market.Never} {
		a, b := memory("time", 1800, deadline), memory("time", 3600, deadline)
		if a <= 0 || math.Abs(float64(2*a-b)) > 1e-9 {
			t.Errorf("by time, deadline %v: half an hour %v, an hour %v", deadline, a, b)
		}
	}
}
