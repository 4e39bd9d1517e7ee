package system_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/libra-market/libra/live/web/webtest"
)

// Who has signed in at libra up goes on after it was killed and started again: nothing is
// clicked, and what was typed is there.
func TestASessionOutlivesAKill(t *testing.T) {
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("this kernel says nothing of sockets")
	}
	chrome := webtest.Browser(t)
	u := newUp(t, scene(t))
	u.start()
	links := regexp.MustCompile(`the page: (http://[0-9.]+:[0-9]+)(/login\?key=\S+)`)
	found := links.FindStringSubmatch(u.said(1 << 20))
	if found == nil {
		t.Fatalf("it prints no page:\n%s", u.said(4000))
	}
	p := chrome.Page(found[1])
	p.Go(found[2])
	p.Click("button.big")
	p.Until("somebody to be signed in", `document.querySelector(".purse")`)
	p.Enter()
	p.Go("/submit")
	p.Type("#estimate", "7m")
	p.Type("#script", "#!/bin/sh\necho kept over a kill\n")
	p.Until("a price", `document.querySelector("[data-price]")`)
	p.Eval(`document.getElementById("script").setSelectionRange(10, 14)`, nil)
	for range 2 {
		p.Forgive(true)
		u.kill()
		u.start()
		all := links.FindAllStringSubmatch(u.said(1<<20), -1)
		now := all[len(all)-1][1]
		p.Until("the form at the next address", fmt.Sprintf("location.href.startsWith(%q) && ", now+"/s/")+
			`document.getElementById("script")?.value.includes("kept over a kill") && document.getElementById("estimate").value === "7m"`)
		p.Until("the caret", `document.activeElement?.id === "script" && document.activeElement.selectionStart === 10 && document.activeElement.selectionEnd === 14`)
		p.Until("a price", `document.querySelector("[data-price]")`)
		p.Forgive(false)
	}
	p.Enter()
	p.Go("/jobs")
	p.Until("the jobs of who had signed in", `document.querySelector(".who")?.textContent`)
}
