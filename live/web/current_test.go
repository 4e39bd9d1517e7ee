package web_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web/webtest"
)

// What people have, and the house, move on the pages that show it, as do the amounts of a
// question that nobody has answered yet.
func TestAccountsAreKeptCurrent(t *testing.T) {
	s := newStage(t)
	owner := s.chrome.Page(s.url)
	owner.SignIn(s.Secret("root"))
	owner.Go("/owner")
	owner.Until("what alice has", `document.querySelector(".accounts")?.innerText.includes("5,000.00")`)
	alice := s.chrome.Page(s.url)
	alice.SignIn(s.Secret("alice"))
	alice.Go("/account")
	alice.Until("what she has", `document.querySelector("main").innerText.includes("5,000.00")`)
	alice.Eval(`window.__same = true`, nil)
	owner.Eval(`window.__same = true`, nil)

	budget := int64(700 * market.Unit)
	if o := s.Submit("alice", v1.Request{Name: "runs", EstimateMS: 600_000, DeadlineMS: 3_600_000, Budget: &budget, Script: "# work 600s\n"}); o.Refusal != nil {
		t.Fatalf("refused: %+v", o.Refusal)
	}
	alice.Front()
	alice.Until("what is held of it", `window.__same && document.getElementById("stands").innerText.includes("4,300.00") && document.getElementById("statement").innerText.includes("runs")`)
	owner.Front()
	owner.Until("the same here", `window.__same && document.querySelector(".accounts").innerText.includes("4,300.00")`)
	s.Do(trade.Command{By: webtest.Root, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 11 * int64(market.Unit), Memo: "more"}})
	alice.Front()
	alice.Until("more", `window.__same && document.getElementById("stands").innerText.includes("4,311.00") && document.getElementById("statement").innerText.includes("more")`)

	alice.Go("/jobs")
	alice.Click("#j1 input")
	alice.Click("#pick button")
	alice.Until("the question", `document.querySelector("h1").textContent === "Cancel 1 job?"`)
	alice.Eval(`window.__asked = document.getElementById("many").innerText; document.querySelector("#many button").focus()`, nil)
	alice.Until("other amounts, and the focus where it was", `document.getElementById("many") && document.getElementById("many").innerText !== window.__asked && document.activeElement.closest("#many button")`)
	clean(t, owner, alice)
}

// What is drawn anew each second leaves the focus where it was, and never goes without a
// part that the browser writes.
func TestWhatIsDrawnAnewTakesNothingAway(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: strings.Repeat("averylongname", 9), EstimateMS: 600_000, DeadlineMS: 3_600_000, Script: "# work 600s\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs")
	for _, at := range []string{"#j1 a", "#j1 input", "thead a"} {
		p.Until("the table", `document.querySelector("`+at+`")`)
		p.Eval(`document.querySelector("`+at+`").focus(); document.querySelector("table[data-live]").dataset.old = "yes"`, nil)
		p.Until("another table with the focus where it was: "+at, `!document.querySelector("table[data-live]").dataset.old && document.activeElement === document.querySelector("`+at+`")`)
	}
	p.Go("/jobs/1")
	p.Until("how long is left", `document.querySelector("#stats .left")?.textContent.startsWith("in ")`)
	// Whenever the numbers are another element, the time that is left is in it.
	p.Eval(`(() => { window.__drawn = 0; window.__without = 0; let was = document.getElementById("stats");
		new MutationObserver(() => { const is = document.getElementById("stats"); if (is === was) return; was = is; window.__drawn++;
			if (!is.querySelector(".left").textContent.startsWith("in ")) window.__without++; }).observe(document.body, { childList: true, subtree: true }); })()`, nil)
	p.Until("the numbers drawn anew", `window.__drawn >= 2`)
	var without int
	p.Eval(`window.__without`, &without)
	if without > 0 {
		t.Errorf("%d times they were there without the time that is left", without)
	}
	for _, width := range []int{1280, 390} {
		p.Size(width, 844)
		p.Go("/jobs/1")
		p.Until("nothing wider than the page", `document.querySelector("#stats .left")?.textContent && document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
	}
	p.Click("#actions summary")
	p.Until("the question inside the page of a phone", `(() => { const b = document.querySelector(".pop").getBoundingClientRect(); return b.width > 200 && b.left >= 0 && b.right <= document.documentElement.clientWidth; })()`)
	clean(t, p)
}

// A price is asked for again while a form rests, and there is none where nobody is signed in.
func TestAPriceAtRestIsAskedForAgain(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/submit")
	p.Type("#estimate", "10m")
	p.Type("#deadline", "20m")
	p.Until("a price", `document.querySelector("[data-price]")`)
	p.Eval(`document.querySelector(".facts time").dateTime = "2001-01-01T00:00:00Z"`, nil)
	p.Until("when it would be done by now", `document.querySelector(".facts time")?.dateTime > "2002"`)
	other := p.Beside("/jobs")
	other.Front()
	other.Click(".me button")
	other.Until("the sign-in", `document.getElementById("token")`)
	p.Forgive(true)
	p.Front()
	p.Until("no price", `!document.querySelector("[data-price]") && document.getElementById("net").innerText.includes("session is over")`)
}
