package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web"
)

// access is what each of four people gets from a request: the owner of the thing,
// another user, the owner of the cluster, and nobody.
type access struct {
	route string // as Routes lists it
	path  string
	form  url.Values // of a POST
	alice, bob, root,
	nobody int
}

const (
	ok   = http.StatusOK
	to   = http.StatusSeeOther // done, or: sign in first
	none = http.StatusNotFound
	not  = http.StatusForbidden
	out  = http.StatusUnauthorized
)

func accessTable() []access {
	asset := web.AssetURL("style.css")
	job := url.Values{"estimate": {"1m"}, "script": {"#!/bin/sh\ntrue\n"}, "dir": {"/tmp"}}
	return []access{
		{"GET /{$}", "/", nil, to, to, to, to},
		{"GET /login", "/login", nil, to, to, to, ok},
		{"POST /login", "/login", url.Values{"token": {"libra_nothing"}}, ok, ok, ok, ok},
		{"GET /whereabouts", "/whereabouts?name=x&nonce=y", nil, none, none, none, none},
		{"POST /login/link", "/login/link", url.Values{}, out, out, out, out},
		{"GET /submit", "/submit", nil, ok, ok, ok, to},
		{"GET /submit", "/submit?like=1", nil, ok, none, ok, to},
		{"POST /submit", "/submit", job, to, to, to, to},
		{"POST /preview", "/preview", job, ok, ok, ok, out},
		{"GET /jobs", "/jobs", nil, ok, ok, ok, to},
		{"GET /jobs", "/jobs?sort=-cost&page=1", nil, ok, ok, ok, to},
		{"GET /jobs", "/jobs?sort=height", nil, none, none, none, to},
		{"GET /jobs/{id}", "/jobs/1", nil, ok, none, ok, to},
		{"GET /jobs/{id}", "/jobs/99", nil, none, none, none, to},
		{"GET /jobs/{id}", "/jobs/01", nil, none, none, none, to},
		{"GET /jobs/{id}/log", "/jobs/1/log", nil, ok, none, ok, out},
		{"GET /market", "/market", nil, ok, ok, ok, to},
		{"GET /account", "/account", nil, ok, ok, ok, to},
		{"GET /account", "/account?path=people/alice", nil, ok, none, ok, to},
		{"GET /account", "/account?path=people", nil, none, none, ok, to},
		{"GET /account", "/account?path=@owner", nil, none, none, ok, to},
		{"GET /account", "/account?path=../people/alice", nil, none, none, none, to},
		{"GET /account/statement.csv", "/account/statement.csv?path=people/alice", nil, ok, none, ok, to},
		{"GET /account/focus.csv", "/account/focus.csv?path=people/alice", nil, ok, none, ok, to},
		{"GET /owner", "/owner", nil, not, not, ok, to},
		{"POST /owner/whatif", "/owner/whatif", url.Values{"policy": {"libra"}}, not, not, ok, to},
		{"POST /owner/epoch", "/owner/epoch", url.Values{"policy": {"libra"}}, not, not, to, to},
		{"GET /events", "/events?for=owner", nil, not, not, -1, out},
		{"GET /events", "/events?for=job&id=1", nil, -1, none, -1, out},
		{"GET " + assetPattern, asset, nil, ok, ok, ok, ok},
		{"GET " + assetPattern, "/assets/0/style.css", nil, none, none, none, none},
		{"GET /favicon.ico", "/favicon.ico", nil, ok, ok, ok, ok},
		// What ends the job, and what ends the session, come last.
		{"POST /cancel", "/cancel", url.Values{"job": {"1"}}, ok, none, ok, to},
		{"POST /cancel", "/cancel", url.Values{"job": {"1"}, "sure": {"yes"}}, -1, none, -1, to},
		{"POST /jobs/{id}/release", "/jobs/1/release", url.Values{}, to, none, to, to},
		{"POST /jobs/{id}/cancel", "/jobs/1/cancel", url.Values{}, to, none, to, to},
		{"POST /logout", "/logout", url.Values{}, to, to, to, to},
	}
}

const assetPattern = "/assets/{version}/{name}"

// Every page, every role, own and somebody else's.
func TestAccess(t *testing.T) {
	table := accessTable()
	for _, route := range web.Routes() {
		if !slices.ContainsFunc(table, func(a access) bool { return a.route == route }) {
			t.Errorf("nobody has said who may %s", route)
		}
	}
	for _, who := range []struct {
		name string
		id   trade.Identity
		want func(access) int
	}{
		{"alice", alice, func(a access) int { return a.alice }},
		{"bob", bob, func(a access) int { return a.bob }},
		{"root", root, func(a access) int { return a.root }},
		{"nobody", trade.Identity{}, func(a access) int { return a.nobody }},
	} {
		t.Run(who.name, func(t *testing.T) {
			w := newWorld(t)
			w.furnish()
			p := w.visitor()
			if who.id.User != "" {
				p = w.signedIn(who.id)
			}
			for _, a := range table {
				want := who.want(a)
				if want < 0 {
					continue // a stream: see TestEvents
				}
				var got reply
				method, _, _ := strings.Cut(a.route, " ")
				switch {
				case method == http.MethodGet:
					got = p.get(a.path)
				case who.id.User == "":
					got = p.post(a.path, a.form)
				default:
					got = p.fill(a.path, a.form)
				}
				if got.status != want {
					t.Errorf("%s %s: %d, want %d: %.200s", method, a.path, got.status, want, got.body)
				}
				if want == to && who.id.User == "" && !strings.HasPrefix(got.header.Get("Location"), "/login") {
					t.Errorf("%s %s leads to %s, not to the sign-in", method, a.path, got.header.Get("Location"))
				}
				if who.name != "alice" && who.name != "root" && strings.Contains(got.body, "zebra") {
					t.Errorf("%s sees of %s what is alice's", who.name, a.path)
				}
			}
		})
	}
}

// A node has a token and no pages.
func TestANodeCannotSignIn(t *testing.T) {
	w := newWorld(t)
	p := w.visitor()
	secret := w.keys.Make("n1", v1.RoleNode)
	if got := p.post("/login", url.Values{"token": {secret}}); got.status != ok || !strings.Contains(got.body, "opens nothing here") {
		t.Errorf("%d: %.300s", got.status, got.body)
	}
	if link := w.handler.LoginLink(trade.Identity{User: "n1", Role: trade.RoleNode}); link != "/login" {
		t.Errorf("a node gets the link %s", link)
	}
	if got := p.post("/login/link", nil, "Authorization", "Bearer "+secret); got.status != out {
		t.Errorf("a node makes a link: %d", got.status)
	}
}

// The owner's table has everybody's jobs, a user's only their own.
func TestJobsAreOnlyOnesOwn(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	for who, sees := range map[trade.Identity]bool{alice: true, bob: false, root: true} {
		p := w.signedIn(who)
		for _, path := range []string{"/jobs", "/jobs?state=live", "/jobs?name=zebra", "/submit", "/market", "/account"} {
			if got := p.get(path); strings.Contains(got.body, "zebra-plan") != (sees && strings.HasPrefix(path, "/jobs")) {
				t.Errorf("%s at %s: status %d, sees the job: %v", who.User, path, got.status, !sees)
			}
		}
	}
	if got := w.signedIn(root).get("/jobs?whose=mine"); strings.Contains(got.body, "zebra-plan") {
		t.Error("the owner of the cluster sees another's job among their own")
	}
}
