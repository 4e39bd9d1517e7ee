package web_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// house is a market's pages on loopback, which can be away for a while: each start has
// another address, and all have one door.
type house struct {
	*webtest.Floor
	memory *notes
	port   string
	starts int
	url    string
	peer   func(*http.Request) (int, bool) // nil: the kernel is asked
	pages  *web.Handler
	server *http.Server
}

func newHouse(t *testing.T) *house {
	t.Helper()
	f := webtest.Open(t)
	f.People(5000, "alice", "bob")
	f.Join("n1", 2).Play()
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(first.Addr().String())
	_ = first.Close()
	return &house{Floor: f, memory: &notes{kept: map[string]store.Note{}}, port: port}
}

func (h *house) door() string { return "127.0.0.1:" + h.port }

// listen serves at addresses of this machine.
func (h *house) listen(server *http.Server, hosts ...string) {
	h.Helper()
	for _, host := range hosts {
		var l net.Listener
		waitFor(h.TB.(*testing.T), "the port at "+host, func() (ok bool) { //nolint:forcetypeassert // it is one
			var err error
			l, err = net.Listen("tcp", net.JoinHostPort(host, h.port))
			return err == nil
		})
		go func() { _ = server.Serve(l) }() // it ends when the server is closed
	}
}

// start opens the house at its door, and at an address that no start before had.
func (h *house) start() {
	h.Helper()
	h.starts++
	host := fmt.Sprintf("127.83.12.%d", h.starts)
	h.url = "http://" + net.JoinHostPort(host, h.port)
	h.pages = web.New(h.Market, h.Keys, web.Options{URL: h.url, Door: h.door(), Memory: h.memory, Peer: h.peer})
	h.server = &http.Server{Handler: h.pages, ReadHeaderTimeout: time.Minute}
	h.listen(h.server, "127.0.0.1", host)
	for _, before := range h.pages.Before() {
		old, _, _ := net.SplitHostPort(before)
		h.listen(h.server, old)
	}
	h.Cleanup(h.stop)
}

func (h *house) stop() {
	h.pages.Close()
	_ = h.server.Close()
}

// stranger has the port while the market is away, and hears all that browsers say.
type stranger struct {
	mu     sync.Mutex
	heard  []string
	server *http.Server
}

func (s *stranger) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.heard, "\n")
}

// A page that is open goes after a market that was started again, with what was typed; it
// follows nobody else, and tells nobody the key. What a stranger heard meanwhile opens
// nothing. Where nobody knows whose a connection is there is a click.
func TestAPageFollowsItsMarket(t *testing.T) {
	chrome := webtest.Browser(t)
	h := newHouse(t)
	h.peer = func(*http.Request) (int, bool) { return 0, false }
	h.start()
	p := chrome.Page(h.url)
	p.SignIn(h.Secret("alice"))
	p.Go("/submit")
	p.Type("#estimate", "7m")
	p.Type("#script", "#!/bin/sh\necho kept over a restart\n")
	p.Until("a price", `document.querySelector("[data-price]")`)
	var key, before string
	p.Eval(`document.querySelector("meta[name=carry]").content`, &key)
	p.Eval(`location.href`, &before)
	for _, note := range h.memory.kept {
		if strings.Contains(string(note.Body), key) {
			t.Errorf("the key is written down: %s", note.Body)
		}
	}
	p.Forgive(true)
	h.stop()

	s := &stranger{}
	s.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.heard = append(s.heard, fmt.Sprintf("%s %s %v %s", r.Host, r.URL, r.Header, body))
		s.mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = fmt.Fprintf(w, `{"at": "http://%s", "proof": "%s"}`, h.door(), strings.Repeat("A", 43))
	})}
	h.listen(s.server, "0.0.0.0")
	waitFor(t, "the page to ask whoever is there", func() bool { return strings.Count(s.all(), "/whereabouts?") >= 2 })
	var now string
	if p.Eval(`location.href + (document.querySelector("#net a")?.href ?? "")`, &now); now != before {
		t.Errorf("the page follows a stranger to %s", now)
	}
	_ = s.server.Close()

	h.start()
	p.Until("the word that it goes on", `document.querySelector("#net a")?.textContent === "Go on"`)
	p.Click("#net a")
	p.Until("the question who it is", `document.querySelector("h1")?.textContent === "Sign in as alice"`)
	p.Until("the place", fmt.Sprintf(`location.href.startsWith(%q) && document.documentElement.classList.contains("scripted")`, h.url+"/login"))
	p.Click("button.big")
	p.Until("the form, with what was typed", `document.getElementById("script")?.value.includes("kept over a restart") && document.getElementById("estimate").value === "7m"`)
	p.Forgive(false)
	if strings.Contains(s.all(), key) {
		t.Errorf("a stranger heard the key: %s", s.all())
	}
	replayed(t, h, s.all(), key)

	// Somebody who only looks on is not asked.
	p.Enter()
	p.Go("/jobs")
	p.Forgive(true)
	h.stop()
	h.start()
	p.Until("the question who it is", fmt.Sprintf(`location.href.startsWith(%q) && document.querySelector("button.big")`, h.url+"/login"))
	p.Click("button.big")
	p.Until("the list of jobs", `document.querySelector(".purse") && location.pathname.endsWith("/jobs")`)
	p.Forgive(false)
	clean(t, p)
}

// Who loads a page of before again, in the market's own browser, goes on, with what was
// typed; also twice. At an address of before nobody can sign in.
func TestAPageOfBeforeIsLoadedAgain(t *testing.T) {
	chrome := webtest.Browser(t)
	h := newHouse(t)
	h.start()
	p := chrome.Page(h.url)
	p.SignIn(h.Secret("alice"))
	p.Go("/submit")
	p.Type("#estimate", "7m")
	p.Type("#script", "#!/bin/sh\necho kept over a reload\n")
	p.Until("a price", `document.querySelector("[data-price]")`)
	var at string
	p.Eval(`location.href`, &at)
	p.Forgive(true)
	visit := func(where string) { p.Send("Page.navigate", map[string]any{"url": where}, nil) }
	for range 2 {
		visit("about:blank") // nobody looks for the market
		p.Until("an empty page", `location.href === "about:blank"`)
		h.stop()
		h.start()
		visit(at)
		p.Until("the form, with what was typed", fmt.Sprintf("location.href.startsWith(%q)", h.url)+` && document.getElementById("script")?.value.includes("kept over a reload") && document.getElementById("estimate").value === "7m"`)
		p.Eval(`location.href`, &at)
	}
	visit("http://" + h.pages.Before()[1] + "/login")
	p.Until("the sign-in of now", fmt.Sprintf(`location.href.startsWith(%q) && document.getElementById("token")`, h.url+"/login"))
	p.Forgive(false)
}

// replayed tries what a stranger heard of a session, and the key a second time.
func replayed(t *testing.T, h *house, heard, key string) {
	t.Helper()
	half := regexp.MustCompile(`/s/([\w-]+)/`).FindStringSubmatch(heard)
	cookie := regexp.MustCompile(`libra=([\w-]+)`).FindStringSubmatch(heard)
	if half == nil || cookie == nil {
		t.Errorf("a stranger did not hear the session of before: %s", heard)
		return
	}
	at := func(path, with string) *http.Response {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, h.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", with)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	if res := at("/s/"+half[1]+"/jobs", "libra="+cookie[1]); res.StatusCode != http.StatusSeeOther {
		t.Errorf("the session of before opens: %d", res.StatusCode)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Jar: jar}).PostForm(h.url+"/login", url.Values{"key": {key}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if len(jar.Cookies(res.Request.URL)) != 0 || strings.Contains(res.Request.URL.Path, "/s/") {
		t.Errorf("a key opens twice: %s", res.Request.URL)
	}
}

// What is carried over a restart ends when it would have ended, and with its token.
func TestWhatIsCarriedEnds(t *testing.T) {
	memory := &notes{kept: map[string]store.Note{}}
	option := func(o *web.Options) { o.Memory, o.URL, o.Door = memory, "http://127.9.9.9:1", "127.0.0.1:1" }
	w := newWorld(t, option)
	carry := regexp.MustCompile(`name="carry" content="([^"]+)"`)
	key := func(p *person) string {
		t.Helper()
		found := carry.FindStringSubmatch(p.get("/jobs").body)
		if found == nil {
			t.Fatal("a page without a key for the next start")
		}
		return found[1]
	}
	stays, leaves, sleeps := w.signedIn(alice), w.signedIn(bob), w.signedIn(alice)
	keys := map[string]string{"who stays": key(stays), "who signs out": key(leaves), "who comes too late": key(sleeps), "nobody": "nothing"}
	leaves.post("/logout", url.Values{"csrf": {leaves.stamp()}})
	w.handler.Close()
	for name, want := range map[string]int{"who stays": http.StatusSeeOther, "who signs out": http.StatusOK, "who comes too late": http.StatusOK, "nobody": http.StatusOK} {
		memory.mu.Lock()
		of := &notes{kept: maps.Clone(memory.kept)} // whoever comes too late writes down that all others do
		memory.mu.Unlock()
		again := newWorld(t, func(o *web.Options) { option(o); o.Memory = of })
		if name == "who comes too late" {
			again.ahead.Store(int64(13 * time.Hour))
		}
		if got := again.visitor().post("/login", url.Values{"key": {keys[name]}}); got.status != want {
			t.Errorf("%s: %d, want %d", name, got.status, want)
		}
	}
	// A server that has no door gives no key.
	if page := newWorld(t, func(o *web.Options) { o.Memory = memory }).signedIn(alice).get("/jobs").body; carry.MatchString(page) {
		t.Error("a page has a key for a start that it could not find")
	}
}
