package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/web/webtest"
)

// Somebody who names a program that they have run before is offered an estimate from
// those runs, and gets it where they say none.
func TestAnEstimateIsOffered(t *testing.T) {
	s := newStage(t)
	for range 4 {
		s.Submit("alice", v1.Request{Name: "fold", EstimateMS: 60_000, DeadlineMS: 600_000, Script: "# work 300ms\n"})
	}
	s.Submit("bob", v1.Request{Name: "bake", EstimateMS: 60_000, DeadlineMS: 600_000, Script: "# work 300ms\n"})
	waitFor(t, "the jobs to end", func() bool {
		jobs, err := s.Market.Jobs(t.Context(), v1.JobQuery{States: []v1.State{v1.Completed}, Limit: 10})
		return err == nil && len(jobs) == 5
	})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/submit")
	p.Click(".more summary")
	p.Type("#name", "bake") // that is bob's
	p.Until("the market to have looked", `performance.getEntriesByType("resource").some((r) => r.name.endsWith("/preview"))`)
	p.Type("#name", "fold")
	p.Until("an estimate", `document.querySelector(".guess")?.innerText.includes("From how it ran before")`)
	if said := p.Text(".guess"); !strings.Contains(said, "4 runs of fold on as many processors; 80 % sure for one like them") || strings.Contains(said, "bake") {
		t.Errorf("the page proposes: %s", said)
	}
	var proposed string
	p.Eval(`new URLSearchParams(document.querySelector(".guess button").value).get("estimate")`, &proposed)
	p.Click(".guess button")
	p.Until("it to be taken", `document.getElementById("estimate").value === "`+proposed+`" && document.querySelector(".guess").innerText === ""`)
	// Without one it is taken, and the price is for it.
	p.Type("#estimate", "")
	p.Until("the word that it is taken", `document.querySelector(".guess").innerText.includes("because you say none") && Number(document.querySelector("#submit").elements.seen.value) > 0`)
	p.Type("#script", "#!/bin/sh\n# work 300ms\n")
	p.Until("the price of it", `Number(document.querySelector("#submit").elements.seen.value) > 0`)
	p.Click(".go button.big")
	p.Until("the job", `location.pathname.endsWith("/jobs/6")`)
	j, err := s.Market.Job(t.Context(), 6)
	if err != nil || j.Name != "fold" || j.Request.EstimateMS < 300 || j.Request.EstimateMS > 10_000 {
		t.Errorf("%+v, %v", j.Request, err)
	}
	clean(t, p)
}

// A page proposes nothing from what others have run, or for a name that nobody gave.
func TestAnEstimateIsFromOnesOwnRuns(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	p := w.signedIn(webtest.User("bob"))
	for _, name := range []string{"", "fold"} {
		got := p.post("/preview", url.Values{"csrf": {p.stamp()}, "name": {name}, "deadline": {"1h"}})
		if got.status != ok || strings.Contains(got.body, "how it ran before") || strings.Contains(got.body, "you say none") {
			t.Errorf("for %q: %d, %s", name, got.status, got.body)
		}
	}
}
