package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/link"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// benchService is a whole service on a store of its own, with one node of so
// many processors that nobody runs.
func benchService(b *testing.B, policy string, nodes, processors int) (*service, *client.Client) {
	b.Helper()
	c := config.Default()
	c.Store = filepath.Join(b.TempDir(), "libra.db")
	c.Listen, c.Policy, c.Lease = "127.0.0.1:0", policy, 0
	c.Limits = config.Limits{} // one user is measured, at all it can
	s, err := startService(b.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.close(); err != nil {
			b.Error(err)
		}
	})
	for i := range nodes {
		hello := task.Hello{Node: fmt.Sprintf("n%d", i), Processors: processors, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}
		if _, err := s.market.Hello(b.Context(), hello); err != nil {
			b.Fatal(err)
		}
	}
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/alice", User: "alice"}, {Op: "grant", To: "lab/alice", Amount: int64(1e9 * market.Unit)}} {
		if _, _, err := s.market.Do(b.Context(), trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
			b.Fatal(err)
		}
	}
	token, err := s.makeToken(b.Context(), "alice", v1.RoleUser, "bench")
	if err != nil {
		b.Fatal(err)
	}
	to, err := client.New(s.url(), token, client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return s, to
}

// processorTime is what this process has used so far, clients included.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var submitBefore = flag.Int("submit.before", 0, "jobs that run already in BenchmarkSubmit")

// BenchmarkSubmit is durable submissions through the API over loopback, from as
// many clients at a time as the name says: each is answered when it is on disk.
func BenchmarkSubmit(b *testing.B) {
	for _, policy := range []string{"fcfs-bf", "libra"} {
		for _, clients := range []int{1, 64, 128} {
			b.Run(fmt.Sprintf("%s/clients-%d", policy, clients), func(b *testing.B) {
				s, to := benchService(b, policy, 1, 64)
				var next, there atomic.Int64
				var all sync.WaitGroup
				beside(64, func() {
					for there.Add(1) <= int64(*submitBefore) {
						cmd := trade.Command{By: trade.Identity{User: "alice", Role: trade.RoleUser}, Submit: wire.ToSubmit(&v1.SubmitRequest{
							Request: v1.Request{Argv: []string{"true"}, EstimateMS: 60_000, DeadlineMS: 1e9},
						})}
						if o, _, err := s.market.Do(b.Context(), cmd, api.Key{}); err != nil || o.Refusal != nil {
							b.Error(err, o.Refusal)
							return
						}
					}
				})
				began, before := time.Now(), processorTime(b)
				b.ResetTimer()
				for range clients {
					all.Go(func() {
						for next.Add(1) <= int64(b.N) {
							r := v1.Request{Argv: []string{"true"}, EstimateMS: 60_000, DeadlineMS: 1e9}
							if _, err := to.Submit(b.Context(), r, ""); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "jobs/s")
				b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/job")
			})
		}
	}
}

// BenchmarkQuote is a quote in a cluster of 10,000 processors half of which are
// taken, as a caller of the API sees it: the 99th of a hundred.
func BenchmarkQuote(b *testing.B) {
	s, to := benchService(b, "libra", 100, 100)
	for i := range 5000 {
		cmd := trade.Command{By: trade.Identity{User: "alice", Role: trade.RoleUser}, Submit: wire.ToSubmit(&v1.SubmitRequest{
			Request: v1.Request{Argv: []string{"true"}, EstimateMS: 3_600_000, DeadlineMS: 5_000_000 + int64(i)*1000},
		})}
		if o, _, err := s.market.Do(b.Context(), cmd, api.Key{}); err != nil || o.Refusal != nil {
			b.Fatal(err, o.Refusal)
		}
	}
	r := v1.Request{Argv: []string{"true"}, EstimateMS: 60_000, DeadlineMS: 600_000}
	measure := func(b *testing.B, ask func() (v1.Quote, error), then func(v1.Quote) error) {
		b.Helper()
		var took []time.Duration
		for range b.N {
			began := time.Now()
			q, err := ask()
			if err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
			b.StopTimer()
			if err := then(q); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	}
	b.Run("preview", func(b *testing.B) {
		measure(b, func() (v1.Quote, error) { return to.Preview(b.Context(), r) }, func(v1.Quote) error { return nil })
	})
	b.Run("binding", func(b *testing.B) {
		measure(b, func() (v1.Quote, error) { return to.AskQuote(b.Context(), r, 0) },
			func(q v1.Quote) error { return to.DropQuote(b.Context(), q.ID) })
	})
}

// BenchmarkAgents is a thousand agents that report every five seconds, each
// with a job of which it has news, and hold a poll open: the processor time that
// a second of that costs the service, clients included.
func BenchmarkAgents(b *testing.B) {
	const agents = 1000
	s, _ := benchService(b, "libra", agents, 1)
	for range agents {
		cmd := trade.Command{By: trade.Identity{User: "alice", Role: trade.RoleUser}, Submit: wire.ToSubmit(&v1.SubmitRequest{
			Request: v1.Request{Argv: []string{"true"}, EstimateMS: 3_600_000, DeadlineMS: 5_000_000},
		})}
		if o, _, err := s.market.Do(b.Context(), cmd, api.Key{}); err != nil || o.Refusal != nil {
			b.Fatal(err, o.Refusal)
		}
	}
	began := time.Now()
	nodes := make([]*link.Node, agents)
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		token, err := s.makeToken(b.Context(), name, v1.RoleNode, "bench")
		if err != nil {
			b.Fatal(err)
		}
		to, err := client.New(s.url(), token, client.Options{})
		if err != nil {
			b.Fatal(err)
		}
		nodes[i] = link.New(to, name)
	}
	b.ResetTimer()
	before, start := processorTime(b), time.Now()
	for n := range b.N {
		tick := time.NewTicker(5 * time.Second / agents)
		for i := range nodes {
			<-tick.C
			report := task.Report{Node: fmt.Sprintf("n%d", i), Tasks: []task.Status{{
				Key: task.Key{Job: int64(i + 1)}, State: task.Running, CPUUS: time.Since(began).Microseconds() - int64(n+1)*1e6,
			}}}
			if _, err := nodes[i].Report(b.Context(), report); err != nil {
				b.Fatal(err)
			}
		}
		tick.Stop()
	}
	b.ReportMetric((processorTime(b)-before).Seconds()/time.Since(start).Seconds()*100, "%core")
}

// BenchmarkStart is the start of a market with a million jobs behind it, until
// it answers.
func BenchmarkStart(b *testing.B) {
	file := filepath.Join(b.TempDir(), "libra.db")
	grow(b, file, 1_000_000)
	b.ResetTimer()
	for range b.N {
		st, err := store.Open(b.Context(), file)
		if err != nil {
			b.Fatal(err)
		}
		ctx, stop := context.WithCancel(b.Context())
		c, err := controller.Start(ctx, st, controller.Default())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Jobs(ctx, v1.JobQuery{Limit: 50}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		stop()
		<-c.Done()
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// grow makes a history: a log of two entries for each job, and its row, as the
// controller writes them. The commands are empty ones; the market has been
// stopped and started since, so a snapshot has seen them.
func grow(b *testing.B, file string, jobs int) {
	b.Helper()
	st, err := store.Open(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	run := func() {
		ctx, stop := context.WithCancel(b.Context())
		c, err := controller.Start(ctx, st, controller.Default())
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Healthy(ctx); err != nil {
			b.Fatal(err)
		}
		stop()
		<-c.Done()
	}
	run()
	last, _, err := st.Last(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	empty, err := json.Marshal(controller.Body{Command: trade.Command{Tick: &trade.Tick{}}})
	if err != nil {
		b.Fatal(err)
	}
	const batch = 5000
	for from := 0; from < jobs; from += batch {
		var w store.Batch
		for i := range batch {
			id := int64(from + i + 1)
			at := last.At + id
			for range 2 {
				last.Seq++
				w.Entries = append(w.Entries, store.Entry{Seq: last.Seq, At: at, Kind: "tick", Body: empty})
			}
			body, err := json.Marshal(v1.Job{
				ID: id, Owner: "alice", Account: "lab/alice", Name: "work", State: v1.Completed, SubmittedUS: at, StartedUS: at, EndedUS: at,
				Price: 1e6, Charged: 1e6, Width: 1, Policy: "libra", Places: []v1.Place{{Node: "n1"}},
			})
			if err != nil {
				b.Fatal(err)
			}
			w.Jobs = append(w.Jobs, store.Job{
				ID: id, Owner: "alice", Account: "lab/alice", Name: "work", State: "completed", Submitted: at, Ended: at, Spec: []byte("{}"), Body: body,
			})
		}
		if err := st.Append(b.Context(), w); err != nil {
			b.Fatal(err)
		}
	}
	run()
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}
