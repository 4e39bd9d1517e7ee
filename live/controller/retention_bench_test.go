package controller

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/store"
)

// past is a market that lives fast: its commands are carried out one after the other in
// a time of their own, and written down many at a time. What it leaves is what a
// market leaves that took years.
type past struct {
	*Controller
	at   time.Time
	full chan store.Batch
	done chan error
}

func newPast(tb testing.TB, st store.Store) *past {
	tb.Helper()
	p := &past{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), full: make(chan store.Batch, 2), done: make(chan error, 1)}
	cfg := Default()
	cfg.Version, cfg.Unsaid = "bench", epoch.LiveSettings()
	cfg.Now = func() time.Time { return p.at }
	ctx, stop := context.WithCancel(tb.Context())
	c, err := Start(ctx, st, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	owner := trade.Identity{User: "root", Role: trade.RoleOwner}
	for i := range 20 {
		for _, m := range []trade.MoneyCommand{
			{Op: "open", To: fmt.Sprintf("lab/user%d", i), User: fmt.Sprintf("user%d", i)},
			{Op: "grant", To: fmt.Sprintf("lab/user%d", i), Amount: math.MaxInt64 / 100},
		} {
			if _, _, err := c.Do(ctx, trade.Command{By: owner, Money: &m}, trade.Key{}); err != nil {
				tb.Fatal(err)
			}
		}
	}
	for i := range 4 {
		if _, err := c.Hello(ctx, task.Hello{Node: fmt.Sprintf("node%d", i), Processors: 16, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}); err != nil {
			tb.Fatal(err)
		}
	}
	stop()
	<-c.Done()
	c.pending, c.since = &batch{}, 0 // its loop has ended: it is ours from here on
	p.Controller = c
	go func() {
		var bad error
		for b := range p.full {
			if bad == nil {
				bad = st.Append(context.Background(), b)
			}
		}
		p.done <- bad
	}()
	return p
}

// live lets jobs come and end, a second each.
func (p *past) live(tb testing.TB, jobs int) {
	tb.Helper()
	const atOnce = 2000
	for i := range jobs {
		p.at = p.at.Add(time.Second)
		user := fmt.Sprintf("user%d", i%20)
		a := &call{cmd: &trade.Command{By: trade.Identity{User: user, Role: trade.RoleUser}, Submit: &trade.Submit{Request: trade.Request{
			Name: "work", Argv: []string{"/home/" + user + "/bin/solve", "--input", fmt.Sprintf("case-%d.dat", i)},
			EstimateMS: 600_000 + int64(i%977)*1000, DeadlineMS: 3_600_000, Dir: "/home/" + user,
		}}}}
		if err := p.do(a); err != nil || a.out.Refusal != nil {
			tb.Fatal(err, a.out.Refusal)
		}
		j := a.out.Job
		p.at = p.at.Add(time.Duration(300+i%300) * time.Millisecond)
		end := &call{cmd: &trade.Command{By: trade.Identity{User: j.Places[0].Node, Role: trade.RoleNode}, Report: &trade.Measured{Tasks: []task.Status{{
			Key: task.Key{Job: j.ID}, State: task.Ended, CPUUS: 1_000_000, PeakBytes: 1 << 20, StartedUS: j.StartedUS, EndedUS: p.at.UnixMicro(),
		}}}}}
		if err := p.do(end); err != nil {
			tb.Fatal(err)
		}
		if i%atOnce == atOnce-1 || i == jobs-1 {
			p.fleet.publish(p.fleet.due(p.x, p.now()))
			p.full <- p.pending.Batch
			p.pending = &batch{}
		}
	}
	close(p.full)
	if err := <-p.done; err != nil {
		tb.Fatal(err)
	}
	for range 2 { // as two would be there, one after the other
		s, err := p.snapshot().encode()
		if err == nil {
			err = p.log.SaveSnapshot(tb.Context(), s)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkRetention is a store with the past of a market, and what becomes of it when its
// log is archived: sizes for each job, and how long a start and archiving take.
// LIBRA_BENCH_JOBS says how many jobs there are.
func BenchmarkRetention(b *testing.B) {
	jobs := 2000
	if n, err := strconv.Atoi(os.Getenv("LIBRA_BENCH_JOBS")); err == nil {
		jobs = n
	}
	for range b.N {
		dir := b.TempDir()
		file := filepath.Join(dir, "libra.db")
		st, err := store.Open(b.Context(), file)
		if err != nil {
			b.Fatal(err)
		}
		report := func(name string, x float64) { b.ReportMetric(x, name) }
		size := func() float64 {
			at, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			return float64(at.Size()) / float64(jobs)
		}
		began := time.Now()
		newPast(b, st).live(b, jobs)
		report("filled-jobs/s", float64(jobs)/time.Since(began).Seconds())
		report("B/job", closed(b, st, size))
		report("start-ms", started(b, file, dir))

		if st, err = store.Open(b.Context(), file); err != nil {
			b.Fatal(err)
		}
		if _, _, err = st.Lead(b.Context()); err != nil {
			b.Fatal(err)
		}
		m := &archive.Mover{Store: st, Dir: filepath.Join(dir, "archive")}
		began = time.Now()
		var moved, packed int64
		for more := true; more; {
			r, err := m.Move(b.Context(), math.MaxInt64, 1)
			if err != nil {
				b.Fatal(err)
			}
			if more = r.More; r.Archive != nil {
				packed += r.Archive.Size
			}
			moved += r.Removed
		}
		if moved < 2*int64(jobs) {
			b.Fatalf("%d entries moved", moved)
		}
		report("archived-jobs/s", float64(jobs)/time.Since(began).Seconds())
		report("archive-B/job", float64(packed)/float64(jobs))
		if err := store.Shrink(b.Context(), st); err != nil {
			b.Fatal(err)
		}
		report("archived-B/job", closed(b, st, size))
		report("archived-start-ms", started(b, file, dir))
	}
}

func closed(b *testing.B, st store.Store, size func() float64) float64 {
	b.Helper()
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	return size()
}

// started is how long it takes from an address to a market that lists its jobs, in
// milliseconds.
func started(b *testing.B, file, dir string) float64 {
	b.Helper()
	began := time.Now()
	st, err := store.Open(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	cfg := Default()
	cfg.Unsaid = epoch.LiveSettings()
	c, err := Start(ctx, archive.Whole(st, filepath.Join(dir, "archive")), cfg)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Jobs(ctx, v1.JobQuery{Limit: 50}); err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	stop()
	<-c.Done()
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	return float64(took.Microseconds()) / 1000
}
