package api_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

func TestMetricsCountCallsAndShowTheMarket(t *testing.T) {
	w := newWorld(t)
	w.ask("alice", "POST", "/v1/jobs", submission("a"))
	w.ask("alice", "GET", "/v1/jobs/1", nil)
	w.ask("alice", "GET", "/v1/jobs/2", nil)
	w.ask("alice", "BREW", "/v1/jobs", nil)
	w.ask("alice", "GET", "/nowhere/alice-was-here", nil)
	text := w.ask("root", "GET", "/metrics", nil).body
	for _, want := range []string{
		`libra_http_requests_total{method="POST",route="/v1/jobs",status="201"} 1`,
		`libra_http_requests_total{method="GET",route="/v1/jobs/{id}",status="200"} 1`,
		`libra_http_requests_total{method="GET",route="/v1/jobs/{id}",status="404"} 1`,
		`libra_http_requests_total{method="other",route="/v1/jobs",status="405"} 1`,
		`libra_http_requests_total{method="other",route="/",status="404"} 1`,
		`libra_http_request_seconds_count{method="POST",route="/v1/jobs"} 1`,
		"libra_http_streams 0",
		`libra_jobs{state="running"} 3`,
		`libra_jobs{state="queued"} 1`,
		"libra_inbox_depth 2",
		"# TYPE libra_inbox_depth gauge",
		"# TYPE libra_revenue_micros_total counter",
		"libra_revenue_micros_total 7e+06",
		"go_goroutines",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want+" ") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "alice") || strings.Contains(text, "BREW") {
		t.Error("what a client wrote became a label")
	}
}

func TestMetricsWithoutTheMarket(t *testing.T) {
	w := newWorld(t)
	w.ask("root", "GET", "/v1/whoami", nil)
	w.market.Fail(errors.New("gone"))
	a := w.ask("root", "GET", "/metrics", nil)
	if a.status != 200 || !strings.Contains(a.body, "libra_http_requests_total") {
		t.Errorf("got %d %.200s", a.status, a.body)
	}
}

func TestMetricsMayBePublic(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.PublicMetrics = true })
	if a := w.ask("", "GET", "/metrics", nil); a.status != 200 {
		t.Errorf("got %d", a.status)
	}
	if a := newWorld(t).ask("", "GET", "/metrics", nil); a.status != 401 {
		t.Errorf("the next one: got %d", a.status)
	}
}

// The log says who did what, and never with which secret.
func TestTheLogKeepsSecrets(t *testing.T) {
	w := newWorld(t)
	secret := w.secret["alice"]
	w.ask("alice", "POST", "/v1/jobs", submission("a"), "Idempotency-Key", "private-key")
	w.ask("alice", "GET", "/v1/jobs?name=private-name", nil)
	w.ask("alice", "GET", "/v1/quotes/"+secret, nil)
	w.ask("alice", "GET", "/nowhere/"+secret, nil)
	made := read[v1.NewToken](t, w.ask("alice", "POST", "/v1/tokens", v1.TokenRequest{}))
	w.market.Fail(fmt.Errorf("about %s", secret))
	w.ask("alice", "GET", "/v1/prices", nil)
	w.ask("expired", "GET", "/v1/prices", nil)
	log := w.log.String()
	for _, private := range []string{secret, made.Secret, w.secret["expired"], "private-key", "private-name"} {
		if strings.Contains(log, private) {
			t.Errorf("the log has %s in it", private)
		}
	}
	for _, want := range []string{"user=alice", "role=user", "status=201", "status=401", "route=/v1/jobs", "libra_..."} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
}

// The list goes on where the page before ended.
func TestListsAreReadPageByPage(t *testing.T) {
	w := newWorld(t)
	for i := range int64(7) {
		w.market.Put(v1.Job{ID: i + 1, Owner: []string{"alice", "bob"}[i%2], State: v1.Running})
	}
	var seen []int64
	for path := "/v1/jobs?limit=2&state=running&counts=1"; path != ""; {
		a := w.ask("alice", "GET", path, nil)
		page := read[v1.JobPage](t, a)
		for _, j := range page.Jobs {
			seen = append(seen, j.ID)
		}
		if page.Counts[v1.Running] != 4 {
			t.Errorf("counts %v", page.Counts)
		}
		link := a.header.Get("Link")
		if (page.Next != 0) != (link != "") {
			t.Errorf("next is %d, Link %q", page.Next, link)
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
	}
	if fmt.Sprint(seen) != "[7 5 3 1]" {
		t.Errorf("saw %v", seen)
	}
	h := read[v1.History](t, w.ask("root", "GET", "/v1/history?limit=3&after=1", nil))
	if len(h.Jobs) != 3 || h.Jobs[0].ID != 2 || h.Next != 4 {
		t.Errorf("got %d jobs, next %d", len(h.Jobs), h.Next)
	}
	w.ask("alice", "POST", "/v1/jobs", submission("a"))
	w.ask("alice", "POST", "/v1/jobs", submission("b"))
	l := read[v1.LogPage](t, w.ask("root", "GET", "/v1/log?limit=1", nil))
	if len(l.Entries) != 1 || l.Entries[0].Kind != "submit" || l.Next != 1 {
		t.Errorf("got %+v", l)
	}
}

func TestStatementsAsFiles(t *testing.T) {
	w := newWorld(t)
	a := w.ask("alice", "GET", "/v1/statements?month=2026-11&format=csv", nil)
	if !strings.HasPrefix(a.body, "date,kind,job,memo,amount,balance\n") || !strings.Contains(a.header.Get("Content-Disposition"), "statement.csv") {
		t.Errorf("got %s %s", a.header.Get("Content-Disposition"), a.body)
	}
	for subtree, rows := range map[string]int{"0": 2, "1": 3} {
		a = w.ask("alice", "GET", "/v1/statements?month=2026-11&format=focus&subtree="+subtree, nil)
		if got := strings.Count(a.body, "\n"); got != rows || !strings.HasPrefix(a.body, "BilledCost,") {
			t.Errorf("subtree=%s: %d rows: %s", subtree, got, a.body)
		}
	}
}

// The script does not travel back to who sent it, and can be read.
func TestTheScriptIsNotSentBack(t *testing.T) {
	w := newWorld(t)
	r := submission("s")
	r.Request.Script = "#!/bin/sh\necho hello\n"
	if got := read[v1.Job](t, w.ask("alice", "POST", "/v1/jobs", r)); got.Request.Script != "" {
		t.Errorf("got %q", got.Request.Script)
	}
	if got := read[v1.Job](t, w.ask("alice", "GET", "/v1/jobs/1", nil)); got.Request.Script != r.Request.Script {
		t.Errorf("got %q", got.Request.Script)
	}
}
