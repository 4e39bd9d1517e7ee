package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// stage is a market that runs, with people, a node that is played, and pages that
// a browser can open.
type stage struct {
	*webtest.Floor
	chrome *webtest.Chrome
	url    string
	link   func(trade.Identity) string
}

func newStage(t *testing.T, change ...func(*trade.Open)) *stage {
	t.Helper()
	chrome := webtest.Browser(t)
	f := webtest.Open(t, change...)
	f.People(5000, "root", "alice", "bob")
	f.Join("n1", 2).Play()
	h := web.New(f.Market, f.Keys, web.Options{Log: logTo(t), WhatIf: pretend, Sample: 200 * time.Millisecond})
	return &stage{Floor: f, chrome: chrome, url: serve(t, h).URL, link: h.LoginLink}
}

func clean(t *testing.T, pages ...*webtest.Page) {
	t.Helper()
	for _, p := range pages {
		for _, c := range p.Complaints() {
			t.Errorf("the console says: %s", c)
		}
	}
}

// A person submits, is refused, takes a counter-offer, watches the job finish and
// reads the receipt.
func TestAPersonSubmits(t *testing.T) {
	s := newStage(t)
	// The node is full until bob changes his mind, so that a short deadline cannot
	// be met.
	var full []int64
	for range 2 {
		o := s.Submit("bob", v1.Request{EstimateMS: 600_000, DeadlineMS: 610_000, Script: "#!/bin/sh\n# work 600s\n"})
		if o.Refusal != nil {
			t.Fatalf("bob is refused: %+v", o.Refusal)
		}
		full = append(full, o.Job.ID)
	}
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	if got := p.Text("main"); !strings.Contains(got, "No jobs yet") {
		t.Errorf("an empty table says: %s", got)
	}
	p.Click(".top nav a")
	p.Until("the form", `document.querySelector("#submit")`)

	// The price appears as one types, and goes with what is typed.
	p.Type("#estimate", "2s")
	p.Type("#deadline", "10m")
	p.Until("a price", `document.querySelector("[data-price]")?.dataset.price === document.querySelector("#submit").elements.seen.value && document.querySelector("[data-price]").dataset.price > 0`)
	patient := p.Text(".figure-big")
	p.Type("#deadline", "2s")
	p.Until("a refusal", `document.querySelector(".verdict")`)
	if said := p.Text(".verdict"); !strings.Contains(said, "within 2s, its deadline") {
		t.Errorf("the refusal says %q", said)
	}
	p.Type("#script", "#!/bin/sh\necho hello from the page\n# work 1500ms\n")
	p.Click(".go button.big")
	p.Until("the refusal of the submission", `document.querySelector(".eyebrow.bad")?.textContent === "Refused"`)
	var kept string
	p.Eval(`document.getElementById("script").value`, &kept)
	if !strings.Contains(kept, "hello from the page") {
		t.Errorf("after a refusal the script is %q", kept)
	}
	p.Click(".offer")
	p.Until("the page of the job", `location.pathname.includes("/jobs/") && document.querySelector("#stats")`)

	// It runs, writes and ends before one's eyes.
	for _, id := range full {
		s.Do(trade.Command{By: webtest.User("bob"), Cancel: &trade.Cancel{Job: id}})
	}
	p.Until("its output", `document.getElementById("log")?.textContent.includes("hello from the page")`)
	p.Until("its end", `document.querySelector("#state .tag")?.textContent === "completed"`)
	p.Until("the receipt", `document.querySelector(".receipt .total")`)
	p.Until("the last line of its output", `document.getElementById("log").textContent.includes("done")`)
	total := p.Text(".receipt .total")
	if total == "" || total == "0" || patient == "" {
		t.Errorf("the receipt is over %q; a patient job was offered for %q", total, patient)
	}
	if text := p.Text(".receipt"); !strings.Contains(text, "price as agreed") || !strings.Contains(text, "gamma * E + delta * E / D") {
		t.Errorf("the receipt says %s", text)
	}
	p.Go("/account")
	if text := p.Text(".ledger"); !strings.Contains(text, "charge") {
		t.Errorf("the statement says %s", text)
	}
	clean(t, p)
}

// The slider moves the deadline along the curve, by mouse and by keyboard.
func TestTheSliderFollowsTheCurve(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/submit")
	p.Type("#estimate", "1m")
	p.Type("#deadline", "2m")
	const priced = `Number(document.querySelector("#submit").elements.seen.value)`
	p.Until("a price", `document.querySelector(".facts")?.innerText.includes("50\u2009%") && `+priced+` > 0`)
	var soon, late float64
	p.Eval(priced, &soon)
	p.Eval(`document.getElementById("slide").focus()`, nil)
	p.Press("End", 35)
	p.Until("a later deadline", `document.getElementById("deadline").value === "16m"`)
	p.Until("a lower price", priced+fmt.Sprintf(` < %v`, soon))
	p.Eval(priced, &late)
	if !(late < soon) {
		t.Errorf("16 minutes cost %v, 2 minutes %v", late, soon)
	}
	if said := p.Text("#say"); !strings.HasPrefix(said, "Price ") {
		t.Errorf("who does not see the page hears %q", said)
	}
	clean(t, p)
}

// The table follows what happens without being loaded again.
func TestTheTableIsLive(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "first", EstimateMS: 60_000, DeadlineMS: 600_000, Script: "# work 60s\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs")
	p.Eval(`window.__same = true`, nil)
	p.Until("the first job", `document.querySelector("#j1 .share")?.textContent.includes("%")`)
	s.Submit("alice", v1.Request{Name: "second", EstimateMS: 2_000, DeadlineMS: 60_000, Script: "# work 1s\n"})
	s.Submit("bob", v1.Request{Name: "not-yours", EstimateMS: 2_000, DeadlineMS: 60_000, Script: "# work 1s\n"})
	p.Until("the second job", `document.querySelector("#j2")`)
	p.Until("its end", `document.querySelector("#j2 .tag").textContent === "completed" && document.querySelector("#j2 .cost").textContent !== "–"`)
	p.Until("the first to go on", `parseFloat(document.querySelector("#j1 .fill").getAttribute("width")) > 0`)
	yes := false
	p.Eval(`window.__same === true && document.querySelector("tbody tr").id === "j2" && !document.body.innerText.includes("not-yours")`, &yes)
	if !yes {
		t.Errorf("the page was loaded again, or is out of order: %s", p.Text("tbody"))
	}
	clean(t, p)
}

// Two people on one market see nothing of each other.
func TestTwoPeopleDoNotSeeEachOther(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "zebra-plan", EstimateMS: 60_000, DeadlineMS: 600_000, Script: "echo zebra\n# work 60s\n"})
	a, b := s.chrome.Page(s.url), s.chrome.Page(s.url)
	a.SignIn(s.Secret("alice"))
	b.SignIn(s.Secret("bob"))
	a.Go("/jobs")
	a.Until("her job", `document.body.innerText.includes("zebra-plan")`)
	b.Forgive(true) // a page that is not there is an error in the console
	for _, path := range []string{"/jobs", "/jobs/1", "/jobs/1/log", "/account?path=lab/alice", "/market", "/owner", "/submit?like=1"} {
		b.Send("Page.navigate", map[string]any{"url": b.At(path)}, nil)
		b.Until(path, fmt.Sprintf(`document.readyState === "complete" && location.href.endsWith(%q)`, path))
		var text string
		b.Eval(`document.documentElement.outerHTML`, &text)
		if strings.Contains(text, "zebra") {
			t.Errorf("bob sees alice's job at %s", path)
		}
	}
	clean(t, a)
}

// An owner tries a lever on the past, then moves it.
func TestAnOwnerMovesALever(t *testing.T) {
	s := newStage(t, func(o *trade.Open) { o.Policy = "libra-plus" })
	p := s.chrome.Page(s.url)
	p.Go(s.link(webtest.Root)) // as the command line prints it
	p.Click("button.big")
	p.Until("the owner to be signed in", `document.querySelector(".purse")`)
	p.Enter()
	p.Go("/owner")
	p.Type("[id='set.beta']", "0.3")
	p.Click("[aria-label='What if beta were this']")
	p.Until("a forecast of one lever", `document.querySelector(".forecast")`)
	if text := p.Text(".forecast"); !strings.Contains(text, "+12") || !strings.Contains(text, "9 users worse off") || strings.Contains(text, "Apply") {
		t.Errorf("the forecast says %s", text)
	}
	p.Click(".levers .go button.big")
	p.Until("a forecast of all", `document.querySelector(".forecast button")`)
	p.Click(".forecast button")
	p.Until("the lever to be moved", `document.querySelector(".said") && location.search.startsWith("?epoch=")`)
	if in := p.Text("tr:has([id='set.beta']) [data-label='In force']"); in != "0.3" {
		t.Errorf("beta is %s", in)
	}
	epochs, err := s.Market.Epochs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := epochs[len(epochs)-1]
	beta := ""
	for _, set := range last.Settings {
		if set.Name == "beta" {
			beta = set.Value
		}
	}
	if len(epochs) != 2 || last.Policy != "libra-plus" || beta != "0.3" {
		t.Errorf("epochs %+v", epochs)
	}
	// What makes no sense is said, and changes nothing.
	p.Type("[id='set.beta']", "much")
	p.Click(".levers .go button.big")
	p.Until("a word about it", `document.querySelector("#forecast .wrong")`)
	clean(t, p)
}

// With the network cut the page stays, says so, keeps what was typed, and goes on
// when it is back.
func TestTheNetworkIsCut(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "first", EstimateMS: 120_000, DeadlineMS: 600_000, Script: "# work 120s\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	for _, path := range []string{"/jobs", "/jobs/1", "/market", "/submit"} {
		p.Go(path)
		p.Until("the stream", `performance.getEntriesByType("resource").length > 0 && document.getElementById("net").hidden`)
		p.Forgive(true)
		p.Cut(true)
		p.Until("the word that it is offline", `!document.getElementById("net").hidden && document.getElementById("net").innerText.includes("Offline")`)
		p.Eval(`window.__same = true`, nil)
		p.Click(".top nav a:nth-child(2)")
		if path == "/submit" {
			p.Type("#estimate", "7m")
			p.Type("#script", "#!/bin/sh\necho kept\n")
			p.Click(".go button.big")
			p.Until("the word that nothing was sent", `document.getElementById("net").innerText.includes("nothing was sent")`)
		}
		still := false
		p.Eval(fmt.Sprintf(`window.__same === true && location.pathname.endsWith(%q) && document.querySelector("h1") !== null`, path), &still)
		if !still {
			t.Errorf("%s was lost when the network was cut", path)
		}
		p.Cut(false)
		p.Until("the connection to be back", `!("offline" in document.body.dataset)`)
		p.Until("the page to be quiet again", `document.getElementById("net").hidden`)
		p.Forgive(false)
		if path == "/jobs" {
			s.Submit("alice", v1.Request{Name: "after", EstimateMS: 120_000, DeadlineMS: 600_000, Script: "# work 120s\n"})
			p.Until("a job that came after", `document.querySelector("#j2")`)
		}
	}
	var kept string
	p.Eval(`document.getElementById("script").value + document.getElementById("estimate").value`, &kept)
	if kept != "#!/bin/sh\necho kept\n7m" {
		t.Errorf("of what was typed %q is left", kept)
	}
	p.Until("the price of it", `document.querySelector("[data-price]") && document.querySelector("#submit").elements.seen.value > 0`)
	p.Click(".go button.big")
	p.Until("the job", `location.pathname.includes("/jobs/")`)
	clean(t, p)
}

// A job can be cancelled, and says what it is charged.
func TestAJobIsCancelled(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "long", EstimateMS: 120_000, DeadlineMS: 600_000, Script: "# work 120s\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs/1")
	p.Click(".confirm summary")
	p.Click(".confirm button.danger")
	p.Until("its end", `document.querySelector("#state .tag")?.textContent === "cancelled"`)
	p.Until("the receipt", `document.querySelector(".receipt")`)
	if text := p.Text(".receipt"); !strings.Contains(text, "cancelled after") {
		t.Errorf("the receipt says %s", text)
	}
	clean(t, p)
}

// A button that moves while somebody reaches for it is pressed where it comes to rest.
func TestAClickHitsWhatMoves(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.Go("/login")
	p.Eval(`(() => {
		const b = document.createElement("button");
		b.id = "moving"; b.textContent = "x"; b.style.position = "fixed"; b.style.left = "10px"; b.style.top = "10px"; b.style.zIndex = 9;
		window.clicks = 0;
		b.onclick = () => window.clicks++;
		document.body.append(b);
		const where = b.getBoundingClientRect.bind(b);
		b.getBoundingClientRect = () => { const at = where(); b.style.top = "400px"; return at; }; // it moves when it was looked at
	})()`, nil)
	p.Click("#moving")
	p.Until("one click", `window.clicks === 1`)
}
