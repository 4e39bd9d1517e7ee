package web_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// TestShots makes a picture of every page, light, dark and on a phone, of a
// market that has been at work for a day. It runs where LIBRA_SHOTS names a
// directory for the pictures.
func TestShots(t *testing.T) {
	dir := os.Getenv("LIBRA_SHOTS")
	if dir == "" {
		t.Skip("LIBRA_SHOTS names no directory for pictures")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	chrome := webtest.Browser(t)
	now := time.Now()
	f := webtest.OpenAt(t, now.Add(-26*time.Hour), func(o *trade.Open) {
		o.Policy, o.Settings = "libra-plus", map[string]string{"beta": "0.2"}
		o.Rates = trade.Rates{Processor: 2_000}
	})
	f.People(4000, "root", "alice", "bob", "carol", "dmitri", "erin")
	var nodes []*webtest.Node
	for name, processors := range map[string]int{"atlas": 8, "boreas": 8, "castor": 4} {
		nodes = append(nodes, f.Join(name, processors))
	}
	h := web.New(f.Market, f.Keys, web.Options{Log: logTo(t), Now: f.Clock.Now, WhatIf: pretend, Home: func(u string) string { return "/home/" + u }})
	past := &webtest.Past{
		Floor: f, Nodes: nodes, Users: []string{"alice", "alice", "bob", "carol", "dmitri", "erin"}, Rate: 3_000, Each: 70,
		Step: 30 * time.Second, Seed: 7, Tick: func(at time.Time) {
			if err := h.Sample(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	}
	past.Play(now.Add(-26*time.Hour), now.Add(-30*time.Minute))
	past.Step = 5 * time.Second
	past.Seed, past.Each = 8, 100
	past.Play(now.Add(-30*time.Minute), time.Now())
	for _, n := range nodes {
		n.Play()
	}
	server := serve(t, h)
	user, owner := chrome.Page(server.URL), chrome.Page(server.URL)
	user.SignIn(f.Secret("alice"))
	owner.SignIn(f.Secret("root"))
	running := jobIn(t, f, "alice", v1.Running)
	done := jobIn(t, f, "alice", v1.Completed)
	long := "#!/bin/sh\n#LIBRA name=fold-2lzm\nmodule load gromacs\necho folding on $LIBRA_NODE\nexec ./fold --protein 2lzm.pdb --steps 200000\n"
	for _, shot := range []struct {
		name string
		page *webtest.Page
		path string
		then func(*webtest.Page)
	}{
		{"login", chrome.Page(server.URL), "/login", nil},
		{"submit", user, "/submit", func(p *webtest.Page) {
			p.Type("#estimate", "40m")
			p.Type("#deadline", "2h")
			p.Type("#budget", "9")
			p.Type("#script", long)
			p.Until("a price", `document.querySelector(".budget-text") && document.querySelector("[data-price]")`)
		}},
		{"refused", user, "/submit", func(p *webtest.Page) {
			p.Type("#estimate", "3h")
			p.Type("#deadline", "3h10m")
			p.Type("#budget", "24")
			p.Type("#script", long)
			p.Click(".go button.big")
			p.Until("an offer", `document.querySelector(".eyebrow.bad")?.textContent === "Refused" && document.querySelector(".offer")`)
		}},
		{"jobs", user, "/jobs", nil},
		{"job", user, "/jobs/" + running, showsOutput},
		{"receipt", user, "/jobs/" + done, showsOutput},
		{"market", user, "/market?span=day", nil},
		{"account", user, "/account", nil},
		{"owner", owner, "/owner", func(p *webtest.Page) {
			p.Type("[id='set.beta']", "0.3")
			p.Click(".levers .go button.big")
			p.Until("a forecast", `document.querySelector(".forecast")`)
			p.Eval(`scrollTo(0, 0)`, nil)
		}},
	} {
		for _, look := range []struct {
			suffix, scheme string
			w, h, most     int
		}{{"", "light", 1280, 860, 1500}, {"-dark", "dark", 1280, 860, 1500}, {"-phone", "light", 390, 844, 1700}} {
			shot.page.Size(look.w, look.h)
			shot.page.Scheme(look.scheme)
			shot.page.Go(shot.path)
			if shot.then != nil {
				shot.then(shot.page)
			}
			time.Sleep(300 * time.Millisecond) // for what is drawn to be on the screen
			name := filepath.Join(dir, "page-"+shot.name+look.suffix+".png")
			if err := os.WriteFile(name, shot.page.Shot(look.most), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, p := range []*webtest.Page{user, owner} {
		if c := p.Complaints(); len(c) > 0 {
			t.Errorf("the console: %s", strings.Join(c, "\n"))
		}
	}
}

func showsOutput(p *webtest.Page) {
	p.Until("its output", `document.getElementById("log").textContent.length > 20`)
}

// pretend is a replay whose answer depends on beta alone.
func pretend(_ context.Context, _ string, settings map[string]string, _ v1.Rates) (web.WhatIfResult, error) {
	r := web.WhatIfResult{
		FromUS: time.Now().Add(-7 * 24 * time.Hour).UnixMicro(), ToUS: time.Now().UnixMicro(),
		Jobs: 1204, RevenueBefore: 412_300_000, Brought: 412_300_000, Revenue: 412_300_000, AcceptedBefore: 1012, Accepted: 1012,
	}
	if settings["beta"] == "0.3" {
		r.Revenue, r.Accepted, r.UsersBetter, r.UsersWorse = 461_900_000, 998, 2, 9
	}
	return r, nil
}
