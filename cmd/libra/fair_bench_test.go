package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/fair"
)

var unlimited = flag.Bool("unlimited", false, "the benchmarks of fairness measure a market without limits")

var pile = flag.Bool("pile", false, "in the benchmarks of fairness no job ever ends: the market grows and grows")

var floodFor = flag.Duration("flood", 10*time.Second, "how long the benchmarks of fairness measure, quiet and flooded each")

// crowd is a market with limits, and users with money.
type crowd struct {
	tb     testing.TB
	s      *service
	limits fair.Limits
	secret map[string]string
}

func newCrowd(tb testing.TB, limits fair.Limits, users ...string) *crowd {
	tb.Helper()
	c := config.Default()
	c.Store = filepath.Join(tb.TempDir(), "libra.db")
	c.Listen, c.Lease = "127.0.0.1:0", 0
	if c.Limits.Limits = limits; *unlimited {
		c.Limits = config.Limits{}
	}
	s, err := startService(tb.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.close(); err != nil {
			tb.Error(err)
		}
	})
	hello := task.Hello{Node: "n1", Processors: 64, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}
	if _, err := s.market.Hello(tb.Context(), hello); err != nil {
		tb.Fatal(err)
	}
	w := &crowd{tb: tb, s: s, limits: limits, secret: map[string]string{}}
	for _, user := range users {
		for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/" + user, User: user}, {Op: "grant", To: "lab/" + user, Amount: int64(1e9 * market.Unit)}} {
			if _, _, err := s.market.Do(tb.Context(), trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
				tb.Fatal(err)
			}
		}
		if w.secret[user], err = s.makeToken(tb.Context(), user, v1.RoleUser, "bench"); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// caller is one user with connections of their own. It does not wait when it is
// told to.
type caller struct {
	*crowd
	secret string
	http   *http.Client

	mu      sync.Mutex
	took    []time.Duration
	refused atomic.Int64
	failed  atomic.Int64
}

func (w *crowd) caller(user string) *caller {
	c := &caller{crowd: w, secret: w.secret[user], http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	w.tb.Cleanup(c.http.CloseIdleConnections)
	return c
}

func (c *caller) ask(ctx context.Context, method, path string, body []byte) {
	r, err := http.NewRequestWithContext(ctx, method, c.s.url()+path, bytes.NewReader(body))
	if err != nil {
		c.failed.Add(1)
		return
	}
	r.Header.Set("Authorization", "Bearer "+c.secret)
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	res, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			c.failed.Add(1)
		}
		return
	}
	said, _ := io.ReadAll(res.Body)
	res.Body.Close()
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		c.refused.Add(1)
	case res.StatusCode >= 400:
		if c.failed.Add(1) == 1 {
			c.tb.Logf("%s %s: %d %s", method, path, res.StatusCode, said)
		}
	default:
		c.mu.Lock()
		c.took = append(c.took, time.Since(began))
		c.mu.Unlock()
	}
}

// submission is a job that is taken and stays, and errand one that is soon done.
var submission, errand = handIn("sleep"), handIn("true")

func handIn(program string) []byte {
	text, err := json.Marshal(v1.SubmitRequest{Request: v1.Request{Argv: []string{program}, EstimateMS: 60_000, DeadlineMS: 1e9}})
	if err != nil {
		panic(err)
	}
	return text
}

// errandTakes is how long an errand runs.
const errandTakes = time.Second

// work is the node: it takes what it should be doing and says what is done, like an
// agent. Without it the jobs of honest users would pile up as no real ones do, and
// what is measured were not the flood but the pile.
func (w *crowd) work(ctx context.Context) {
	begun, version := map[task.Key]time.Time{}, int64(-1)
	for ctx.Err() == nil {
		d, err := w.s.market.Desired(ctx, "n1", version, errandTakes/10)
		if err != nil {
			return
		}
		version = d.Version
		now, wanted := time.Now(), map[task.Key]bool{}
		report := task.Report{Node: "n1", Version: version}
		for i := range d.Orders {
			spec := &d.Orders[i].Spec
			if spec.Argv[0] != "true" {
				continue
			}
			if wanted[spec.Key] = true; begun[spec.Key].IsZero() {
				begun[spec.Key] = now
			} else if now.Sub(begun[spec.Key]) >= errandTakes {
				report.Tasks = append(report.Tasks, task.Status{Key: spec.Key, State: task.Ended, CPUUS: 1000})
			}
		}
		maps.DeleteFunc(begun, func(k task.Key, _ time.Time) bool { return !wanted[k] })
		if len(report.Tasks) > 0 {
			if _, err := w.s.market.Report(ctx, report); err != nil {
				return
			}
		}
		pauseFor(ctx, errandTakes/10)
	}
}

// steadily calls at a rate, whether or not the answers have come, with so many under
// way at the most.
func (c *caller) steadily(ctx context.Context, rate float64, call func(i int)) {
	tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer tick.Stop()
	under := make(chan struct{}, 256)
	var all sync.WaitGroup
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			all.Wait()
			return
		case <-tick.C:
		}
		select {
		case under <- struct{}{}:
			all.Go(func() { call(i); <-under })
		default: // it does not come to more
		}
	}
}

// honest uses the market: every other call only looks.
func (c *caller) honest(ctx context.Context, rate float64) {
	c.steadily(ctx, rate, func(i int) {
		if i%2 == 0 {
			c.ask(context.WithoutCancel(ctx), http.MethodPost, "/v1/jobs", errand)
		} else {
			c.ask(context.WithoutCancel(ctx), http.MethodGet, "/v1/jobs?state=live&limit=20", nil)
		}
	})
}

// percentile is that of all that callers have measured.
func percentile(callers []*caller, part float64) time.Duration {
	var all []time.Duration
	for _, c := range callers {
		all = append(all, c.took...)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(part*float64(len(all)-1))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// BenchmarkFlood is twenty users beside two that send ten times what their rate
// allows: how long the twenty wait, and who is refused. The jobs of the twenty end,
// those of the two stay. Run it with -benchtime 1x, and -flood 1m for a minute of it.
func BenchmarkFlood(b *testing.B) {
	const honest, flooders = 20, 2
	for range b.N {
		var users []string
		for i := range honest {
			users = append(users, fmt.Sprint("honest", i))
		}
		for i := range flooders {
			users = append(users, fmt.Sprint("flood", i))
		}
		w := newCrowd(b, fair.Default(), users...)
		if !*pile {
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			go w.work(ctx)
		}
		run := func(flood bool) (good, bad []*caller) {
			ctx, stop := context.WithTimeout(b.Context(), *floodFor)
			defer stop()
			var all sync.WaitGroup
			for i := range honest {
				c := w.caller(users[i])
				good = append(good, c)
				rate := w.limits.Commands / 5
				all.Go(func() { // they do not all come at once
					pauseFor(ctx, time.Duration(float64(i)/honest/rate*float64(time.Second)))
					c.honest(ctx, rate)
				})
			}
			for i := range flooders {
				if c := w.caller(users[honest+i]); flood {
					bad = append(bad, c)
					all.Go(func() {
						c.steadily(ctx, 10*w.limits.Commands, func(int) { c.ask(ctx, http.MethodPost, "/v1/jobs", submission) })
					})
				}
			}
			all.Wait()
			return good, bad
		}
		quiet, _ := run(false)
		good, bad := run(true)
		after, _ := run(false) // with what the flood has left behind: what an arrival costs under libra grows with it
		for _, c := range slices.Concat(quiet, good, after) {
			if c.refused.Load()+c.failed.Load() > 0 {
				b.Errorf("%d calls of an honest user were refused, %d failed", c.refused.Load(), c.failed.Load())
			}
		}
		measured, err := w.s.market.Measure(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		refused, answered := int64(0), 0
		for _, c := range bad {
			refused += c.refused.Load()
			answered += len(c.took)
		}
		b.ReportMetric(milliseconds(percentile(quiet, 0.5)), "quiet-p50-ms")
		b.ReportMetric(milliseconds(percentile(quiet, 0.99)), "quiet-p99-ms")
		b.ReportMetric(milliseconds(percentile(good, 0.5)), "flooded-p50-ms")
		b.ReportMetric(milliseconds(percentile(good, 0.99)), "flooded-p99-ms")
		b.ReportMetric(milliseconds(percentile(after, 0.5)), "after-p50-ms")
		b.ReportMetric(milliseconds(percentile(after, 0.99)), "after-p99-ms")
		b.ReportMetric(float64(refused), "flood-refused")
		b.ReportMetric(float64(answered), "flood-done")
		b.ReportMetric(measured[`jobs{state="running"}`], "jobs-left")
	}
}

// BenchmarkNeighbour is the median answer that a user has, alone and beside another
// who asks on 24 connections for what is dear.
func BenchmarkNeighbour(b *testing.B) {
	for range b.N {
		w := newCrowd(b, fair.Default(), "ann", "crowd")
		filler := w.caller("crowd")
		for range 400 {
			filler.ask(b.Context(), http.MethodPost, "/v1/jobs", submission)
		}
		ask := func(ctx context.Context, c *caller) {
			for ctx.Err() == nil {
				c.ask(ctx, http.MethodGet, "/v1/prices", nil)
				pauseFor(ctx, 5*time.Millisecond)
			}
		}
		measure := func(beside int) []*caller {
			ctx, stop := context.WithTimeout(b.Context(), *floodFor)
			defer stop()
			var all sync.WaitGroup
			ann, other := w.caller("ann"), w.caller("crowd")
			for range beside {
				all.Go(func() {
					for ctx.Err() == nil {
						other.ask(ctx, http.MethodGet, "/v1/jobs?limit=500&counts=1", nil)
					}
				})
			}
			ask(ctx, ann)
			stop()
			all.Wait()
			return []*caller{ann}
		}
		alone, beside := percentile(measure(0), 0.5), percentile(measure(24), 0.5)
		b.ReportMetric(milliseconds(alone), "alone-p50-ms")
		b.ReportMetric(milliseconds(beside), "beside-p50-ms")
		b.ReportMetric(float64(beside)/float64(max(alone, 1)), "ratio")
	}
}

func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
