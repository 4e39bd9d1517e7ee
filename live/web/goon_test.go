package web_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// onLinux skips where the kernel does not say whose a connection is.
func onLinux(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("this kernel says nothing of sockets")
	}
}

// A session outlives a restart without a click, in every tab that was open, with the text
// and the caret where they were, and time and again. Who signs out in one of the tabs does
// so in all.
func TestASessionOutlivesARestart(t *testing.T) {
	onLinux(t)
	chrome := webtest.Browser(t)
	h := newHouse(t)
	h.start()
	h.Submit("alice", v1.Request{Name: "zebra-plan", EstimateMS: 60_000, DeadlineMS: 600_000, Script: "# work 60s\n"})
	form := chrome.Page(h.url)
	form.SignIn(h.Secret("alice"))
	list := form.Beside("/jobs")
	list.Until("the job", `document.body.innerText.includes("zebra-plan")`)
	form.Front()
	form.Go("/submit")
	form.Type("#estimate", "7m")
	form.Type("#script", "#!/bin/sh\necho kept over a restart\n")
	form.Until("a price", `document.querySelector("[data-price]")`)
	form.Eval(`document.getElementById("script").setSelectionRange(4, 9)`, nil)
	tabs := []*webtest.Page{form, list}
	for range 2 {
		for _, p := range tabs {
			p.Forgive(true)
		}
		h.stop()
		h.start()
		here := fmt.Sprintf("location.href.startsWith(%q) && document.documentElement.classList.contains(\"scripted\") && ", h.url+"/s/")
		list.Front()
		list.Until("the list at the next address", here+`location.pathname.endsWith("/jobs") && document.body.innerText.includes("zebra-plan")`)
		form.Front()
		form.Until("the form at the next address", here+`document.getElementById("script")?.value.includes("kept over a restart") && document.getElementById("estimate").value === "7m"`)
		form.Until("the caret where it was", `document.activeElement?.id === "script" && document.activeElement.selectionStart === 4 && document.activeElement.selectionEnd === 9`)
		form.Until("a price", `document.querySelector("[data-price]")`)
		for _, p := range tabs {
			p.Until("the word that all is well", `!("offline" in document.body.dataset)`)
			p.Forgive(false)
		}
	}
	var old string
	form.Eval(`location.href`, &old)
	form.Click(".me button")
	form.Until("the sign-in", `document.getElementById("token")`)
	list.Forgive(true)
	list.Front()
	list.Send("Page.reload", nil, nil)
	list.Until("the sign-in in the other tab", `document.getElementById("token")`)
	h.stop()
	h.start()
	list.Send("Page.navigate", map[string]any{"url": old}, nil)
	list.Until("the sign-in after another start", fmt.Sprintf("location.href.startsWith(%q) && document.getElementById(\"token\")", h.url+"/login"))
}

// Whoever only looks ahead opens nothing, nor does a frame or a script; and who is another
// user of the system, or is not known, sees whom the key is for and is asked.
func TestLookingAheadOpensNothing(t *testing.T) {
	memory := &notes{kept: map[string]store.Note{}}
	uid, known := 1000, true
	option := func(o *web.Options) {
		o.Memory, o.URL, o.Door = memory, "http://127.9.9.9:1", "127.0.0.1:1"
		o.Peer = func(*http.Request) (int, bool) { return uid, known }
	}
	w := newWorld(t, option)
	found := regexp.MustCompile(`name="carry" content="([^"]+)"`).FindStringSubmatch(w.signedIn(alice).get("/jobs").body)
	if found == nil {
		t.Fatal("a page without a key for the next start")
	}
	w.handler.Close()
	again := newWorld(t, option)
	shown := map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	with := func(name, value string) map[string]string {
		other := map[string]string{name: value}
		for k, v := range shown {
			if k != name {
				other[k] = v
			}
		}
		return other
	}
	opens := func(header map[string]string) bool {
		t.Helper()
		r := again.visitor().request(http.MethodGet, "/login?key="+found[1], nil)
		for name, value := range header {
			r.Header.Set(name, value)
		}
		got := again.visitor().send(r)
		set := got.header.Get("Set-Cookie") != ""
		if set == strings.Contains(got.body, "Continue as alice") {
			t.Errorf("with %v: %d %s", header, got.status, got.body)
		}
		return set
	}
	for _, header := range []map[string]string{
		{},
		with("Sec-Purpose", "prefetch"), with("Sec-Purpose", "prefetch;prerender"), with("Purpose", "prefetch"), with("X-Moz", "prefetch"),
		with("Sec-Fetch-Dest", "iframe"), with("Sec-Fetch-Mode", "cors"),
	} {
		if opens(header) {
			t.Errorf("%v opens a session", header)
		}
	}
	for _, other := range []func(){func() { uid = 1001 }, func() { uid, known = 1000, false }} {
		other()
		if opens(shown) {
			t.Errorf("user %d (known: %t) of the system is not asked", uid, known)
		}
	}
	uid, known = 1000, true
	for range 2 { // in every tab
		if !opens(shown) {
			t.Error("who had signed in does not go on")
		}
	}
}

// A page that was opened in the background follows the market once somebody looks at it.
func TestAPageOfTheBackgroundIsLive(t *testing.T) {
	s := newStage(t)
	front := s.chrome.Page(s.url)
	front.SignIn(s.Secret("alice"))
	back := front.Behind("/account")
	back.Until("the page, where nobody looks", `document.hidden && document.documentElement.classList.contains("scripted")`)
	before := back.Text("#purse")
	back.Front()
	back.Until("somebody who looks", `!document.hidden`)
	s.Do(trade.Command{By: webtest.Root, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: int64(market.Unit)}})
	back.Until("what was granted since", fmt.Sprintf(`document.querySelector("#purse")?.innerText.trim() !== %q`, before))
}
