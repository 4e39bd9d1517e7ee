package slurm_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/model"
)

// BenchmarkSite is a site of 500 nodes with 4 processors each: 20,000 jobs of some seconds
// go through a market in front of a Slurm in memory, from 64 users at a time, and then all
// nodes report their tasks. It says what of processor time a job costs, with the model of
// Slurm, the store and all; how long a listing takes; and what a report costs.
func BenchmarkSite(b *testing.B) {
	const nodes, jobs, users = 500, 20_000, 64
	for range b.N {
		names := make([]string, nodes)
		for i := range names {
			names[i] = fmt.Sprintf("n%03d", i)
		}
		batch := model.New(1, names...)
		batch.Forgets = false
		ctx, stop := context.WithCancel(b.Context())
		go batch.Run(ctx)
		go func() {
			for ctx.Err() == nil {
				time.Sleep(5 * time.Second)
				batch.Purge(time.Now().Add(-30 * time.Second))
			}
		}()
		f, backend, end := openFloor(b, filepath.Join(b.TempDir(), "libra.db"), "fcfs-bf", slurm.None, batch)
		f.nodesUp(b, nodes)
		for u := range users {
			f.fund(b, fmt.Sprintf("u%d", u))
		}
		before, began := spent(b), time.Now()
		var next atomic.Int64
		var all sync.WaitGroup
		for u := range users {
			by := trade.Identity{User: fmt.Sprintf("u%d", u), Role: trade.RoleUser}
			all.Go(func() {
				for next.Add(1) <= jobs {
					r := trade.Request{Argv: []string{"true", "takes 5s exit 0"}, Dir: "/", EstimateMS: 10_000}
					if o, _, err := f.Do(b.Context(), trade.Command{By: by, Submit: &trade.Submit{Request: r}}, trade.Key{}); err != nil || o.Refusal != nil {
						b.Errorf("%v %+v", err, o.Refusal)
						return
					}
				}
			})
		}
		all.Wait()
		accepted := time.Since(began)
		b.ReportMetric(float64(spent(b)-before)/1e3/jobs, "µs-cpu/accepted")
		b.ReportMetric(jobs/accepted.Seconds(), "accepted/s")
		listing := 0.0
		for done := int64(0); done < jobs; time.Sleep(200 * time.Millisecond) {
			counts, err := f.CountJobs(b.Context(), "")
			if err != nil {
				b.Fatal(err)
			}
			done = 0
			for state, n := range counts {
				if state.Final() {
					done += n
				}
			}
			listing = max(listing, backend.Measure()["slurm_listing_seconds"])
			if time.Since(began) > 10*time.Minute {
				b.Fatalf("%d of %d have ended: %v", done, jobs, counts)
			}
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/all")
		b.ReportMetric(float64(spent(b)-before)/1e3/jobs, "µs-cpu/job")
		b.ReportMetric(listing*1e3, "ms/listing")
		reports(b, f)
		end()
		stop()
	}
}

// reports measures what a report of a node with four running tasks costs.
func reports(b *testing.B, f floor) {
	b.Helper()
	for range 500 * 4 {
		r := trade.Request{Argv: []string{"true", "takes 1h exit 0"}, Dir: "/", EstimateMS: 3_600_000}
		if _, _, err := f.Do(b.Context(), trade.Command{By: trade.Identity{User: "u0", Role: trade.RoleUser}, Submit: &trade.Submit{Request: r}}, trade.Key{}); err != nil {
			b.Fatal(err)
		}
	}
	all := map[string][]task.Status{}
	for n := range 500 {
		name := fmt.Sprintf("n%03d", n)
		d, err := f.Desired(b.Context(), name, -1, 0)
		if err != nil {
			b.Fatal(err)
		}
		for i := range d.Orders {
			all[name] = append(all[name], task.Status{Key: d.Orders[i].Spec.Key, State: task.Running, CPUUS: 1000, StartedUS: time.Now().UnixMicro()})
		}
	}
	const rounds = 20
	before := spent(b)
	tasks := 0
	for k := range rounds {
		for name, statuses := range all {
			for i := range statuses {
				statuses[i].CPUUS += int64(k) * 1000
			}
			tasks += len(statuses)
			if _, err := f.Report(b.Context(), task.Report{Node: name, Tasks: statuses}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(spent(b)-before)/1e3/float64(rounds*len(all)), "µs-cpu/report")
	b.ReportMetric(float64(tasks)/float64(rounds*len(all)), "tasks/report")
}

// spent is the processor time of this program so far, in nanoseconds.
func spent(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
