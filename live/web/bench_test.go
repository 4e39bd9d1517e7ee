package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// crowd is a market with many jobs: so many that wait, and so many that have run.
func crowd(t testing.TB, waiting, ended int) (*webtest.Floor, *web.Handler) {
	t.Helper()
	f := webtest.Open(t)
	f.People(1_000_000_000, "root", "alice")
	n := f.Join("n1", 16)
	var wg sync.WaitGroup
	for range 64 { // together, so that many share a write
		wg.Go(func() {
			for range ended / 64 {
				f.Submit("alice", v1.Request{Name: "short", EstimateMS: 1, Script: "# work 1ms\n"})
			}
		})
	}
	wg.Wait()
	for {
		n.Turn(context.Background(), time.Second)
		counts, err := f.Market.CountJobs(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		if counts[v1.Running]+counts[v1.Queued] == 0 {
			break
		}
	}
	long := f.Submit("alice", v1.Request{Name: "long", EstimateMS: 3_600_000, DeadlineMS: 36_000_000, Script: "# work 1h\n"})
	for range 64 {
		wg.Go(func() {
			for range waiting / 64 {
				f.Submit("alice", v1.Request{Name: "after-it", EstimateMS: 60_000, DeadlineMS: 86_400_000, After: []int64{long.Job.ID}})
			}
		})
	}
	wg.Wait()
	h := web.New(f.Market, f.Keys, web.Options{Log: logTo(t)})
	return f, h
}

// browser is a client that has signed in, and where its pages are.
func browser(t testing.TB, server *httptest.Server, h *web.Handler, who trade.Identity) (c *http.Client, at string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c = &http.Client{Jar: jar}
	_, key, _ := strings.Cut(h.LoginLink(who), "key=")
	res, err := c.PostForm(server.URL+"/login", url.Values{"key": {key}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return c, server.URL + strings.TrimSuffix(res.Request.URL.Path, "/jobs")
}

// load gets a page and says when its first byte came and how large it is.
func load(t testing.TB, c *http.Client, address string) (first time.Duration, size int, body string) {
	t.Helper()
	start := time.Now()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	first = time.Since(start) // the header is the first that comes
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", address, res.StatusCode, err)
	}
	return first, len(text), string(text)
}

// A page of a table of ten thousand jobs, with everything it loads, stays small,
// and the next page is another one.
func TestTenThousandJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand jobs take a while")
	}
	f, h := crowd(t, 4992, 5056)
	server := serve(t, h)
	c, at := browser(t, server, h, webtest.User("alice"))
	o, atOwner := browser(t, server, h, webtest.Root)
	assets := 0
	for _, name := range []string{
		"style.css", "app.js", "time.js", "live.js", "carry.js", "along.js", "forms.js", "jobs.js", "pick.js", "job.js", "find.js", "cursor.js", "draft.js", "submit.js", "owner.js", "format.js", "icon.svg",
	} {
		_, size, _ := load(t, c, server.URL+web.AssetURL(name))
		assets += size
	}
	const most = 150_000
	for _, page := range []struct {
		client *http.Client
		at     string
		path   string
	}{
		{c, at, "/jobs"},
		{c, at, "/jobs?before=5000"},
		{c, at, "/jobs?sort=-cost"},
		{c, at, "/submit"},
		{c, at, "/market"},
		{c, at, "/account"},
		{o, atOwner, "/jobs"},
		{o, atOwner, "/owner"},
	} {
		var times []time.Duration
		size := 0
		for range 9 {
			first, n, _ := load(t, page.client, page.at+page.path)
			times, size = append(times, first), n
		}
		slices.Sort(times)
		t.Logf("%-20s %6d bytes, %d with what it loads; first byte in %s (median of 9, slowest %s)", page.path, size, size+assets,
			times[4].Round(100*time.Microsecond), times[8].Round(100*time.Microsecond))
		if size+assets > most {
			t.Errorf("%s has %d bytes with what it loads, more than %d", page.path, size+assets, most)
		}
	}
	_, _, first := load(t, c, at+"/jobs")
	if rows := strings.Count(first, `<tr id="j`); rows != 50 {
		t.Errorf("%d rows", rows)
	}
	counts, err := f.Market.CountJobs(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	if total < 10_000 || !strings.Contains(first, fmt.Sprintf("%d,%03d", total/1000, total%1000)) {
		t.Errorf("there are %d jobs", total)
	}
}

// BenchmarkJobsPage is the time to the whole page of a table of ten thousand jobs.
func BenchmarkJobsPage(b *testing.B) {
	_, h := crowd(b, 4992, 5056)
	server := serve(b, h)
	c, at := browser(b, server, h, webtest.User("alice"))
	for b.Loop() {
		load(b, c, at+"/jobs")
	}
}

// BenchmarkFollowers is what it costs to keep two hundred open pages up to date
// while a hundred jobs run: processor time of the whole process, market, pages
// and the two hundred readers together, as a part of one core.
func BenchmarkFollowers(b *testing.B) {
	table := "/events?for=jobs&from=0&to=0"
	for _, c := range []struct {
		name      string
		pages     int
		addresses []string
	}{
		{"none", 0, nil},
		{"200-of-all-kinds", 200, []string{table, "/events?for=job&id=7", "/events?for=market&span=hour", "/events?for=owner"}},
		{"200-tables", 200, []string{table}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkFollowers(b, c.pages, c.addresses) })
	}
}

func benchmarkFollowers(b *testing.B, pages int, addresses []string) {
	f := webtest.Open(b)
	f.People(1_000_000_000, "root", "alice", "bob")
	n := f.Join("n1", 32)
	for i := range 100 {
		f.Submit([]string{"alice", "bob"}[i%2], v1.Request{EstimateMS: 3_600_000, DeadlineMS: 36_000_000, Script: "# work 1h\n"})
	}
	n.Play()
	h := web.New(f.Market, f.Keys, web.Options{})
	server := serve(b, h)
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	var mu sync.Mutex
	var bytes, messages int64
	for i := range pages {
		c, at := browser(b, server, h, webtest.Root)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+addresses[i%len(addresses)], nil)
		if err != nil {
			b.Fatal(err)
		}
		res, err := c.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			defer res.Body.Close()
			buffer := make([]byte, 64<<10)
			for {
				n, err := res.Body.Read(buffer)
				mu.Lock()
				bytes += int64(n)
				messages += int64(strings.Count(string(buffer[:n]), "\nevent: ")) + 1
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	// Something happens all the time: four times a second a job comes, and one
	// ends, and shares change.
	wg.Go(func() {
		for ctx.Err() == nil {
			f.Submit("alice", v1.Request{EstimateMS: 2_000, DeadlineMS: 60_000, Script: "# work 1s\n"})
			select {
			case <-time.After(time.Second / 4):
			case <-ctx.Done():
			}
		}
	})
	time.Sleep(time.Second)
	mu.Lock()
	bytes, messages = 0, 0
	mu.Unlock()
	const span = 10 * time.Second
	before := spent(b)
	b.ResetTimer()
	for range b.N {
		time.Sleep(span)
	}
	b.StopTimer()
	used := spent(b) - before
	seconds := span.Seconds() * float64(b.N)
	mu.Lock()
	b.ReportMetric(100*used.Seconds()/seconds, "%cpu")
	if pages > 0 {
		b.ReportMetric(float64(messages)/float64(pages)/seconds, "messages/page/s")
		b.ReportMetric(float64(bytes)/float64(pages)/seconds, "B/page/s")
	}
	mu.Unlock()
	cancel()
	wg.Wait()
}

// spent is the processor time of this process so far.
func spent(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
