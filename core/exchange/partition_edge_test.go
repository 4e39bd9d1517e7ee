package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// price has the market of a floor sell at other rates, n1 being of the partition.
func (f *floor) price(policy, partition string, rates trade.Rates) {
	f.Helper()
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: policy, Settings: epoch.Complete(policy, map[string]string{"owner_floor": "none"}, epoch.LiveSettings()), Rates: &rates}})
	f.do(trade.Command{Enlist: &task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Partition: partition}})
}

// However small a price is, and by whatever factor: no job is sold for more than its budget,
// and under every policy who bids what it costs is taken.
func TestSmallBudgetsAreKept(t *testing.T) {
	for _, kind := range policy.Kinds() {
		for _, factor := range []int64{0, 1, 7, 333_333} {
			for _, memory := range []int64{0, 91_100} {
				f := open(t, kind.Name, 2)
				rates := trade.Rates{ProcessorHour: 370_000, MemoryHour: memory}
				if factor > 0 {
					rates.Partitions = map[string]int64{"p": factor}
				}
				f.price(kind.Name, "p", rates)
				r := trade.Request{EstimateMS: 1000, DeadlineMS: 60_000, MemoryMB: 100, Budget: budget(0.0009)}
				o, err := f.x.Preview(alice, r)
				if err != nil || o.Quote == nil || o.Quote.Price > *r.Budget {
					t.Errorf("%s, x %d, memory at %d: %+v, %v", kind.Name, factor, memory, o, err)
					continue
				}
				r.Budget = &o.Quote.Price
				if got := f.submit(alice, r); got.Refusal != nil || got.Job.Price > *r.Budget {
					t.Errorf("%s, x %d, memory at %d: quoted at %d: %+v, %s", kind.Name, factor, memory, *r.Budget, got.Job, said(got.Refusal))
				}
			}
		}
	}
}

// What costs more than there is money is refused, with its reason: it is neither free nor less
// than that.
func TestMoreThanThereIsMoney(t *testing.T) {
	f := open(t, "libra", 2)
	f.price("libra", "p", trade.Rates{ProcessorHour: 1_000_000_000, MemoryHour: 1_000_000_000, Partitions: map[string]int64{"p": 1_000_000_000_000}})
	for _, ms := range []int64{33_190_000_000, 9_000_000_000_000} { // with its memory just too much, and by far
		r := trade.Request{EstimateMS: ms, DeadlineMS: 9_000_000_000_000, MemoryMB: 1 << 16, Argv: []string{"true"}}
		for what, o := range map[string]trade.Outcome{"quote": f.ask(alice, 60, r), "job": f.submit(alice, r)} {
			if o.Refusal == nil || o.Refusal.Reason != market.CannotMeetBudget.String() || !strings.Contains(o.Refusal.Detail, "more than anybody can bid") {
				t.Errorf("%s of %d ms: %+v, %s", what, ms, o.Quote, said(o.Refusal))
			}
		}
	}
}

// Who was kept back while partitions came is in the usual one, at its rate, and where they went
// on any node.
func TestPartitionsComeAndGoWhileJobsAreKeptBack(t *testing.T) {
	f := open(t, "libra", 2)
	plain := trade.Rates{ProcessorHour: 3_600_000}
	divided := plain
	divided.Partitions = map[string]int64{"fast": 100_000_000}
	f.price("libra", "", plain)
	for _, c := range []struct {
		partition string
		rates     trade.Rates
		price     int64
	}{{"fast", divided, 1_000_000}, {"", plain, 10_000}} {
		held := f.submit(alice, trade.Request{EstimateMS: 10_000, Hold: true})
		f.price("libra", c.partition, c.rates)
		f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: held.Job.ID}})
		f.recover()
		if j := f.job(held.Job.ID); j.State != trade.Running || j.Request.Partition != c.partition || j.Price != c.price {
			t.Errorf("%s in %q for %d (%s), want in %q for %d", j.State, j.Request.Partition, j.Price, j.Detail, c.partition, c.price)
		}
	}
}

// A quote of a market without partitions is taken by who asked for it, with the same script.
func TestAQuoteIsTakenWithTheScriptItIsFor(t *testing.T) {
	f := openLive(t, "libra", 2, nil)
	r := trade.Request{EstimateMS: 10_000, Partition: "elsewhere", Argv: []string{"true"}}
	q := f.ask(alice, 60, r).Quote
	if o, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: r}}); err != nil || o.Job == nil || o.Job.Price != q.Price {
		t.Errorf("%+v, %v", o, err)
	}
}

// What is bid is bid: neither the room that an array takes nor a partition is in the formula.
func TestTheFormulaOfABidIsTheBid(t *testing.T) {
	for _, name := range []string{"bid-share", "make-way", "going-rate"} {
		f := open(t, name, 2)
		f.price(name, "p", trade.Rates{ProcessorHour: 3_600_000, MemoryHour: 3_600, Partitions: map[string]int64{"p": 3_000_000}})
		o, err := f.x.Preview(alice, trade.Request{EstimateMS: 1000, DeadlineMS: 60_000, MemoryMB: 10, Budget: budget(5), Array: &trade.Array{First: 1, Last: 3}})
		if err != nil || o.Quote == nil || o.Quote.Width != 2 || o.Quote.Price != *budget(5) || o.Quote.Formula != "B" {
			t.Errorf("%s: %+v, %v", name, o.Quote, err)
		}
	}
}

// A factor is said in figures that everybody reads, and who waits is told of the processors
// of its partition.
func TestPartitionsInWords(t *testing.T) {
	f := openDivided(t, "fcfs-bf", true, true)
	for range 2 {
		f.submit(alice, trade.Request{EstimateMS: 100_000, Processors: 2})
	}
	if e, there := f.x.Explain(2); !there || !strings.HasPrefix(e.Summary, "waits for 2 of 2 processors") {
		t.Errorf("%q", e.Summary)
	}
	f = open(t, "libra", 2)
	f.price("libra", "p", trade.Rates{ProcessorHour: 36_000, Partitions: map[string]int64{"p": 1_000_000_000_000}})
	o, err := f.x.Preview(alice, trade.Request{EstimateMS: 1000})
	if err != nil || o.Quote == nil || !strings.Contains(o.Quote.Worked, ", x 1000000 in its partition: +0.0 %") {
		t.Errorf("%+v, %v", o.Quote, err)
	}
}

// What memory costs is reckoned for the nodes where a job would be with its budget, in the
// prices of its partition.
func TestMemoryIsReckonedWhereABudgetGets(t *testing.T) {
	for _, factor := range []int64{1_000_000, 100_000} {
		f := open(t, "libra", 2)
		f.price("libra", "p", trade.Rates{ProcessorHour: 3_600_000_000, MemoryHour: 3_600_000_000, Partitions: map[string]int64{"p": factor}})
		f.do(trade.Command{Enlist: &task.Hello{Node: "n2", Processors: 1, Rating: 0.1, Speed: 0.1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Partition: "p"}})
		r := trade.Request{EstimateMS: 100_000, MemoryMB: 1024}
		o, err := f.x.Preview(alice, r)
		if err != nil || o.Quote == nil {
			t.Fatalf("%+v, %v", o, err)
		}
		r.Budget = &o.Quote.Price
		if got := f.submit(alice, r); got.Refusal != nil || got.Job.Price != *r.Budget {
			t.Errorf("x %d, quoted at %d: %s", factor, *r.Budget, said(got.Refusal))
		}
	}
}

// Quotes leave something to buy in each partition, however small a part of the market it is.
func TestQuotesDoNotCloseAPartition(t *testing.T) {
	f := open(t, "libra", 2)
	f.price("libra", "small", trade.Rates{ProcessorHour: 3_600_000, Partitions: map[string]int64{"small": 500_000, "large": 3_000_000}, Partition: "large"})
	f.do(trade.Command{Enlist: &task.Hello{Node: "n2", Processors: 30, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Partition: "large"}})
	all := trade.Request{EstimateMS: 100_000, DeadlineMS: 100_000, Partition: "small"} // of one processor
	for _, who := range []trade.Identity{alice, alice, bob} {
		o := f.ask(who, 600, all)
		if o.Quote == nil || o.Quote.Binding != (o.Quote.ID == "q1") || !o.Quote.Binding && !strings.Contains(o.Quote.NotBinding, "processors of partition small, and ") {
			t.Errorf("%+v, %s", o.Quote, said(o.Refusal))
		}
	}
	if o := f.submit(bob, all); o.Refusal != nil {
		t.Errorf("%s", said(o.Refusal))
	}
	all.Partition = "large" // there others may be kept
	if o := f.ask(alice, 600, all); o.Quote == nil || !o.Quote.Binding {
		t.Errorf("%+v, %s", o.Quote, said(o.Refusal))
	}
}
