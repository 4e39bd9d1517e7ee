package web_test

import (
	"strings"
	"testing"
)

// A session that is over shows no price; what was typed is there again after signing in,
// for who typed it alone, until the job is handed in.
func TestASessionEndsWhileSomebodyTypes(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/submit")
	p.Type("#estimate", "3m")
	p.Type("#script", "#!/bin/sh\necho kept\n# work 100ms\n")
	p.Click(".more summary")
	p.Type("#name", "fold")
	p.Until("a price", `Number(document.querySelector("#submit").elements.seen.value) > 0`)
	p.Eval(`fetch("logout", {method: "POST", body: new URLSearchParams({csrf: document.querySelector("meta[name=csrf]").content})})`, nil) // as another tab would
	p.Forgive(true)
	p.Type("#deadline", "2h")
	p.Until("no price", `document.querySelector(".figure-big")?.textContent === "–" && document.querySelector("#submit").elements.seen.value === ""`)
	p.Until("why", `document.getElementById("net").innerText.includes("Your session is over")`)
	p.Click("#net a")
	p.Until("the sign-in", `document.getElementById("token")`)
	if said := p.Text("main"); !strings.Contains(said, "libra login") {
		t.Errorf("the sign-in says %s", said)
	}
	p.Forgive(false)
	p.Type("#token", s.Secret("alice"))
	p.Click("form button.big")
	const typed = `["estimate", "deadline", "name", "script"].map((n) => document.getElementById(n)?.value).join("|")`
	p.Until("what was typed", typed+` === "3m|2h|fold|#!/bin/sh\necho kept\n# work 100ms\n"`)
	p.Until("its price", `Number(document.querySelector("#submit").elements.seen.value) > 0 && !document.getElementById("again").hidden`)
	p.Enter()

	// It is nobody else's.
	p.Forgive(true) // the page may ask for news before it is left
	p.Eval(`fetch("logout", {method: "POST", body: new URLSearchParams({csrf: document.querySelector("meta[name=csrf]").content})})`, nil)
	p.Go("/login")
	p.Until("the sign-in", `document.getElementById("token")`)
	p.Forgive(false)
	p.Type("#token", s.Secret("bob"))
	p.Click("form button.big")
	p.Until("bob to be signed in", `document.querySelector(".who")?.textContent === "bob"`)
	p.Enter()
	p.Go("/submit")
	p.Until("a price for bob", `Number(document.querySelector("#submit").elements.seen.value) > 0`)
	clear := false
	p.Eval(`document.getElementById("script").value === "" && document.getElementById("again").hidden`, &clear)
	if !clear {
		t.Error("bob sees what alice typed")
	}
	p.Forgive(true) // the page may ask for news before it is left
	p.Eval(`fetch("logout", {method: "POST", body: new URLSearchParams({csrf: document.querySelector("meta[name=csrf]").content})})`, nil)
	p.Go("/login")
	p.Until("the sign-in again", `document.getElementById("token")`)
	p.Forgive(false)
	p.Type("#token", s.Secret("alice"))
	p.Click("form button.big")
	p.Until("alice to be signed in", `document.querySelector(".who")?.textContent === "alice"`)
	p.Enter()
	p.Go("/submit")
	p.Until("it again", typed+` === "3m|2h|fold|#!/bin/sh\necho kept\n# work 100ms\n" && Number(document.querySelector("#submit").elements.seen.value) > 0`)
	p.Click(".go button.big")
	p.Until("the job", `location.pathname.includes("/jobs/")`)
	p.Go("/submit") // it was handed in
	p.Until("an empty form", `document.getElementById("script").value === "" && document.getElementById("again").hidden`)
	clean(t, p)
}
