package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
)

// With TLS a session outlives a restart, until it is ended or its token is revoked; what
// is written down opens nothing. Without TLS it ends with the server.
func TestSessionsOutliveARestart(t *testing.T) {
	for _, secure := range []bool{true, false} {
		memory := &notes{kept: map[string]store.Note{}}
		option := func(o *web.Options) { o.Memory, o.Secure = memory, secure }
		w := newWorld(t, option)
		w.furnish()
		stays, leaves := w.signedIn(alice), w.signedIn(bob)
		if got := leaves.post("/logout", url.Values{"csrf": {leaves.stamp()}}); got.status != http.StatusSeeOther {
			t.Fatalf("signing out: %d", got.status)
		}
		w.handler.Close()
		for _, note := range memory.kept {
			if half := strings.TrimPrefix(stays.base, "/s/"); strings.Contains(string(note.Body), half) {
				t.Errorf("what is written down has half of a session: %s", note.Body)
			}
		}
		again := newWorld(t, option)
		want := map[bool]int{true: http.StatusOK, false: http.StatusSeeOther}[secure]
		if got := stays.at(again).get("/account"); got.status != want {
			t.Errorf("TLS %t: after a restart %d, want %d", secure, got.status, want)
		}
		if got := leaves.at(again).get("/account"); got.status != http.StatusSeeOther {
			t.Errorf("TLS %t: who had signed out is let in: %d", secure, got.status)
		}
	}
}

// at is the same browser before another server, which has the address of the first.
func (p *person) at(w *world) *person {
	other := *p
	other.world = w
	return &other
}

// Without TLS, who shows a session of before is led to another by a link, if they are the
// user of the system who had it, and each link opens for that user, once. Whoever heard the
// session meanwhile is somebody else. Who signs out does not come back.
func TestWhoComesBackGoesOn(t *testing.T) {
	memory := &notes{kept: map[string]store.Note{}}
	uid, known := 1000, true
	option := func(url string) func(*web.Options) {
		return func(o *web.Options) {
			o.Memory, o.URL, o.Door = memory, url, "127.0.0.1:1"
			o.Peer = func(*http.Request) (int, bool) { return uid, known }
		}
	}
	w := newWorld(t, option("http://127.9.9.9:1"))
	w.furnish()
	stays, leaves := w.signedIn(alice), w.signedIn(bob)
	leaves.post("/logout", url.Values{"csrf": {leaves.stamp()}})
	w.handler.Close()
	again := newWorld(t, option("http://127.9.9.10:1"))
	if got := again.handler.Before(); len(got) != 1 || got[0] != "127.9.9.9:1" {
		t.Fatalf("it was at %v before", got)
	}
	const now = "http://127.9.9.10:1/login?"
	navigates := []string{"Sec-Fetch-Mode", "navigate"}
	asks := func(p *person, path string, header ...string) reply {
		t.Helper()
		other := p.at(again)
		return other.send(other.request(http.MethodGet, path, nil, header...))
	}
	page := asks(stays, "/account?x=1", navigates...)
	if page.status != http.StatusOK || !strings.Contains(page.body, `data-who="alice"`) || !strings.Contains(page.body, stays.base+"/account?moved=yes&amp;x=1") {
		t.Fatalf("who comes back is shown %d %s", page.status, page.body)
	}
	moved := asks(stays, "/account?x=1&moved=yes", navigates...)
	link, ok := strings.CutPrefix(moved.header.Get("Location"), now)
	q, err := url.ParseQuery(link)
	if !ok || err != nil || q.Get("key") == "" || q.Get("next") != "/account?x=1" {
		t.Fatalf("and led to %d %v", moved.status, moved.header)
	}
	for name, got := range map[string]reply{
		"who signed out":       asks(leaves, "/account?moved=yes", navigates...),
		"a script of the page": asks(stays, "/account?moved=yes"),
	} {
		if at := got.header.Get("Location"); got.status != http.StatusSeeOther || !strings.HasPrefix(at, "/login") {
			t.Errorf("%s: %d to %q", name, got.status, at)
		}
	}
	elsewhere := again.visitor().request(http.MethodGet, "/jobs", nil)
	elsewhere.Host = "127.9.9.9:1"
	if got := again.visitor().send(elsewhere); got.status != http.StatusUnauthorized {
		t.Errorf("a script at the address of before is answered %d %v", got.status, got.header)
	}
	elsewhere.Header.Set("Sec-Fetch-Mode", "navigate")
	if got := again.visitor().send(elsewhere); !strings.HasPrefix(got.header.Get("Location"), now) {
		t.Errorf("who loads a page there is led to %d %v", got.status, got.header)
	}
	enter := func() int { return again.visitor().post("/login", url.Values{"key": {q.Get("key")}}).status }
	for _, other := range []func(){func() { uid = 1001 }, func() { known = false }} {
		other()
		if got := asks(stays, "/account?moved=yes", navigates...); !strings.HasPrefix(got.header.Get("Location"), "/login") {
			t.Errorf("another user of the system (%d, %t) is led to %d %v", uid, known, got.status, got.header)
		}
		if got := enter(); got != http.StatusOK {
			t.Errorf("and let in by the link: %d", got)
		}
		uid = 1000
	}
	known = true
	if got := enter(); got != http.StatusSeeOther {
		t.Errorf("who follows the link: %d", got)
	}
	if got := enter(); got != http.StatusOK {
		t.Errorf("a link opens twice: %d", got)
	}
	other := asks(stays, "/account?moved=yes", navigates...) // in another tab
	link, ok = strings.CutPrefix(other.header.Get("Location"), now)
	if q, err = url.ParseQuery(link); !ok || err != nil || enter() != http.StatusSeeOther {
		t.Errorf("the other tab is led to %d %v", other.status, other.header)
	}
}
