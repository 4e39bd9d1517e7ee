package web_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web/webtest"
)

// audit looks at a page as those do who cannot see it well, or at all.
//
//go:embed testdata/audit.js
var audit string

// scene is a page as somebody has it before them.
type scene struct {
	page *webtest.Page
	path string
	then func(*webtest.Page) // what they have done there
}

// scenes are all pages, with what can be seen of them.
func (s *stage) scenes(t *testing.T) []scene {
	t.Helper()
	budget := int64(1)
	fine := int64(10_000)
	s.Submit("alice", v1.Request{Name: "runs", EstimateMS: 600_000, DeadlineMS: 3_600_000, PenaltyMicros: fine, Script: "echo hello\n# work 600s\n"})
	s.Submit("alice", v1.Request{Name: "done", EstimateMS: 1_000, DeadlineMS: 60_000, Script: "echo hello\n# work 200ms\n"})
	s.Submit("alice", v1.Request{Name: "refused", EstimateMS: 600_000, DeadlineMS: 700_000, Budget: &budget})
	s.Submit("alice", v1.Request{Name: "sweep", EstimateMS: 60_000, DeadlineMS: 3_600_000, Array: &v1.Array{First: 1, Last: 5}, Script: "echo hello\n# work 100ms\n"})
	waitFor(t, "a job to end", func() bool {
		j, err := s.Market.Job(t.Context(), 2)
		return err == nil && j.State == v1.Completed
	})
	nobody, user, owner, astray := s.chrome.Page(s.url), s.chrome.Page(s.url), s.chrome.Page(s.url), s.chrome.Page(s.url)
	user.SignIn(s.Secret("alice"))
	owner.SignIn(s.Secret("root"))
	astray.SignIn(s.Secret("bob"))
	t.Cleanup(func() { clean(t, nobody, user, owner) }) // what is not there is an error in the console of who went astray
	return []scene{
		{nobody, "/login", nil},
		{nobody, s.link(webtest.User("alice")), nil},
		{user, "/submit", nil},
		{user, "/submit", refused},
		{user, "/submit", mistaken},
		{user, "/jobs", nil},
		{user, "/jobs?state=ended", nil},
		{user, "/jobs?sort=-cost", func(p *webtest.Page) {
			p.Click("#all")
			p.Click("#pick button")
			p.Until("the question", `document.querySelector("button.danger")`)
		}},
		{user, "/jobs/1", func(p *webtest.Page) { p.Click(".confirm summary") }},
		{user, "/jobs/2", func(p *webtest.Page) { p.Click(".receipt summary") }},
		{user, "/jobs/3", nil},
		{user, "/jobs/4", nil},
		{astray, "/jobs/99", nil},
		{user, "/market", nil},
		{user, "/account", nil},
		{owner, "/jobs", nil},
		{owner, "/owner", func(p *webtest.Page) {
			p.Click(".levers .go button.big")
			p.Until("a forecast", `document.querySelector(".forecast")`)
		}},
		{owner, "/account?path=lab", nil},
	}
}

// refused is a form with a no to it.
func refused(p *webtest.Page) {
	p.Type("#deadline", "11m")
	p.Type("#budget", "0.01")
	p.Type("#script", "true")
	p.Click(".go button.big")
	p.Until("a refusal", `document.querySelector(".eyebrow.bad")?.textContent === "Refused"`)
}

// mistaken is a form with a mistake in it.
func mistaken(p *webtest.Page) {
	p.Click(".more summary")
	p.Type("#name", "done")
	p.Type("#estimate", "soon")
	p.Until("an estimate from before", `document.querySelector(".guess button")`)
	p.Until("a word about it", `!document.getElementById("estimate-wrong").hidden`)
}

// look is how a page is looked at.
type look struct {
	scheme string
	width  int
}

// examine looks at all pages in several ways.
func (s *stage) examine(t *testing.T, looks []look, wrong func(*webtest.Page) []string) {
	t.Helper()
	for _, c := range s.scenes(t) {
		for _, as := range looks {
			c.page.Size(as.width, 900)
			c.page.Scheme(as.scheme)
			c.page.Go(c.path)
			if c.then != nil {
				c.then(c.page)
			}
			for _, text := range wrong(c.page) {
				t.Errorf("%s, %s, %d wide: %s", c.path, as.scheme, as.width, text)
			}
		}
	}
}

// Every page, light and dark, wide and narrow: what is written can be read, what
// can be pressed has a name, and nothing sticks out.
func TestEverybodyCanUseThePages(t *testing.T) {
	s := newStage(t, func(o *trade.Open) { o.Policy = "libra-plus" })
	s.examine(t, []look{{"light", 1280}, {"dark", 1280}, {"light", 390}, {"dark", 320}}, func(p *webtest.Page) (wrong []string) {
		p.Eval(audit, &wrong)
		return wrong
	})
}

// axe-core has nothing to say about any page, light or dark, wide or narrow.
func TestAxeFindsNothing(t *testing.T) {
	axe := webtest.Axe(t)
	s := newStage(t, func(o *trade.Open) { o.Policy = "libra-plus" })
	s.examine(t, []look{{"light", 1280}, {"dark", 1280}, {"dark", 390}}, func(p *webtest.Page) []string {
		return p.Examine(axe)
	})
}

// Somebody without a mouse signs in, submits and gets to the job, and always sees
// where they are.
func TestTheKeyboardIsEnough(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.Go("/login")
	p.Send("Input.insertText", map[string]any{"text": s.Secret("alice")}, nil) // the field has the focus
	p.Press("Enter", 13)
	p.Until("somebody to be signed in", `document.querySelector(".purse")`)
	p.Enter()
	p.Go("/submit")
	at := func() string {
		var text string
		p.Eval(`(() => { const e = document.activeElement; return e.id || (e.tagName === "BUTTON" ? "" : e.name) || e.textContent.trim().slice(0, 30); })()`, &text)
		return text
	}
	var seen []string
	for range 40 {
		p.Press("Tab", 9)
		where := at()
		seen = append(seen, where)
		visible := false
		p.Eval(`(() => { const e = document.activeElement; if (e === document.body) return true;
			const ring = (x) => x && getComputedStyle(x).outlineStyle !== "none" && parseFloat(getComputedStyle(x).outlineWidth) >= 1;
			return e.type === "range" || ring(e) || ring(e.closest(".upload")?.querySelector("label")); })()`, &visible)
		if !visible {
			t.Errorf("nobody sees that %q has the focus", where)
		}
		if where == "script" {
			p.Send("Input.insertText", map[string]any{"text": "#!/bin/sh\necho typed\n# work 1s\n"}, nil)
		}
		if where == "Submit" && len(seen) > 8 {
			break
		}
	}
	order := strings.Join(seen, " > ")
	last := -1
	for _, name := range []string{"Skip to content", "estimate", "deadline", "budget", "slide", "script"} {
		i := strings.Index(order, name)
		if i <= last {
			t.Fatalf("%s is not reached, or out of order: %s", name, order)
		}
		last = i
	}
	p.Press("Enter", 13)
	p.Until("the job", `location.pathname.includes("/jobs/")`)
	clean(t, p)
}
