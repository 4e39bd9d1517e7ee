package web_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api/apitest"
)

// stream opens a stream of events and returns its lines.
func (p *person) stream(path string) (lines <-chan string, status int, stop func()) {
	p.t.Helper()
	res, err := p.client.Do(p.request(http.MethodGet, path, nil))
	if err != nil {
		p.t.Fatal(err)
	}
	to := make(chan string, 1000)
	go func() {
		defer close(to)
		in := bufio.NewScanner(res.Body)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			to <- in.Text()
		}
	}()
	return to, res.StatusCode, func() { _ = res.Body.Close() }
}

// next is the next line that begins like this.
func next(t *testing.T, lines <-chan string, prefix string) string {
	t.Helper()
	for {
		select {
		case line, open := <-lines:
			if !open {
				t.Fatalf("the stream ended before %q", prefix)
			}
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-time.After(time.Minute):
			t.Fatalf("waited in vain for %q", prefix)
		}
	}
}

func notice(id int64, owner string, state v1.State) v1.Notice {
	return v1.Notice{Kind: "job", Owner: owner, Job: &v1.JobNotice{ID: id, State: state, Share: 0.25, Work: 30_000, Price: 2e6}}
}

// A page hears of the jobs it shows, and of nobody else's, whatever the market
// sends.
func TestEventsAreOnesOwn(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	a, b, o := w.signedIn(alice), w.signedIn(bob), w.signedIn(root)
	const path = "/events?for=jobs&from=0&to=0"
	toAlice, status, stop := a.stream(path)
	defer stop()
	toBob, _, stopBob := b.stream(path)
	defer stopBob()
	toRoot, _, stopRoot := o.stream(path)
	defer stopRoot()
	if status != http.StatusOK {
		t.Fatal(status)
	}
	for _, lines := range []<-chan string{toAlice, toBob, toRoot} {
		next(t, lines, "event: alive")
	}
	waitFor(t, "the hub to follow", func() bool { return w.market.Followers() == 1 })
	leak := notice(1, "alice", v1.Running)
	leak.Node = apitest.Leak
	w.market.Say(leak)
	w.market.Say(notice(2, "bob", v1.Running))
	for _, c := range []struct {
		lines     <-chan string
		one, two  bool
		whose     string
		unwelcome string
	}{
		{toAlice, true, false, "alice", `"id":2`},
		{toBob, false, true, "bob", `"id":1`},
		{toRoot, true, true, "root", "nothing"},
	} {
		next(t, c.lines, "event: jobs")
		data := next(t, c.lines, "data: ")
		if strings.Contains(data, `"id":1`) != c.one || strings.Contains(data, `"id":2`) != c.two || strings.Contains(data, c.unwelcome) {
			t.Errorf("%s hears %s", c.whose, data)
		}
	}
}

// However much happens, a page hears of it twice a second at most, and of each
// job the latest.
func TestStormsAreGathered(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	lines, _, stop := w.signedIn(alice).stream("/events?for=job&id=1")
	defer stop()
	next(t, lines, "event: alive")
	waitFor(t, "the hub to follow", func() bool { return w.market.Followers() == 1 })
	began := time.Now()
	for i := range 500 {
		n := notice(1, "alice", v1.Running)
		n.Job.Work = int64(i)
		w.market.Say(n)
	}
	heard := 1
	for next(t, lines, "event: jobs"); !strings.Contains(next(t, lines, "data: "), `"work":499`); next(t, lines, "event: jobs") {
		heard++
	}
	// Mostly all are said within one pace, or over the edge of two.
	if most := 2 + int(2*time.Since(began).Seconds()); heard > most {
		t.Errorf("heard %d times in %v, want %d at most", heard, time.Since(began), most)
	}
}

// A stream that was lost, by the market or by the page, ends in looking again.
func TestALostStreamLooksAgain(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	lines, _, stop := w.signedIn(alice).stream("/events?for=jobs&from=0&to=0")
	defer stop()
	next(t, lines, "event: alive")
	waitFor(t, "the hub to follow", func() bool { return w.market.Followers() == 1 })
	w.market.Hang()
	next(t, lines, "event: reload")
	waitFor(t, "the hub to follow again", func() bool { return w.market.Followers() == 1 })
}

// A stream does not outlive its session, and the hub not its last page.
func TestStreamsEnd(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	p := w.signedIn(alice)
	lines, _, stop := p.stream("/events?for=page")
	defer stop()
	next(t, lines, "event: alive")
	waitFor(t, "the hub to follow", func() bool { return w.market.Followers() == 1 })
	p.fill("/logout", nil)
	for range lines { // until it ends
	}
	waitFor(t, "the hub to stop", func() bool { return w.market.Followers() == 0 })
}

func TestTooManyStreams(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	for i := range 33 {
		res, err := p.client.Do(p.request(http.MethodGet, "/events?for=page", nil))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if want := map[bool]int{true: http.StatusOK, false: http.StatusTooManyRequests}[i < 32]; res.StatusCode != want {
			t.Fatalf("stream %d: %d", i+1, res.StatusCode)
		}
		if i == 32 {
			_, _ = io.Copy(io.Discard, res.Body)
		}
	}
}

func waitFor(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
