package exchange_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// BenchmarkChoosy is a submission that not every node will do for, and its end, on a live
// market of so many nodes of eight processors, of which the first half, or 500, are busy: what it asks
// for should cost as much where there are many nodes as where there are few.
func BenchmarkChoosy(b *testing.B) {
	for _, policy := range []string{"fcfs-bf", "libra"} {
		for _, nodes := range []int{100, 2_000, 20_000} {
			for _, a := range []struct {
				name       string
				ask        trade.Request
				partitions bool
			}{
				{"plain", trade.Request{}, false},
				{"memory", trade.Request{MemoryMB: 100}, false},
				{"threads", trade.Request{Processors: 8, Threads: 4}, false},
				{"gpus", trade.Request{GPUs: 1}, false},
				{"feature", trade.Request{Constraint: "fast"}, false},
				{"partition", trade.Request{Partition: "p1"}, true},
				{"nodes", trade.Request{Nodelist: []string{"n60", fmt.Sprintf("n%d", nodes-2)}}, false},
				{"busy", trade.Request{Nodelist: []string{"n1", "n2"}}, false}, // under a queue it waits
			} {
				b.Run(fmt.Sprintf("%s/%s/%d", policy, a.name, nodes), func(b *testing.B) {
					f := wide(b, policy, nodes, a.partitions)
					r := a.ask
					r.Argv, r.EstimateMS, r.DeadlineMS = []string{"true"}, 60_000, 1e9
					f.comeAndGo(r)
					before := used(b)
					b.ResetTimer()
					for range b.N {
						f.comeAndGo(r)
					}
					b.ReportMetric((used(b)-before)/float64(b.N), "cpu-µs/job")
				})
			}
		}
	}
}

// wide is such a market: of ten nodes one has GPUs, one is fast, and one is of another partition
// where there are any. All but the last are put into a snapshot: of those who join, each has the
// cluster taken down and set up again.
func wide(t testing.TB, policy string, nodes int, partitions bool) *floor {
	t.Helper()
	f := &floor{TB: t, x: exchange.New("wide"), now: 1_700_000_000 * second, all: map[int64]trade.Job{}}
	rates := trade.Rates{Processor: 1_000}
	if partitions {
		rates.Partitions, rates.Partition = map[string]int64{"p0": trade.WholeFactor, "p1": trade.WholeFactor}, "p0"
	}
	f.tell(trade.Command{By: owner, Open: &trade.Open{Policy: policy, Settings: epoch.Complete(policy, nil, epoch.LiveSettings()), Rates: rates}})
	s, h := f.x.Snapshot(), task.Hello{}
	for i := range nodes {
		h = task.Hello{Node: fmt.Sprintf("n%d", i), Processors: 8, Rating: 1, Speed: 1, MemoryMB: 1 << 14, DiskMB: 1 << 20, Boot: "b", Partition: "p0"}
		switch i % 10 {
		case 3:
			h.GPUs, h.GPUKind = 4, "a100"
		case 6:
			h.Features = "fast"
		case 9:
			h.Partition = "p1"
		}
		s.Nodes = append(s.Nodes, &roster.Node{Hello: h, Up: true, First: i * h.Processors})
	}
	s.Nodes = s.Nodes[:nodes-1]
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if f.x, err = exchange.Restore("wide", text); err != nil {
		t.Fatal(err)
	}
	f.tell(trade.Command{By: trade.Identity{User: h.Node, Role: trade.RoleNode}, Enlist: &h})
	f.tell(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/alice", User: "alice"}})
	f.tell(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 1_000_000_000 * int64(market.Unit)}})
	for i := range min(nodes/2, 500) {
		r := trade.Request{Argv: []string{"true"}, EstimateMS: 800_000_000, DeadlineMS: 1e9, Processors: 8}
		if partitions && i%10 == 9 {
			r.Partition = "p1"
		}
		f.tell(trade.Command{By: alice, Submit: &trade.Submit{Request: r}})
	}
	return f
}

// comeAndGo submits a job that ends at once, or is cancelled if it has to wait.
func (f *floor) comeAndGo(r trade.Request) {
	f.Helper()
	j := f.tell(trade.Command{By: alice, Submit: &trade.Submit{Request: r}}).Job
	if j.State == trade.Queued {
		f.tell(trade.Command{By: alice, Cancel: &trade.Cancel{Job: j.ID}})
		return
	}
	var ended []task.Status
	for rank := range max(1, r.Processors) / max(1, r.Threads) {
		ended = append(ended, task.Status{Key: task.Key{Job: j.ID, Rank: rank}, State: task.Ended, CPUUS: 1000})
	}
	f.tell(trade.Command{Report: &trade.Measured{Tasks: ended}})
}
