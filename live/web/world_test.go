package web_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/web"
)

// world is the pages of a market that is kept in memory, and people before them.
type world struct {
	t       *testing.T
	market  *apitest.Market
	keys    *apitest.Keys
	handler *web.Handler
	server  *httptest.Server
	ahead   atomic.Int64 // of the clock, in nanoseconds
}

func newWorld(t *testing.T, change ...func(*web.Options)) *world {
	t.Helper()
	w := &world{t: t, market: apitest.New("alice", "bob", "root"), keys: &apitest.Keys{}}
	o := web.Options{Log: logTo(t), Now: w.now, WhatIf: pretend, Heartbeat: 20 * time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	w.handler = web.New(w.market, w.keys, o)
	w.server = serve(t, w.handler)
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// person is a browser without a window: it keeps cookies and follows no redirect.
type person struct {
	*world
	who    trade.Identity
	client *http.Client
	base   string // of the addresses of the session, without a slash at the end
}

// visitor is somebody who has not signed in.
func (w *world) visitor() *person {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	w.t.Cleanup(client.CloseIdleConnections)
	return &person{world: w, client: client}
}

// signedIn is somebody who has, by a link.
func (w *world) signedIn(who trade.Identity) *person {
	w.t.Helper()
	p := w.visitor()
	p.who = who
	_, key, _ := strings.Cut(w.handler.LoginLink(who), "key=")
	if res := p.post("/login", url.Values{"key": {key}}); res.status != http.StatusSeeOther {
		w.t.Fatalf("%s cannot sign in: %d", who.User, res.status)
	}
	return p
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (p *person) send(r *http.Request) reply {
	p.t.Helper()
	res, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if to := res.Header.Get("Location"); strings.HasPrefix(to, "/s/") { // what tests ask for is within the session
		parts := strings.SplitN(to, "/", 4)
		p.base = strings.Join(parts[:3], "/")
		res.Header.Set("Location", "/"+parts[3])
	}
	return reply{res.StatusCode, res.Header, string(text)}
}

func (p *person) request(method, path string, form url.Values, headers ...string) *http.Request {
	p.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.server.URL+p.base+path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (p *person) get(path string) reply { return p.send(p.request(http.MethodGet, path, nil)) }

func (p *person) post(path string, form url.Values, headers ...string) reply {
	return p.send(p.request(http.MethodPost, path, form, headers...))
}

var stampIn = regexp.MustCompile(`name="csrf" (?:content|value)="([^"]+)"`)

// stamp is the token of the forms on somebody's pages.
func (p *person) stamp() string {
	p.t.Helper()
	m := stampIn.FindStringSubmatch(p.get("/jobs").body)
	if m == nil {
		p.t.Fatal("a page without a token against forged requests")
	}
	return m[1]
}

// send a form with its token.
func (p *person) fill(path string, form url.Values) reply {
	if form == nil {
		form = url.Values{}
	}
	form.Set("csrf", p.stamp())
	return p.post(path, form)
}

var (
	alice = trade.Identity{User: "alice", Role: trade.RoleUser}
	bob   = trade.Identity{User: "bob", Role: trade.RoleUser}
	root  = trade.Identity{User: "root", Role: trade.RoleOwner}
)

// furnish puts a job of alice's into the market, with a secret in its name.
func (w *world) furnish() {
	now := time.Now().UnixMicro()
	w.market.Put(v1.Job{
		ID: 1, Owner: "alice", Account: "people/alice", Name: "zebra-plan", State: v1.Running, Width: 1, Policy: "libra",
		Request:     v1.Request{Script: "#!/bin/sh\necho zebra\n", EstimateMS: 60_000, DeadlineMS: 600_000},
		SubmittedUS: now - 30e6, StartedUS: now - 30e6, DueUS: now + 570e6, Price: 2e6, Share: 0.5, Work: 15_000,
		Places: []v1.Place{{Node: "n1"}}, Timeline: []v1.Point{{AtUS: now - 30e6, Share: 0.5}},
	})
	w.market.Write(1, "zebra says hello\n")
}
