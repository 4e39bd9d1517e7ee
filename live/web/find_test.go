package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// The page of a job says how it ran, finds words in what it wrote, and hands out all of
// that as a file.
func TestThePageOfAJobThatHasRun(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "talks", EstimateMS: 5_000, DeadlineMS: 60_000, MemoryMB: 128, Script: "#!/bin/sh\necho one needle\necho two Needle\necho hay\n# work 200ms\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/jobs/1")
	p.Until("its end", `document.querySelector("#state .tag")?.textContent === "completed"`)
	p.Until("how it ran", `document.querySelector("#use")?.innerText.includes("exit status 0")`)
	for _, want := range []string{"Started", "Ended", "after", "used of", "granted", "128 MB asked for", "How it ended", "by itself, without an error"} {
		if text := strings.ReplaceAll(p.Text("#use"), "\n", " "); !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	p.Until("its output", `document.getElementById("log").textContent.includes("done")`)
	p.Type("#find", "needle")
	p.Until("both places", `document.getElementById("found").textContent === "1 of 2" && CSS.highlights.get("found").size === 2`)
	p.Press("Enter", 13)
	p.Until("the second", `document.getElementById("found").textContent === "2 of 2" && [...CSS.highlights.get("here")].map(String).join() === "Needle"`)
	p.Type("#find", "thread")
	p.Until("nothing", `document.getElementById("found").textContent === "not there"`)
	var file struct{ Text, Kind, Name string }
	p.Eval(`fetch(document.getElementById("download").href).then(async (r) => ({Text: await r.text(), Kind: r.headers.get("Content-Type"), Name: r.headers.get("Content-Disposition")}))`, &file)
	if !strings.Contains(file.Text, "one needle\n") || !strings.Contains(file.Text, "done") || file.Kind != "application/octet-stream" || file.Name != `attachment; filename="job-1.out"` {
		t.Errorf("the file is %+v", file)
	}
	clean(t, p)
}

// A file is of what one may read, and of what there is.
func TestDownloads(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	if got := w.signedIn(bob).get("/jobs/1/log?download=yes"); got.status != http.StatusNotFound {
		t.Errorf("somebody else's: %d", got.status)
	}
	got := w.signedIn(alice).get("/jobs/1/log?download=yes&stream=stderr&element=4")
	if got.status == http.StatusOK && !strings.Contains(got.header.Get("Content-Disposition"), `"job-1-4.err"`) {
		t.Errorf("%d, %v", got.status, got.header)
	}
}
