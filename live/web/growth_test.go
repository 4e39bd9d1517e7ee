package web_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/web/webtest"
)

// weight is what a page that is open weighs, by the browser's own numbers, and its server.
type weight struct {
	nodes, listeners, documents, heap int64 // of the page; heap in bytes, after its garbage is collected
	server                            int64 // bytes, likewise
}

func (w weight) String() string {
	return fmt.Sprintf("%d nodes, %d listeners, %d documents, %.2f MB of script; server %.1f MB", w.nodes, w.listeners, w.documents, float64(w.heap)/1e6, float64(w.server)/1e6)
}

func weigh(p *webtest.Page) weight {
	p.Send("HeapProfiler.collectGarbage", nil, nil)
	var said struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	p.Send("Performance.getMetrics", nil, &said)
	is := map[string]int64{}
	for _, m := range said.Metrics {
		is[m.Name] = int64(m.Value)
	}
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return weight{is["Nodes"], is["JSEventListeners"], is["Documents"], is["JSHeapUsedSize"], int64(mem.HeapAlloc)}
}

// least is what stays of it: at any moment a table that was drawn anew a moment ago may not
// have been cleared away, nor the answer that the next is made of.
func least(p *webtest.Page) weight {
	w := weigh(p)
	for range 10 {
		time.Sleep(50 * time.Millisecond)
		again := weigh(p)
		w.nodes, w.listeners, w.documents = min(w.nodes, again.nodes), min(w.listeners, again.listeners), min(w.documents, again.documents)
		w.heap, w.server = min(w.heap, again.heap), min(w.server, again.server)
	}
	return w
}

// grown reports whether a page has more to carry than before, a fifth apart. Of answers, which
// are documents, the last may be there for as long as nothing else is asked for; if they
// stayed there would be one at least of each round.
func (w weight) grown(before weight) bool {
	return w.nodes > before.nodes+before.nodes/5 || w.listeners > before.listeners+before.listeners/5 || w.documents > before.documents+2
}

// hasty is a node that ends whatever it is told to do the next time that it looks, and
// remembers nothing of it.
func hasty(ctx context.Context, f *webtest.Floor, name string) {
	d, err := f.Market.Desired(ctx, name, -1, 0)
	if err != nil {
		return
	}
	report := task.Report{Node: name, Version: d.Version}
	now := f.Clock.Now().UnixMicro()
	for i := range d.Orders {
		if o := &d.Orders[i]; len(o.Spec.Script) > 0 && slices.Contains(o.Spec.Env, "SHORT=yes") {
			report.Tasks = append(report.Tasks, task.Status{Key: o.Spec.Key, State: task.Ended, CPUUS: 1000, StartedUS: now - 1000, EndedUS: now})
		}
	}
	if len(report.Tasks) > 0 {
		_, _ = f.Market.Report(ctx, report) // the next one says it again
	}
}

// turn lets so many jobs come and end while somebody looks on.
func turn(t *testing.T, f *webtest.Floor, p *webtest.Page, jobs int) {
	t.Helper()
	last := int64(0)
	for range jobs {
		last = f.Submit("alice", v1.Request{Name: "short", EstimateMS: 100, DeadlineMS: 60_000, Env: []string{"SHORT=yes"}}).Job.ID
		hasty(t.Context(), f, "n1")
	}
	waitFor(t, "the last to end", func() bool {
		hasty(t.Context(), f, "n1")
		j, err := f.Market.Job(t.Context(), last)
		return err == nil && j.State.Final()
	})
	p.Until("the last on the page", fmt.Sprintf(`document.querySelector("#j%d .tag")?.textContent === "completed"`, last))
}

// A page of jobs that is left open does not grow, however many come and end: of each that
// comes in, another goes out, with all that belongs to it.
func TestAListThatIsOpenDoesNotGrow(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.Send("Performance.enable", nil, nil)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs")
	for _, path := range []string{"/jobs", "/market"} {
		if path != "/jobs" {
			p.Go(path)
		}
		round := func() weight {
			if path == "/jobs" {
				turn(t, s.Floor, p, 60) // a whole page of others
			} else {
				for range 60 {
					s.Submit("bob", v1.Request{Name: "short", EstimateMS: 100, DeadlineMS: 60_000, Env: []string{"SHORT=yes"}})
				}
			}
			return least(p)
		}
		if path == "/jobs" {
			s.Submit("alice", v1.Request{Name: "first", EstimateMS: 600_000, DeadlineMS: 3_600_000, Script: "# work 600s\n"})
			p.Go(path)
		}
		round() // fills the page
		before := round()
		var after weight
		for range 4 {
			after = round()
		}
		for began := time.Now(); after.grown(before) && time.Since(began) < time.Minute; {
			after = least(p) // what was only late in being cleared away is gone by then
		}
		t.Logf("%s: %s; after four times as many: %s", path, before, after)
		if after.grown(before) {
			t.Errorf("%s grows: %s, then %s", path, before, after)
		}
	}
	clean(t, p)
}

// TestWatch measures a list of ten thousand jobs in a browser: when its first paint is, and
// what page and server weigh while it is watched. It runs where LIBRA_WATCH says for how
// long (10m).
func TestWatch(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("LIBRA_WATCH"))
	if err != nil {
		t.Skip("LIBRA_WATCH says no period of time")
	}
	chrome := webtest.Browser(t)
	f, h := crowd(t, 4992, 5056)
	server := serve(t, h)
	p := chrome.Page(server.URL)
	p.Send("Performance.enable", nil, nil)
	p.SignIn(f.Secret("alice"))
	var paints []float64
	for range 15 {
		p.Go("/jobs")
		p.Until("a first paint", `performance.getEntriesByName("first-contentful-paint").length`)
		var at float64
		p.Eval(`performance.getEntriesByName("first-contentful-paint")[0].startTime`, &at)
		paints = append(paints, at)
	}
	var rows, all string
	p.Eval(`String(document.querySelectorAll("tbody tr").length)`, &rows)
	p.Eval(`document.querySelector("#filters .n").textContent`, &all)
	slices.Sort(paints)
	t.Logf("%s jobs, %s rows of them on the page; first contentful paint: median %.0f ms, slowest of %d %.0f ms", all, rows, paints[len(paints)/2], len(paints), paints[len(paints)-1])

	f.Submit("alice", v1.Request{Name: "short", EstimateMS: 100, DeadlineMS: 60_000, Env: []string{"SHORT=yes"}})
	turn(t, f, p, 60)
	began, jobs := time.Now(), 0
	for minute := 0; ; minute++ {
		t.Logf("after %s and %s jobs: %s", time.Since(began).Round(time.Second), strconv.Itoa(jobs), weigh(p))
		if time.Since(began) >= long {
			break
		}
		for until := began.Add(min(long, time.Duration(minute+1)*time.Minute)); time.Now().Before(until); {
			turn(t, f, p, 5)
			jobs += 5
			time.Sleep(500 * time.Millisecond)
		}
	}
	clean(t, p)
}
