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
	jobs int // so far
	full chan store.Batch
	done chan error
}

func newPast(tb testing.TB, st store.Store) *past {
	tb.Helper()
	p := &past{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), full: make(chan store.Batch), done: make(chan error, 1)}
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
	if _, _, err := st.Lead(tb.Context()); err != nil { // it gave that up when it ended
		tb.Fatal(err)
	}
	c.pending, c.since = &batch{}, 0 // its loop has ended: it is ours from here on
	p.Controller = c
	go func() {
		for b := range p.full {
			p.done <- st.Append(context.Background(), b)
		}
	}()
	tb.Cleanup(func() { close(p.full) })
	return p
}

// live lets jobs come and end, a second each. One batch is written while the next is
// made.
func (p *past) live(tb testing.TB, jobs int) {
	tb.Helper()
	const atOnce = 2000
	written := func() {
		if err := <-p.done; err != nil {
			tb.Fatal(err)
		}
	}
	for sent, end := false, p.jobs+jobs; p.jobs < end; p.jobs++ {
		p.job(tb, p.jobs)
		if p.jobs%atOnce < atOnce-1 && p.jobs < end-1 {
			continue
		}
		p.fleet.publish(p.fleet.due(p.x, p.now()))
		if sent {
			written()
		}
		p.full <- p.pending.Batch
		p.pending, sent = &batch{}, true
	}
	written()
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

func (p *past) job(tb testing.TB, i int) {
	tb.Helper()
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
}

// A market archives as it goes; without, ten million jobs would take 95 GB.
const archivedEvery = 250_000

// BenchmarkRetention is a store with the past of a market, and what becomes of it when its
// log is archived: sizes for each job, and how long a start and archiving take.
// LIBRA_BENCH_JOBS says how many jobs there are; up to archivedEvery are measured before
// they are archived too.
func BenchmarkRetention(b *testing.B) {
	jobs := 2000
	if n, err := strconv.Atoi(os.Getenv("LIBRA_BENCH_JOBS")); err == nil {
		jobs = n
	}
	for range b.N {
		retain(b, b.TempDir(), jobs)
	}
}

func retain(b *testing.B, dir string, jobs int) {
	b.Helper()
	file, files := filepath.Join(dir, "libra.db"), filepath.Join(dir, "archive")
	st, err := store.Open(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	size := func() float64 {
		at, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		return float64(at.Size()) / float64(jobs)
	}
	var filling, archiving time.Duration
	var packed int64
	market := newPast(b, st)
	for left := jobs; left > 0; left -= archivedEvery {
		began := time.Now()
		market.live(b, min(left, archivedEvery))
		filling += time.Since(began)
		if jobs <= archivedEvery {
			b.ReportMetric(closed(b, st, size), "B/job")
			b.ReportMetric(started(b, file, files), "start-ms")
			st = led(b, file)
		}
		began = time.Now()
		packed += archiveAll(b, st, files)
		archiving += time.Since(began)
		b.Logf("%d jobs: filled in %v, archived in %v", market.jobs, filling, archiving)
	}
	b.ReportMetric(float64(jobs)/filling.Seconds(), "filled-jobs/s")
	b.ReportMetric(float64(jobs)/archiving.Seconds(), "archived-jobs/s")
	b.ReportMetric(float64(packed)/float64(jobs), "archive-B/job")
	began := time.Now()
	if err := store.Shrink(b.Context(), st); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(began).Seconds(), "shrink-s")
	b.ReportMetric(closed(b, st, size), "archived-B/job")
	b.ReportMetric(started(b, file, files), "archived-start-ms")
}

// led is a store that may be written to.
func led(b *testing.B, file string) store.Store {
	b.Helper()
	st, err := store.Open(b.Context(), file)
	if err == nil {
		_, _, err = st.Lead(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// archiveAll moves all of the log that no start needs into files, and says how large they
// are.
func archiveAll(b *testing.B, st store.Store, files string) (packed int64) {
	b.Helper()
	m := &archive.Mover{Store: st, Dir: files}
	removed := int64(0)
	for more := true; more; {
		r, err := m.Move(b.Context(), math.MaxInt64, 1)
		if err != nil {
			b.Fatal(err)
		}
		if more = r.More; r.Archive != nil {
			packed += r.Archive.Size
		}
		removed += r.Removed
	}
	if removed == 0 {
		b.Fatal("nothing was archived")
	}
	return packed
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
func started(b *testing.B, file, files string) float64 {
	b.Helper()
	began := time.Now()
	st, err := store.Open(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	cfg := Default()
	cfg.Unsaid = epoch.LiveSettings()
	c, err := Start(ctx, archive.Whole(st, files), cfg)
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
