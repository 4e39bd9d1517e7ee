package policy_test

import (
	"fmt"
	"math"
	"slices"
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

// What memory and disk cost is for the time they are kept: half the work, half the
// price; and they are sold apart, so that who needs both pays for both.
func TestMemoryByAmountAndTime(t *testing.T) {
	kind, _ := policy.Find("libra-plus")
	stored := func(resources string, estimate market.Work, deadline market.Time, memory, disk int64) market.Price {
		p, err := kind.New(map[string]string{"resources": resources})
		if err != nil {
			t.Fatal(err)
		}
		nodes := market.PlainNodes(1)
		nodes[0].Base.Memory, nodes[0].Memory = 0.5, 1000
		nodes[0].Base.Disk, nodes[0].Disk = 0.25, 1000
		c, err := cluster.New(nodes, p)
		if err != nil {
			t.Fatal(err)
		}
		price := func(memory, disk int64) market.Price {
			q, err := c.Quote(0, market.Job{
				ID: 1, Estimate: estimate, Width: 1, Memory: memory, Disk: disk, SLA: market.SLA{Deadline: deadline, Budget: market.Unlimited},
			})
			if err != nil {
				t.Fatal(err)
			}
			return q.Price
		}
		return price(memory, disk) - price(0, 0)
	}
	same := func(a, b market.Price) bool { return math.Abs(float64(a-b)) <= 1e-9 }
	if a, b := stored("amount", 100, 1000, 100, 0), stored("amount", 200, 1000, 100, 0); !same(a, b) {
		t.Errorf("by the amount: %v and %v", a, b)
	}
	for _, deadline := range []market.Time{8000, market.Never} {
		a, b := stored("time", 1800, deadline, 100, 0), stored("time", 3600, deadline, 100, 0)
		if a <= 0 || !same(2*a, b) {
			t.Errorf("by time, deadline %v: half an hour %v, an hour %v", deadline, a, b)
		}
		// A megabyte of disk costs half of what one of memory does.
		if disk, both := stored("time", 3600, deadline, 0, 100), stored("time", 3600, deadline, 100, 100); !same(2*disk, b) || !same(disk+b, both) {
			t.Errorf("by time, deadline %v: memory %v, disk %v, both %v", deadline, b, disk, both)
		}
	}
	// Who needs all that is left of either leaves nothing free, and that is not sold.
	if q := func() (err error) {
		nodes := market.PlainNodes(1)
		nodes[0].Base.Memory, nodes[0].Memory = 0.5, 1000
		_, err = newCluster(t, "libra-plus", nodes...).Quote(0, market.Job{
			ID: 1, Estimate: 1, Width: 1, Memory: 1000, SLA: market.SLA{Deadline: 10, Budget: market.Unlimited},
		})
		return err
	}(); q == nil {
		t.Error("all of the memory is sold")
	}
}

// A price for each processor is shown for each kind of them: how many there are, and
// what is another number there than on the dearest. Beyond eight kinds only what the
// rest cost together is shown, so that the sum can be done again by hand.
func TestWhatEachKindOfProcessorCosts(t *testing.T) {
	for _, c := range []struct{ kinds, shown, left int }{{1, 1, 0}, {2, 2, 0}, {8, 8, 0}, {9, 8, 2}, {11, 8, 6}} {
		kind, _ := policy.Find("libra-plus")
		p, err := kind.New(map[string]string{"per": "processor", "beta": "0"})
		if err != nil {
			t.Fatal(err)
		}
		// Two processors of each kind; on the first node they are the dearest.
		nodes := market.PlainNodes(c.kinds)
		for i := range nodes {
			nodes[i].Processors, nodes[i].Base.Processor = 2, market.Price(100-i)
		}
		in, err := cluster.New(nodes, p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := in.Quote(0, market.Job{ID: 1, Estimate: 1, Width: int32(2 * c.kinds), SLA: market.SLA{Deadline: 10, Budget: market.Unlimited}})
		if err != nil {
			t.Fatal(err)
		}
		working := in.Working()
		want := []market.Input{{Name: "of this kind", Unit: "processors", Value: 2}}
		sum := market.Price(2 * 100)
		for i := 1; i < c.shown; i++ {
			want = append(want, market.Input{Name: fmt.Sprintf("of kind %d", i+1), Unit: "processors", Value: 2},
				market.Input{Name: fmt.Sprintf("PBase of kind %d", i+1), Unit: "a second", Value: float64(100 - i)})
			sum += market.Price(2 * (100 - i))
		}
		if c.left > 0 {
			want = append(want, market.Input{Name: "others", Unit: fmt.Sprintf("for %d processors more", c.left), Value: float64(q.Price - sum)})
		}
		if c.kinds == 1 {
			want = want[:1]
		}
		if !slices.Equal(working.More, want) {
			t.Errorf("%d kinds:\n got %v\nwant %v", c.kinds, working.More, want)
		}
		if in := working.Inputs[:working.N]; len(in) < 2 || in[1] != (market.Input{Name: "PBase", Unit: "a second", Value: 100}) {
			t.Errorf("%d kinds: the dearest is shown as %v", c.kinds, in)
		}
	}
}
