package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// The table is sorted by its heads, finds names as they are typed, and several jobs are
// chosen and cancelled together, after a question that says what each is charged.
func TestManyJobsAreCancelledTogether(t *testing.T) {
	s := newStage(t)
	for i, name := range []string{"fold-a", "bake", "fold-b"} {
		s.Submit("alice", v1.Request{Name: name, EstimateMS: 600_000, DeadlineMS: int64(3-i) * 3_600_000, Script: "# work 600s\n"})
	}
	s.Submit("alice", v1.Request{Name: "fold-done", EstimateMS: 1_000, DeadlineMS: 60_000, Script: "# work 100ms\n"})
	waitFor(t, "a job to end", func() bool {
		j, err := s.Market.Job(t.Context(), 4)
		return err == nil && j.State == v1.Completed
	})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	const rows = `[...document.querySelectorAll("tbody tr")].map((r) => r.dataset.id).join()`
	p.Go("/jobs")
	p.Until("the newest first", rows+` === "4,3,2,1"`)
	p.Click("thead th:nth-child(7) a")
	p.Until("the nearest deadline first", rows+` === "4,3,2,1" && document.querySelector("th[aria-sort=ascending]")?.textContent === "Deadline"`)
	p.Eval(`document.querySelector("th[aria-sort] a").focus()`, nil)
	p.Press("Enter", 13) // without a mouse
	p.Until("the farthest first", rows+` === "1,2,3,4" && document.querySelector("th[aria-sort=descending]")?.textContent === "Deadline"`)

	p.Eval(`window.__same = true`, nil)
	p.Type("#name", "fold")
	p.Until("those of that name, in the same order", rows+` === "1,3,4" && window.__same && location.search.includes("name=fold") && location.search.includes("sort=-deadline")`)
	p.Type("#name", "nobody")
	p.Until("none", `document.querySelector("#list")?.innerText.includes("None like that")`)
	p.Type("#name", "fold-")
	p.Until("those again", rows+` === "1,3,4"`)

	sleeping := true
	p.Eval(`document.querySelector("#pick button").disabled`, &sleeping)
	if !sleeping {
		t.Error("nothing is chosen, and can be cancelled")
	}
	p.Click("#j3 input")
	p.Until("one to be chosen", `document.querySelector("#pick button").textContent === "Cancel selected (1)…" && document.getElementById("all").indeterminate`)
	p.Click("#all")
	p.Until("all that run to be chosen", `document.querySelector("#pick button").textContent === "Cancel selected (2)…" && document.getElementById("all").checked`)
	// The table is drawn anew while it is looked at; what was chosen stays so.
	p.Eval(`document.querySelector("table[data-live]").dataset.old = "yes"`, nil)
	p.Until("the table to be drawn anew", `!document.querySelector("table[data-live]").dataset.old`)
	p.Until("what was chosen", `document.querySelectorAll("tbody input:checked").length === 2`)

	p.Click("#pick button")
	p.Until("the question", `document.querySelector("h1").textContent === "Cancel 2 jobs?"`)
	var amounts []string
	p.Eval(`[...document.querySelectorAll("td.num"), document.querySelector(".lead")].map((e) => e.textContent)`, &amounts)
	if len(amounts) != 3 || !strings.Contains(amounts[2], "together") || !strings.HasSuffix(amounts[0], "\u00a0cr") {
		t.Errorf("the question says %q", amounts)
	}
	for _, id := range []int64{1, 3} {
		if j, err := s.Market.Job(t.Context(), id); err != nil || j.State != v1.Running {
			t.Errorf("job %d is %s before anybody was sure, %v", id, j.State, err)
		}
	}
	p.Click(".go button.danger")
	p.Until("the table, as it was", `location.search.includes("name=fold-") && document.querySelector(".said")?.textContent.includes("2 jobs are being cancelled.")`)
	p.Until("both to have ended", `["1", "3"].every((id) => document.querySelector("#j" + id + " .tag")?.textContent === "cancelled")`)
	for id, want := range map[int64]v1.State{1: v1.Cancelled, 2: v1.Running, 3: v1.Cancelled, 4: v1.Completed} {
		if j, err := s.Market.Job(t.Context(), id); err != nil || j.State != want {
			t.Errorf("job %d is %s, want %s (%v)", id, j.State, want, err)
		}
	}
	// What the page says was charged is what the market says.
	for _, id := range []int64{1, 3} {
		j, err := s.Market.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		p.Until("what it was charged", fmt.Sprintf(`document.querySelector("#j%d .cost").textContent === %q`, id, market.Money(j.Charged).Text()+"\u00a0cr"))
	}
	clean(t, p)
}

// A table that is drawn anew every second is not while a button is held down on it: what
// was pressed would be gone when it is let go, and that is no click.
func TestNothingIsDrawnAnewUnderAPress(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{EstimateMS: 600_000, DeadlineMS: 3_600_000, Script: "# work 600s\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs")
	p.Until("the job", `document.querySelector("#j1 input")`)
	var at struct{ X, Y float64 }
	p.Eval(`(() => {
		const b = document.querySelector("#j1 input").getBoundingClientRect(), fetched = window.fetch;
		const table = document.querySelector("table[data-live]");
		window.__turned = () => !table.isConnected;
		addEventListener("pointerdown", () => { window.__held = document.querySelector("table[data-live]"); window.__looks = 0; });
		window.fetch = async (...what) => { const answer = await fetched(...what); window.__looks++; return answer; };
		return {X: b.x + b.width / 2, Y: b.y + b.height / 2};
	})()`, &at)
	mouse := func(kind string) {
		p.Send("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
	p.Until("a table that turns", `window.__turned()`)
	mouse("mousePressed")
	p.Until("a look at the market", `window.__looks > 0`)
	p.Eval(`new Promise((f) => setTimeout(f, 300))`, nil)
	same := false
	if p.Eval(`window.__held.isConnected`, &same); !same {
		t.Error("the table was drawn anew under a press")
	}
	mouse("mouseReleased")
	p.Until("it to be chosen", `document.querySelector("#pick button").textContent === "Cancel selected (1)…"`)
	p.Until("the table to turn again", `!window.__held.isConnected`)
}
