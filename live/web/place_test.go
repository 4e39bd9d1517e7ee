package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/web"
)

// A cookie goes to every port of a host, and an address into histories and mails.
// Either alone opens nothing, and no answer tells the other.
func TestHalfOfASession(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	p := w.signedIn(alice)
	if got := p.get("/jobs"); got.status != http.StatusOK || !strings.Contains(got.body, "zebra") {
		t.Fatalf("with both halves: %d", got.status)
	}
	cookies := p.client.Jar.Cookies(p.request(http.MethodGet, "/", nil).URL)
	if len(cookies) != 1 {
		t.Fatalf("the cookies are %v", cookies)
	}
	half := strings.TrimPrefix(p.base, "/s/")
	stamp := p.stamp()
	for name, c := range map[string]struct {
		base   string
		cookie string
	}{
		"cookie":                   {"", cookies[0].Value},
		"address":                  {p.base, ""},
		"cookie twice":             {"/s/" + cookies[0].Value, cookies[0].Value},
		"address twice":            {p.base, half},
		"cookie of nothing":        {p.base, "x"},
		"address of nothing":       {"/s/x", cookies[0].Value},
		"the other way round":      {"/s/" + cookies[0].Value, half},
		"address with a dot":       {"/s/" + half + "." + cookies[0].Value, ""},
		"cookie with a dot":        {"/s/", half + "." + cookies[0].Value},
		"an address that is empty": {"/s", cookies[0].Value},
	} {
		for _, what := range []string{"/", "/jobs", "/jobs/1", "/jobs/1/log", "/account", "/submit", "/login", "/events?for=jobs&from=0&to=0"} {
			v := w.visitor()
			v.base = c.base
			got := v.send(v.request(http.MethodGet, what, nil, "Cookie", cookies[0].Name+"="+c.cookie))
			all := got.body + strings.Join(got.header["Location"], " ") + strings.Join(got.header["Set-Cookie"], " ")
			if strings.Contains(all, "zebra") || strings.Contains(all, "alice") {
				t.Errorf("%s opens %s: %d", name, what, got.status)
			}
			if c.base != p.base && strings.Contains(all, half) || c.cookie == "" && strings.Contains(all, cookies[0].Value) {
				t.Errorf("%s is told the other half by %s", name, what)
			}
		}
		v := w.visitor()
		v.base = c.base
		got := v.send(v.request(http.MethodPost, "/jobs/1/cancel", url.Values{"csrf": {stamp}}, "Cookie", cookies[0].Name+"="+c.cookie))
		if len(w.market.Commands()) != 0 {
			t.Fatalf("%s cancels a job: %d", name, got.status)
		}
	}
	// What somebody heard who had the port while the server was away is of a session
	// that the server knows no more.
	again := web.New(w.market, w.keys, web.Options{Log: logTo(t)})
	p.server = serve(t, again)
	got := p.send(p.request(http.MethodGet, "/jobs", nil, "Cookie", cookies[0].Name+"="+cookies[0].Value))
	if got.status != http.StatusSeeOther || !strings.HasPrefix(got.header.Get("Location"), "/login") {
		t.Errorf("after a restart: %d to %s", got.status, got.header.Get("Location"))
	}
}

// eavesdropper is another server on this host: it remembers all that a browser
// sends.
type eavesdropper struct {
	*httptest.Server
	mu    sync.Mutex
	heard []http.Header
	paths []string
}

func newEavesdropper(t *testing.T) *eavesdropper {
	t.Helper()
	e := &eavesdropper{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.heard, e.paths = append(e.heard, r.Header.Clone()), append(e.paths, r.RequestURI)
		e.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>heard</title><link rel=icon href=data:,>"))
	}))
	t.Cleanup(e.Close)
	return e
}

// What a browser that is signed in sends to another port of the host is worth
// nothing at the market.
func TestAnotherPortHearsNothing(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "zebra-plan", EstimateMS: 60_000, DeadlineMS: 600_000, Script: "echo zebra\n# work 60s\n"})
	e := newEavesdropper(t)
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs")
	p.Until("the job", `document.body.innerText.includes("zebra-plan")`)
	inside := p.At("/jobs")
	// By a link on the page, and typed; and a page there that asks for one here.
	p.Eval(`(() => { const a = document.createElement("a"); a.href = "`+e.URL+`/by-link"; document.body.append(a); a.click(); })()`, nil)
	p.Until("the other server", `document.title === "heard"`)
	p.Send("Page.navigate", map[string]any{"url": e.URL + "/jobs"}, nil)
	p.Until("the other server again", `document.title === "heard" && location.pathname === "/jobs"`)
	p.Forgive(true) // that it may not is an error in the console
	stolen := "nothing was tried"
	p.Eval(`fetch("`+s.url+`/jobs", {credentials: "include"}).then((r) => r.text()).catch(() => "")`, &stolen)
	if strings.Contains(stolen, "zebra") {
		t.Error("a page of another port reads the market")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.heard) < 2 {
		t.Fatalf("the other server was asked %d times", len(e.heard))
	}
	base, err := url.Parse(inside)
	if err != nil {
		t.Fatal(err)
	}
	half := strings.Split(base.Path, "/")[2]
	for i, header := range e.heard {
		for name, values := range header {
			if strings.Contains(strings.Join(values, " "), half) {
				t.Errorf("%s was told the address of the session in %s", e.paths[i], name)
			}
		}
		for _, path := range []string{"/", "/jobs", "/jobs/1", "/account", "/owner"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = header.Clone()
			r.Header.Del("Accept-Encoding")
			v := (&world{t: t}).visitor()
			got := v.send(r)
			if got.status == http.StatusOK && strings.Contains(got.body, "zebra") || !strings.HasPrefix(got.header.Get("Location"), "/login") {
				t.Errorf("with what was sent to %s the market answers %s: %d", e.paths[i], path, got.status)
			}
		}
	}
}
