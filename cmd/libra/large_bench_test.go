package main

import (
	"flag"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

var (
	largeNodes = flag.Int("large.nodes", 200, "nodes of BenchmarkLarge, of 50 processors each")
	largeJobs  = flag.Int("large.jobs", 5000, "jobs that run there")
)

// BenchmarkLarge is a large market under libra, with nodes that obey and report every
// five seconds, as a client of its API sees it: a quote that binds, and is dropped; a
// preview; a page of jobs; a submission beside 63 others.
func BenchmarkLarge(b *testing.B) {
	s, to := benchService(b, "libra", 0, 0)
	reports := playNodes(b, s, *largeNodes, 50)
	var next atomic.Int64
	began := time.Now()
	beside(64, func() {
		for i := next.Add(1); i <= int64(*largeJobs); i = next.Add(1) {
			cmd := trade.Command{By: trade.Identity{User: "alice", Role: trade.RoleUser}, Submit: wire.ToSubmit(&v1.SubmitRequest{
				Request: v1.Request{Argv: []string{"true"}, EstimateMS: 3_600_000, DeadlineMS: 5_000_000 + i*100},
			})}
			if o, _, err := s.market.Do(b.Context(), cmd, api.Key{}); err != nil || o.Refusal != nil {
				b.Error(err, o.Refusal)
				return
			}
		}
	})
	b.Logf("%d jobs on %d nodes of 50: %.0f a second", *largeJobs, *largeNodes, float64(*largeJobs)/time.Since(began).Seconds())
	quiet, before, at := time.Now(), processorTime(b), reports.Load()
	time.Sleep(10 * time.Second)
	b.Logf("nodes alone: %.0f reports a second, %.0f %% of a core", float64(reports.Load()-at)/time.Since(quiet).Seconds(), 100*(processorTime(b)-before).Seconds()/time.Since(quiet).Seconds())
	r := v1.Request{Argv: []string{"true"}, EstimateMS: 60_000, DeadlineMS: 600_000}
	var q v1.Quote
	for _, of := range []struct {
		name string
		call func() error
		undo func() error // not timed
	}{
		{"quote", func() (err error) { q, err = to.AskQuote(b.Context(), r, 0); return err }, func() error { return to.DropQuote(b.Context(), q.ID) }},
		{"preview", func() error { _, err := to.Preview(b.Context(), r); return err }, nothing},
		{"jobs", func() error { _, err := to.Jobs(b.Context(), v1.JobQuery{Limit: 50}); return err }, nothing},
	} {
		b.Run(of.name, func(b *testing.B) {
			took := make([]time.Duration, 0, b.N)
			before := processorTime(b)
			for range b.N {
				began := time.Now()
				if err := of.call(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
				if err := of.undo(); err != nil {
					b.Fatal(err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/call")
		})
	}
	b.Run("submit", func(b *testing.B) {
		var next atomic.Int64
		began, before := time.Now(), processorTime(b)
		beside(64, func() {
			for next.Add(1) <= int64(b.N) {
				if _, err := to.Submit(b.Context(), r, ""); err != nil {
					b.Error(err)
					return
				}
			}
		})
		b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "jobs/s")
		b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/job")
	})
}

func nothing() error { return nil }

func beside(clients int, do func()) {
	var all sync.WaitGroup
	for range clients {
		all.Go(do)
	}
	all.Wait()
}
