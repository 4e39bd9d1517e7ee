package api_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

func TestBodiesAreReadStrictly(t *testing.T) {
	w := newWorld(t)
	good := `{"request":{"argv":["x"],"estimate_ms":1}}`
	for _, c := range []struct {
		name, body string
		status     int
		kind       string
		field      string
	}{
		{"as it should be", good, 201, "", ""},
		{"with space around it", "\n\t " + good + " \r\n", 201, "", ""},
		{"unknown field", `{"request":{"argv":["x"],"estimate_ms":1},"qoute":"q1"}`, 400, "invalid-field", "qoute"},
		{"unknown field inside", `{"request":{"argv":["x"],"estimate":1}}`, 400, "invalid-field", "estimate"},
		{"wrong type", `{"request":{"argv":["x"],"estimate_ms":"1"}}`, 400, "invalid-field", "estimate_ms"},
		{"fraction of a millisecond", `{"request":{"argv":["x"],"estimate_ms":1.5}}`, 400, "invalid-field", "estimate_ms"},
		{"too large for a number", `{"request":{"argv":["x"],"estimate_ms":1e30}}`, 400, "invalid-field", "estimate_ms"},
		{"makes no sense", `{"request":{"argv":["x"],"estimate_ms":-1}}`, 400, "invalid-field", "estimate_ms"},
		{"no program", `{"request":{"estimate_ms":1}}`, 400, "invalid-field", "argv"},
		{"junk after it", good + ` true`, 400, "malformed", ""},
		{"two of them", good + good, 400, "malformed", ""},
		{"a brace too many", good + `}`, 400, "malformed", ""},
		{"half of it", good[:20], 400, "malformed", ""},
		{"empty", "", 400, "malformed", ""},
		{"only space", "  ", 400, "malformed", ""},
		{"null", "null", 400, "malformed", ""},
		{"a list", "[" + good + "]", 400, "malformed", ""},
		{"a text", `"x"`, 400, "malformed", ""},
		{"not JSON", "estimate_ms: 1", 400, "malformed", ""},
		{"not UTF-8", `{"request":{"argv":["x"],"script":"` + "\xff" + `","estimate_ms":1}}`, 400, "malformed", ""},
		{"deeply nested", `{"request":` + strings.Repeat(`{"array":`, 5000) + "1" + strings.Repeat("}", 5001), 400, "invalid-field", "array"},
		{"nested beyond reason", `{"request":` + strings.Repeat(`[`, 100_000), 400, "malformed", ""},
		{"too large", `{"request":{"argv":["` + strings.Repeat("x", 2<<20) + `"]}}`, 413, "too-large", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := w.ask("alice", "POST", "/v1/jobs", c.body)
			if a.status != c.status {
				t.Fatalf("got %d, want %d: %s", a.status, c.status, a.body)
			}
			if c.kind == "" {
				return
			}
			if p := a.problem(t); p.Type != "/problems/"+c.kind || p.Field != c.field || p.Detail == "" {
				t.Errorf("got %+v", p)
			}
		})
	}
}

// A report may be larger than other bodies, and not larger than that.
func TestReportsMayBeLarger(t *testing.T) {
	w := newWorld(t)
	r := task.Report{Node: "n1", Tasks: []task.Status{{State: task.Running, Error: strings.Repeat("x", 3<<20)}}}
	if a := w.ask("n1", "POST", "/v1/nodes/n1/report", r); a.status != 200 {
		t.Errorf("3 MiB: got %d: %s", a.status, a.body)
	}
	// What is longer by much is not read to its end: whoever is at it still may be hung up on before
	// it has the answer.
	for more, want := range []int{400, 413} {
		if a := w.ask("n1", "POST", "/v1/nodes/n1/report", strings.Repeat(" ", 8<<20+more)); a.status != want {
			t.Errorf("8 MiB and %d bytes: got %d, want %d", more, a.status, want)
		}
	}
}

func TestOnlyJSONIsTaken(t *testing.T) {
	w := newWorld(t)
	for kind, want := range map[string]int{
		"application/json": 201, "application/json; charset=utf-8": 201, "text/plain": 415,
		"application/x-www-form-urlencoded": 415, "application/jsonx": 415,
	} {
		if a := w.ask("alice", "POST", "/v1/jobs", submission("x"), "Content-Type", kind); a.status != want {
			t.Errorf("%s: got %d, want %d", kind, a.status, want)
		}
	}
}

func TestPathsAndParametersAreReadStrictly(t *testing.T) {
	w := aliceAtWork(t)
	for _, c := range []struct {
		who, method, path string
		status            int
	}{
		{"alice", "GET", "/", 404},
		{"alice", "GET", "/v1", 404},
		{"alice", "GET", "/v1/", 404},
		{"alice", "GET", "/v2/jobs", 404},
		{"alice", "GET", "/v1/jobs/", 404},
		{"alice", "GET", "/v1/jobs/1/", 404},
		{"alice", "GET", "/v1//jobs", 404},
		{"alice", "GET", "/v1/./jobs", 404},
		{"alice", "GET", "/v1/jobs/../jobs", 404},
		{"alice", "GET", "/v1/jobs/%2e%2e/jobs", 404},
		{"alice", "GET", "/v1/jobs/01", 404},
		{"alice", "GET", "/v1/jobs/+1", 404},
		{"alice", "GET", "/v1/jobs/-1", 404},
		{"alice", "GET", "/v1/jobs/1%00", 404},
		{"alice", "GET", "/v1/jobs/1e0", 404},
		{"alice", "GET", "/v1/jobs/99999999999999999999", 404},
		{"alice", "GET", "/v1/quotes/..%2f..%2fetc%2fpasswd", 404},
		{"alice", "GET", "/v1/quotes/q1%2f", 404},
		{"alice", "GET", "/v1/quotes/q1%0a", 404},
		{"root", "GET", "/v1/accounts/../../etc", 404},
		{"root", "GET", "/v1/accounts/people/%2e%2e/people", 404},
		{"root", "GET", "/v1/accounts/people%2Falice", 200}, // an escaped slash is a slash
		{"root", "GET", "/v1/accounts/PEOPLE/alice", 404},
		{"root", "GET", "/v1/accounts/people/al%20ice", 404},
		{"root", "GET", "/v1/accounts/@mint", 404}, // well written, but not there
		{"n1", "GET", "/v1/nodes/..%2fn1/desired", 404},
		{"n1", "POST", "/v1/nodes/n1/tails/..%2f..%2fx", 404},
		{"alice", "PATCH", "/v1/jobs/1", 405},
		{"alice", "DELETE", "/v1/jobs/1", 405},
		{"", "POST", "/healthz", 405},
		{"alice", "BREW", "/v1/jobs", 405},
		{"alice", "HEAD", "/v1/jobs", 200},
		{"alice", "GET", "/v1/jobs?stat=running", 400},
		{"alice", "GET", "/v1/jobs/1?verbose=1", 400},
		{"alice", "GET", "/v1/prices?", 200},
		{"alice", "GET", "/v1/jobs?state=running&state=queued", 400},
		{"alice", "GET", "/v1/jobs?state=running,queued", 200},
		{"alice", "GET", "/v1/jobs?state=live", 200},
		{"alice", "GET", "/v1/jobs?state=asleep", 400},
		{"alice", "GET", "/v1/jobs?limit=0", 400},
		{"alice", "GET", "/v1/jobs?limit=501", 400},
		{"alice", "GET", "/v1/jobs?limit=500", 200},
		{"alice", "GET", "/v1/jobs?before=-1", 400},
		{"alice", "GET", "/v1/jobs?name=%00", 400},
		{"alice", "GET", "/v1/jobs?name=%ff", 400},
		{"alice", "GET", "/v1/jobs?name=%zz", 400},
		{"alice", "GET", "/v1/jobs?account=../x", 400},
		{"alice", "GET", "/v1/jobs/1/logs?stream=stdin", 400},
		{"alice", "GET", "/v1/jobs/1/logs?rank=-1", 400},
		{"alice", "GET", "/v1/jobs/1/logs?element=x", 400},
		{"alice", "GET", "/v1/jobs/1/logs?offset=-3", 200},
		{"alice", "GET", "/v1/jobs/1/logs?limit=1048577", 400},
		{"alice", "GET", "/v1/jobs/1/logs?follow=yes", 400},
		{"alice", "GET", "/v1/statements?month=2026-11", 200},
		{"alice", "GET", "/v1/statements?month=2026-13", 400},
		{"alice", "GET", "/v1/statements?month=2026-11&from=2026-01-01", 400},
		{"alice", "GET", "/v1/statements?from=2026-11-01&to=2026-12-01T00:00:00Z", 200},
		{"alice", "GET", "/v1/statements?from=2026-12-01&to=2026-11-01", 400},
		{"alice", "GET", "/v1/statements?from=0&to=1", 200},
		{"alice", "GET", "/v1/statements?from=yesterday", 400},
		{"alice", "GET", "/v1/statements?to=253402300800000000", 400},
		{"alice", "GET", "/v1/statements?format=pdf", 400},
		{"alice", "GET", "/v1/statements?subtree=maybe", 400},
		{"alice", "GET", "/v1/events?after=-2", 400},
		{"n1", "GET", "/v1/nodes/n1/desired?wait_ms=60001", 400},
		{"root", "GET", "/v1/history?limit=9999", 400},
		{"", "GET", "/problems/nothing", 404},
	} {
		a := w.ask(c.who, c.method, c.path, nil)
		if a.status != c.status {
			t.Errorf("%s %s: got %d, want %d: %s", c.method, c.path, a.status, c.status, a.body)
		}
		if a.status >= 400 && c.method != "HEAD" {
			a.problem(t)
		}
		if a.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s %s does not say what is allowed", c.method, c.path)
		}
	}
}

func TestAgentsSpeakOnlyOfTheirNode(t *testing.T) {
	w := newWorld(t)
	if p := w.ask("n1", "PUT", "/v1/nodes/n1", task.Hello{Node: "n2"}); p.problem(t).Field != "node" {
		t.Errorf("got %s", p.body)
	}
	if p := w.ask("n1", "POST", "/v1/nodes/n1/report", task.Report{Node: "n2"}); p.problem(t).Field != "node" {
		t.Errorf("got %s", p.body)
	}
}

func TestFieldsOfOtherBodiesMustMakeSense(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 65)
	for _, c := range []struct {
		path  string
		body  any
		field string
	}{
		{"/v1/quotes", v1.QuoteRequest{TTLMS: trade.MaxTTL + 1, Request: job("q")}, "ttl_ms"},
		{"/v1/quotes", v1.QuoteRequest{TTLMS: -1, Request: job("q")}, "ttl_ms"},
		{"/v1/quotes", v1.QuoteRequest{}, "estimate_ms"},
		{"/v1/previews", v1.PreviewRequest{}, "estimate_ms"},
		{"/v1/epochs", v1.Epoch{}, "policy"},
		{"/v1/accounts", v1.AccountChange{Op: "burn", Account: "people/alice"}, "op"},
		{"/v1/accounts", v1.AccountChange{Op: "open", Account: "People"}, "account"},
		{"/v1/accounts", v1.AccountChange{Op: "allow", Account: "people", Amount: 5, Every: 1 << 60}, "every_ms"},
		{"/v1/accounts", v1.AccountChange{Op: "limit", Account: "people", Amount: 5, Each: true}, "every_ms"},
		{"/v1/accounts", v1.AccountChange{Op: "limit", Account: "people", Amount: -1}, "amount_micros"},
		{"/v1/accounts", v1.AccountChange{Op: "open", Account: "people", None: true}, "none"},
		{"/v1/transfers", v1.Transfer{To: "people/alice", Amount: -5}, "amount_micros"},
		{"/v1/transfers", v1.Transfer{To: "people/alice"}, "amount_micros"},
		{"/v1/transfers", v1.Transfer{To: "../alice", Amount: 5}, "to"},
		{"/v1/grants", v1.Grant{To: "people/alice", Amount: -5}, "amount_micros"},
		{"/v1/grants", v1.Grant{To: "", Amount: 5}, "to"},
		{"/v1/tokens", v1.TokenRequest{User: "../x"}, "user"},
		{"/v1/tokens", v1.TokenRequest{Role: "god"}, "role"},
		{"/v1/tokens", v1.TokenRequest{Name: long}, "name"},
		{"/v1/tokens", v1.TokenRequest{TTLMS: -1}, "ttl_ms"},
		{"/v1/tokens", v1.TokenRequest{TTLMS: 1 << 60}, "ttl_ms"},
	} {
		a := w.ask("root", "POST", c.path, c.body)
		if p := a.problem(t); a.status != 400 || p.Field != c.field {
			t.Errorf("%s %+v: got %d, field %q, want %q", c.path, c.body, a.status, p.Field, c.field)
		}
	}
}

// Somebody who sends a byte now and then is cut off.
func TestSlowClientsAreCutOff(t *testing.T) {
	w := newWorld(t)
	s := api.Server(w.handler)
	s.ReadHeaderTimeout, s.ReadTimeout = 50*time.Millisecond, 100*time.Millisecond
	l, err := api.Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	for name, head := range map[string]string{
		"in the header": "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"in the body":   "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + w.secret["alice"] + "\r\nContent-Length: 1000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.WriteString(conn, head); err != nil {
				t.Fatal(err)
			}
			go func() {
				for {
					if _, err := conn.Write([]byte(" ")); err != nil {
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			var timeout net.Error
			switch {
			case errors.As(err, &timeout) && timeout.Timeout():
				t.Error("the server waits for ever")
			case err == nil && res.StatusCode != http.StatusBadRequest && res.StatusCode != http.StatusRequestTimeout:
				t.Errorf("got %d", res.StatusCode)
			}
		})
	}
}

// A header that is too long is refused before it is read.
func TestHeadersAreLimited(t *testing.T) {
	w := newWorld(t)
	s := api.Server(w.handler)
	l, err := api.Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	r, err := http.NewRequest("GET", fmt.Sprintf("http://%s/healthz", l.Addr()), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Long", strings.Repeat("x", 64<<10))
	res, err := http.DefaultClient.Do(r)
	if err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("got %d", res.StatusCode)
		}
	}
}
