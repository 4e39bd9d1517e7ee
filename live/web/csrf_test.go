package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/web"
)

// Nothing that changes something is done for another site, or without the token
// of the session.
func TestForgedRequestsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	p, other := w.signedIn(root), w.signedIn(bob)
	good := p.stamp()
	paths := map[string]string{"/jobs/{id}/cancel": "/jobs/1/cancel", "/jobs/{id}/release": "/jobs/1/release"}
	for _, route := range web.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if method != http.MethodPost || path == "/login/link" {
			continue
		}
		if real := paths[path]; real != "" {
			path = real
		}
		for name, c := range map[string]struct {
			stamp   string
			headers []string
		}{
			"without a token":       {"", nil},
			"with another's token":  {other.stamp(), nil},
			"from another site":     {good, []string{"Sec-Fetch-Site", "cross-site"}},
			"from a sister site":    {good, []string{"Sec-Fetch-Site", "same-site"}},
			"from another origin":   {good, []string{"Origin", "https://elsewhere.example"}},
			"from nowhere, a frame": {good, []string{"Origin", "null"}},
		} {
			if path == "/login" && c.headers == nil {
				continue // who signs in has no session to take a token from
			}
			got := p.post(path, url.Values{"csrf": {c.stamp}, "estimate": {"1m"}, "script": {"true"}}, c.headers...)
			if got.status != http.StatusForbidden {
				t.Errorf("%s %s: %d", path, name, got.status)
			}
		}
	}
	if n := len(w.market.Commands()); n != 0 {
		t.Errorf("%d commands came of it", n)
	}
	// The same from one's own page is done.
	if got := p.post("/jobs/1/cancel", url.Values{"csrf": {good}}, "Sec-Fetch-Site", "same-origin"); got.status != http.StatusSeeOther {
		t.Errorf("an honest request: %d", got.status)
	}
}

// Every answer keeps foreign content out, and no page needs anything else.
func TestEveryAnswerIsConfined(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	want := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'self'"
	if web.ContentPolicy != want {
		t.Errorf("the policy is %s", web.ContentPolicy)
	}
	check := func(path string, got reply) {
		t.Helper()
		if csp := got.header.Get("Content-Security-Policy"); csp != want {
			t.Errorf("%s: %d with policy %q", path, got.status, csp)
		}
		if got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: headers %v", path, got.header)
		}
		if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			return
		}
		for _, bad := range []string{" style=", "<style", "javascript:", " onclick", "http://", "https://", "ZgotmplZ"} {
			if strings.Contains(strings.ReplaceAll(got.body, "http://www.w3.org", ""), bad) {
				t.Errorf("%s has %s in it", path, bad)
			}
		}
		if n := strings.Count(got.body, "<script"); n != 1 || !strings.Contains(got.body, `<script type="module" src="/assets/`) {
			t.Errorf("%s has %d scripts", path, n)
		}
	}
	for _, a := range accessTable() {
		if strings.HasPrefix(a.path, "/events") {
			continue
		}
		p, visitor := w.signedIn(root), w.visitor()
		if strings.HasPrefix(a.route, "GET") {
			check(a.path, p.get(a.path))
			check(a.path, visitor.get(a.path))
		} else {
			check(a.path, p.fill(a.path, a.form))
			check(a.path, visitor.post(a.path, a.form))
		}
		check(a.path, p.send(p.request(http.MethodDelete, a.path, nil)))
	}
	check("/nowhere", w.visitor().get("/nowhere"))
	check("//", w.visitor().get("//"))
}
