package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
)

// callers are the columns of the table below.
var callers = []string{"", "alice", "bob", "root", "n1", "n2", "expired", "revoked"}

// Everything that can be asked, and what each caller hears. Alice owns job 1,
// quote q1 and the account people/alice; n1 is a node.
var access = []struct {
	method, path, pattern string
	body                  any
	//      nobody alice bob root n1 n2 expired revoked
	want string
}{
	{"POST", "/v1/quotes", "", v1.QuoteRequest{Request: job("q")}, "401 201 201 201 403 403 401 401"},
	{"POST", "/v1/previews", "", v1.PreviewRequest{Request: job("p")}, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/quotes/q1", "/v1/quotes/{id}", nil, "401 200 404 200 403 403 401 401"},
	{"DELETE", "/v1/quotes/q1", "/v1/quotes/{id}", nil, "401 204 404 204 403 403 401 401"},
	{"POST", "/v1/jobs", "", submission("j"), "401 201 201 201 403 403 401 401"},
	{"POST", "/v1/jobs", "", v1.SubmitRequest{Quote: "q1"}, "401 201 404 404 403 403 401 401"},
	{"POST", "/v1/jobs", "", paidBy("people/alice"), "401 201 404 201 403 403 401 401"},
	{"POST", "/v1/jobs", "", paidBy("people/alice/below"), "401 201 404 201 403 403 401 401"},
	{"POST", "/v1/jobs", "", paidBy("people"), "401 404 404 201 403 403 401 401"},
	{"POST", "/v1/quotes", "", v1.QuoteRequest{Request: paidBy("people/bob").Request}, "401 404 201 201 403 403 401 401"},
	{"POST", "/v1/previews", "", v1.PreviewRequest{Request: paidBy("people/bob").Request}, "401 404 200 200 403 403 401 401"},
	{"GET", "/v1/jobs", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/jobs?owner=alice", "/v1/jobs", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/jobs/1", "/v1/jobs/{id}", nil, "401 200 404 200 403 403 401 401"},
	{"POST", "/v1/jobs/1/cancel", "/v1/jobs/{id}/cancel", nil, "401 200 404 200 403 403 401 401"},
	{"POST", "/v1/jobs/1/release", "/v1/jobs/{id}/release", nil, "401 409 404 409 403 403 401 401"},
	{"POST", "/v1/jobs/1/void", "/v1/jobs/{id}/void", v1.VoidRequest{Reason: "ours"}, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/jobs/1/explain", "/v1/jobs/{id}/explain", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/jobs/1/receipt", "/v1/jobs/{id}/receipt", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/jobs/1/logs", "/v1/jobs/{id}/logs", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/jobs/1/logs?follow=1", "/v1/jobs/{id}/logs", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/nodes", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/prices", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/epochs", "", nil, "401 200 200 200 403 403 401 401"},
	{"POST", "/v1/epochs", "", v1.Epoch{Policy: "libra"}, "401 403 403 201 403 403 401 401"},
	{"GET", "/v1/report", "", nil, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/accounts", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/accounts?prefix=people", "/v1/accounts", nil, "401 404 404 200 403 403 401 401"},
	{"GET", "/v1/accounts/people/alice", "/v1/accounts/{path...}", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/accounts/people", "/v1/accounts/{path...}", nil, "401 404 404 404 403 403 401 401"},
	{"POST", "/v1/accounts", "", v1.AccountChange{Op: "open", Account: "people/new"}, "401 403 403 200 403 403 401 401"},
	{"POST", "/v1/transfers", "", v1.Transfer{From: "people/alice", To: "people/bob", Amount: 1}, "401 200 404 200 403 403 401 401"},
	{"POST", "/v1/transfers", "", v1.Transfer{To: "people/bob", Amount: 1}, "401 200 200 200 403 403 401 401"},
	{"POST", "/v1/grants", "", v1.Grant{To: "people/alice", Amount: 1}, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/statements", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/statements?account=people/alice", "/v1/statements", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/statements?account=people&subtree=1&format=focus", "/v1/statements", nil, "401 404 404 200 403 403 401 401"},
	{"GET", "/v1/ledger/verify", "", nil, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/history", "", nil, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/log", "", nil, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/archive", "", nil, "401 403 403 200 403 403 401 401"},
	{"POST", "/v1/archive", "", v1.ArchiveRequest{}, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/clusters", "", nil, "401 403 403 200 403 403 401 401"},
	{"GET", "/v1/events", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/events?owner=alice", "/v1/events", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/tokens", "", nil, "401 200 200 200 403 403 401 401"},
	{"GET", "/v1/tokens?user=alice", "/v1/tokens", nil, "401 200 404 200 403 403 401 401"},
	{"GET", "/v1/tokens?user=*", "/v1/tokens", nil, "401 404 404 200 403 403 401 401"},
	{"POST", "/v1/tokens", "", v1.TokenRequest{Name: "laptop"}, "401 201 201 201 403 403 401 401"},
	{"POST", "/v1/tokens", "", v1.TokenRequest{User: "alice"}, "401 201 403 201 403 403 401 401"},
	{"POST", "/v1/tokens", "", v1.TokenRequest{Role: v1.RoleOwner}, "401 403 403 201 403 403 401 401"},
	{"POST", "/v1/tokens", "", v1.TokenRequest{User: "n3", Role: v1.RoleNode}, "401 403 403 201 403 403 401 401"},
	{"DELETE", "/v1/tokens/t-spare", "/v1/tokens/{id}", nil, "401 204 404 204 403 403 401 401"},
	{"GET", "/v1/whoami", "", nil, "401 200 200 200 200 200 401 401"},
	{"PUT", "/v1/nodes/n1", "/v1/nodes/{node}", task.Hello{Node: "n1"}, "401 403 403 403 200 404 401 401"},
	{"GET", "/v1/nodes/n1/desired", "/v1/nodes/{node}/desired", nil, "401 403 403 403 200 404 401 401"},
	{"GET", "/v1/nodes/n1/orders?since=3", "/v1/nodes/{node}/orders", nil, "401 403 403 403 200 404 401 401"},
	{"POST", "/v1/nodes/n1/specs", "/v1/nodes/{node}/specs", task.SpecRequest{}, "401 403 403 403 200 404 401 401"},
	{"POST", "/v1/nodes/n1/report", "/v1/nodes/{node}/report", task.Report{Node: "n1"}, "401 403 403 403 200 404 401 401"},
	{"POST", "/v1/nodes/n1/refusal", "/v1/nodes/{node}/refusal", task.Refusal{}, "401 403 403 403 204 404 401 401"},
	{"POST", "/v1/nodes/n1/tails/x1", "/v1/nodes/{node}/tails/{id}", task.Chunk{}, "401 403 403 403 204 404 401 401"},
	{"POST", "/v1/munge/challenges", "", nil, "401 401 401 401 401 401 401 401"}, // unless the site wants it
	{"POST", "/v1/munge/sessions", "", v1.MungeLogin{}, "401 401 401 401 401 401 401 401"},
	{"GET", "/healthz", "", nil, "200 200 200 200 200 200 200 200"},
	{"GET", "/readyz", "", nil, "200 200 200 200 200 200 200 200"},
	{"GET", "/livez", "", nil, "200 200 200 200 200 200 200 200"},
	{"GET", "/metrics", "", nil, "401 403 403 200 403 403 401 401"},
	{"GET", "/openapi.json", "", nil, "200 200 200 200 200 200 200 200"},
	{"GET", "/problems/not-found", "/problems/{name}", nil, "200 200 200 200 200 200 200 200"},
}

func paidBy(account string) v1.SubmitRequest {
	s := submission("paid")
	s.Request.Account = account
	return s
}

func TestWhoMayAskWhat(t *testing.T) {
	missing := map[api.Route]bool{}
	for _, r := range api.AllRoutes() {
		missing[r] = true
	}
	for _, row := range access {
		pattern := row.pattern
		if pattern == "" {
			pattern = row.path
		}
		delete(missing, api.Route{Method: row.method, Pattern: pattern})
		want := strings.Fields(row.want)
		for i, who := range callers {
			t.Run(fmt.Sprintf("%s %s as %q", row.method, row.path, who), func(t *testing.T) {
				w := aliceAtWork(t)
				a := w.glance(who, row.method, row.path, row.body)
				if fmt.Sprint(a.status) != want[i] {
					t.Fatalf("got %d, want %s: %s", a.status, want[i], a.body)
				}
				if a.status >= 400 {
					a.problem(t)
				}
				if got := a.header.Get("WWW-Authenticate"); (got != "") != (a.status == http.StatusUnauthorized) {
					t.Errorf("WWW-Authenticate is %q", got)
				}
				if a.header.Get("X-Content-Type-Options") != "nosniff" {
					t.Error("a browser may guess what this is")
				}
				if a.header.Get("Cache-Control") != "no-store" && !strings.HasPrefix(row.path, "/openapi") && !strings.HasPrefix(row.path, "/problems") {
					t.Error("this may be kept by a cache")
				}
			})
		}
	}
	for r := range missing {
		t.Errorf("%s %s is not in the table", r.Method, r.Pattern)
	}
}

// aliceAtWork is a world in which Alice has a quote, a job that has ended, and a
// token to spare.
func aliceAtWork(t *testing.T) *world {
	w := newWorld(t)
	w.keys.MakeToken(v1.Token{ID: "t-spare", User: "alice", Role: v1.RoleUser})
	w.ask("alice", "POST", "/v1/quotes", v1.QuoteRequest{Request: job("mine")})
	receipt := &v1.Receipt{Job: 1, Charged: 1e6}
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Running, Request: job("mine"), Receipt: receipt})
	w.market.Write(1, "hello\n")
	return w
}

// glance asks, and lets go of a stream as soon as it has begun.
func (w *world) glance(who, method, path string, body any) answer {
	if !strings.Contains(path, "follow") && !strings.HasPrefix(path, "/v1/events") {
		return w.ask(who, method, path, body)
	}
	res, err := w.server.Client().Do(w.request(who, method, path, body))
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.status >= 400 {
		a.body = readAll(w.t, res.Body)
	}
	return a
}

// What is somebody else's must look like what does not exist.
func TestOthersThingsLookLikeNothing(t *testing.T) {
	w := aliceAtWork(t)
	for _, c := range []struct{ method, there, nowhere string }{
		{"GET", "/v1/jobs/1", "/v1/jobs/7"},
		{"POST", "/v1/jobs/1/cancel", "/v1/jobs/7/cancel"},
		{"GET", "/v1/jobs/1/receipt", "/v1/jobs/7/receipt"},
		{"GET", "/v1/jobs/1/logs", "/v1/jobs/7/logs"},
		{"GET", "/v1/quotes/q1", "/v1/quotes/q7"},
		{"GET", "/v1/accounts/people/alice", "/v1/accounts/people/nobody"},
		{"DELETE", "/v1/tokens/t-spare", "/v1/tokens/t-never"},
	} {
		there, nowhere := w.ask("bob", c.method, c.there, nil), w.ask("bob", c.method, c.nowhere, nil)
		a, b := there.problem(t), nowhere.problem(t)
		same := strings.NewReplacer("q1", "q7", "people/alice", "people/nobody", "t-spare", "t-never", "job 1", "job 7")
		if a.Type != b.Type || a.Status != b.Status || same.Replace(a.Detail) != b.Detail {
			t.Errorf("%s: %q, but for what does not exist %q", c.there, a.Detail, b.Detail)
		}
	}
}

// A user sees how full the nodes are, and not with whose jobs.
func TestOthersJobsOnNodesAreVeiled(t *testing.T) {
	w := newWorld(t)
	w.market.Put(v1.Job{ID: 1, Owner: "alice", Name: "secret", State: v1.Running})
	w.market.Put(v1.Job{ID: 2, Owner: "bob", Name: "mine", State: v1.Running})
	a := w.ask("bob", "GET", "/v1/nodes", nil)
	if strings.Contains(a.body, "alice") || strings.Contains(a.body, "secret") {
		t.Errorf("bob sees %s", a.body)
	}
	jobs := read[v1.NodeList](t, a).Nodes[0].Loads[0].Jobs
	if len(jobs) != 2 || jobs[0] != (v1.Tenant{Share: 0.25}) || jobs[1].Job != 2 || jobs[1].Name != "mine" {
		t.Errorf("bob sees %+v", jobs)
	}
	if a := w.ask("root", "GET", "/v1/nodes", nil); !strings.Contains(a.body, "secret") {
		t.Errorf("the owner sees %s", a.body)
	}
}

// The answer to a transfer must not show what the other side has.
func TestTransferShowsOnlyTheSendersAccount(t *testing.T) {
	w := newWorld(t)
	a := read[v1.Account](t, w.ask("alice", "POST", "/v1/transfers", v1.Transfer{To: "people/bob", Amount: 25e6}))
	if a.Path != "people/alice" || a.Free != 75e6 {
		t.Errorf("got %+v", a)
	}
	b := read[v1.Account](t, w.ask("bob", "GET", "/v1/accounts/people/bob", nil))
	if b.Free != 125e6 {
		t.Errorf("got %+v", b)
	}
}

// What the controller adds to a submission cannot be sent.
func TestInternalFieldsCannotBeSent(t *testing.T) {
	w := newWorld(t)
	a := w.ask("alice", "POST", "/v1/jobs", `{"request":{"argv":["x"],"estimate_ms":1},"settled":[{"job":7,"owner":"alice","state":"completed"}]}`)
	if p := a.problem(t); p.Field != "settled" {
		t.Errorf("got %+v", p)
	}
}
