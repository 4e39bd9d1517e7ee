package web_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api/apitest"
)

func script(fields ...string) url.Values {
	v := url.Values{"estimate": {"2m"}, "script": {"#!/bin/sh\r\necho hello\r\n"}}
	for i := 0; i+1 < len(fields); i += 2 {
		v.Set(fields[i], fields[i+1])
	}
	return v
}

// The form says what a command line and a script's head say.
func TestTheFormBecomesARequest(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	got := p.fill("/submit", script(
		"deadline", "10m", "budget", "5.5", "penalty", "0.01", "procs", "4", "memory", "2G", "name", "demo", "soft", "yes", "wish", "fastest",
		"overrun", "late", "tags", "a,b", "args", "one two", "env", "A=1\r\nB=x y", "dir", "/srv", "grace", "10s", "no-restart", "yes",
	))
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/jobs/1" {
		t.Fatalf("%d to %s: %.400s", got.status, got.header.Get("Location"), got.body)
	}
	budget := int64(5_500_000)
	want := v1.Request{
		Name: "demo", Script: "#!/bin/sh\necho hello\n", Argv: []string{"one", "two"}, Dir: "/srv", Env: []string{"A=1", "B=x y"},
		EstimateMS: 120_000, DeadlineMS: 600_000, Soft: true, Budget: &budget, PenaltyMicros: 10_000, Processors: 4, MemoryMB: 2048,
		Wish: "fastest", Overrun: v1.OverrunLate, NoRestart: true, Tags: []string{"a", "b"}, GraceMS: 10_000,
	}
	same(t, w.market.Commands()[0].Submit.Request, want)
	if by := w.market.Commands()[0].By; by != alice {
		t.Errorf("submitted by %+v", by)
	}
}

// So does what is said of an optional part; and a job like it says it again.
func TestTheFormKnowsOptionalWork(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	got := p.fill("/submit", script("deadline", "10m", "budget", "5", "optional", "3m", "optional-rate", "0.02", "optional-command", "refine 'a b'"))
	if got.status != http.StatusSeeOther {
		t.Fatalf("%d: %.400s", got.status, got.body)
	}
	o := w.market.Commands()[0].Submit.Request.Optional
	if o == nil || o.WorkMS != 180_000 || o.RateMicros != 20_000 || len(o.Argv) != 2 || o.Argv[1] != "a b" {
		t.Fatalf("%+v", o)
	}
	if again := p.get("/submit?like=1"); !strings.Contains(again.body, `value="3m"`) || !strings.Contains(again.body, "0.02") {
		t.Errorf("like it: %.4000s", again.body)
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	a, err1 := json.Marshal(got)
	b, err2 := json.Marshal(want)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

// What the head of a script says counts where the form says nothing.
func TestTheScriptSpeaksForItself(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	v := url.Values{"deadline": {"20m"}, "estimate": {""}, "script": {"#!/bin/sh\n#LIBRA estimate=3m deadline=5m name=spoken\n#SBATCH --mail-user=x\ntrue\n"}}
	if got := p.fill("/submit", v); got.status != http.StatusSeeOther {
		t.Fatalf("%d: %.2000s", got.status, got.body)
	}
	r := w.market.Commands()[0].Submit.Request
	if r.EstimateMS != 180_000 || r.DeadlineMS != 1_200_000 || r.Name != "spoken" || r.Dir != "/tmp" {
		t.Errorf("%+v", r)
	}
}

// Who fills in an array makes what the script says of its size that of an element.
func TestTheFormMakesAnArrayOfAScript(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	v := url.Values{"array": {"1-3"}, "estimate": {"1m"}, "script": {"#!/bin/sh\n#SBATCH -n 4\ntrue\n"}}
	if got := p.fill("/submit", v); got.status != http.StatusSeeOther {
		t.Fatalf("%d: %.2000s", got.status, got.body)
	}
	if r := w.market.Commands()[0].Submit.Request; r.Processors != 4 || r.Threads != 4 || r.Array == nil {
		t.Errorf("%+v", r)
	}
}

// A job like an array is one, of as many at a time.
func TestAJobLikeAnArray(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	for i, array := range []string{"1-7", "1-7%3"} {
		if got := p.fill("/submit", script("array", array)); got.status != http.StatusSeeOther {
			t.Fatalf("%d: %.2000s", got.status, got.body)
		}
		if again := p.get("/submit?like=" + strconv.Itoa(i+1)); !strings.Contains(again.body, `value="`+array+`"`) {
			t.Errorf("like %s: %.4000s", array, again.body)
		}
	}
}

func TestAFileIsAScript(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"csrf": p.stamp(), "estimate": "1m", "script": "ignored"} {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("file", "../run.sh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte("#!/bin/sh\necho from a file\n")); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.server.URL+p.base+"/submit", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	if got := p.send(r); got.status != http.StatusSeeOther {
		t.Fatalf("%d: %.400s", got.status, got.body)
	}
	if r := w.market.Commands()[0].Submit.Request; r.Script != "#!/bin/sh\necho from a file\n" || r.Name != "run.sh" || !slices.Contains(r.Env, "LIBRA_SCRIPT=run.sh") {
		t.Errorf("%+v", r)
	}
}

// What makes no sense is said beside the field, and nothing is submitted.
func TestMistakesAreSaidBesideTheField(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	for _, c := range []struct{ field, value, says string }{
		{"estimate", "soon", "not a length of time"},
		{"estimate", "0", "more than 0"},
		{"deadline", "yesterday", "want 10m, 1:30:00, 14:30"},
		{"budget", "cheap", "not an amount of money"},
		{"procs", "many", "want 1 or more"},
		{"memory", "lots", "want 500M or 2G"},
		{"array", "1..3", "want 1-100"},
		{"env", "novalue", "want NAME=value"},
		{"dir", "here", "An absolute path"},
		{"script", "#!/bin/sh\n#LIBRA estimtae=3m\n", "line 2: #LIBRA estimtae"},
		{"script", "", "A program (or a script)"},
	} {
		got := p.fill("/submit", script(c.field, c.value))
		wrong := regexp.MustCompile(`<p id="` + c.field + `-wrong"[^>]*>([^<]*)</p>`).FindStringSubmatch(got.body)
		if got.status != http.StatusOK || wrong == nil || !strings.Contains(wrong[1], c.says) {
			t.Errorf("%s=%q: %d %q", c.field, c.value, got.status, wrong)
		}
	}
	if n := len(w.market.Commands()); n != 0 {
		t.Errorf("%d commands came of it", n)
	}
}

// A form that is sent twice is one submission; one that was changed is another.
func TestTheSameFormCountsOnce(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	key := "0123456789abcdef"
	for range 3 {
		if got := p.fill("/submit", script("key", key)); got.header.Get("Location") != "/jobs/1" {
			t.Fatalf("%d to %s", got.status, got.header.Get("Location"))
		}
	}
	if got := p.fill("/submit", script("key", key, "estimate", "3m")); got.header.Get("Location") != "/jobs/2" {
		t.Errorf("another form leads to %s", got.header.Get("Location"))
	}
}

var offered = regexp.MustCompile(`name="offer" value="([^"]*)"`)

// A refusal shows what would be taken instead; a question's offer fills the form.
func TestOffersAreButtons(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	got := p.fill("/submit", script("name", apitest.RefusePrefix+"cannot_meet_deadline", "deadline", "5m"))
	m := offered.FindStringSubmatch(got.body)
	if got.status != http.StatusOK || m == nil || !strings.Contains(got.body, "Refused") {
		t.Fatalf("%d: %.3000s", got.status, got.body)
	}
	value := strings.ReplaceAll(m[1], "&amp;", "&")
	got = p.fill("/submit", script("offer", value+"&deadline=12m", "name", "fine"))
	if got.status != http.StatusOK || !strings.Contains(got.body, `name="deadline" value="5m"`) {
		t.Errorf("%d: the form does not have the terms of %s", got.status, value)
	}
}

// An offer that has expired is asked for again, not taken at another price.
func TestAnOfferThatHasExpired(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	got := p.fill("/submit", script("offer", "quote=q7a&deadline=12m"))
	if got.status != http.StatusOK || !strings.Contains(got.body, "That offer has expired") || !strings.Contains(got.body, `value="12m"`) {
		t.Errorf("%d: %.2000s", got.status, got.body)
	}
}

// Without a budget nobody pays more than they were shown.
func TestThePriceThatWasShown(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	if got := p.fill("/submit", script("seen", "999999")); got.status != http.StatusOK || !strings.Contains(got.body, "The price has moved from 0.999999 to 1.00 cr.") {
		t.Errorf("%d: %.1000s", got.status, got.body)
	}
	if got := p.fill("/submit", script("seen", "1000000")); got.status != http.StatusSeeOther {
		t.Errorf("at the price that was shown: %d", got.status)
	}
}

func TestPreview(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	var reply struct {
		Parts, Wrong map[string]string
		Say, Seen    string
	}
	ask := func(v url.Values) {
		t.Helper()
		got := p.fill("/preview", v)
		reply.Parts, reply.Wrong = nil, nil
		if err := json.Unmarshal([]byte(got.body), &reply); err != nil || got.status != http.StatusOK {
			t.Fatalf("%d: %s", got.status, got.body)
		}
	}
	ask(script("deadline", "10m"))
	if reply.Seen != "1000000" || !strings.Contains(reply.Say, "Price 1.00") || !strings.Contains(reply.Parts["curve"], "<svg") || !strings.Contains(reply.Parts["offer"], "1.00") {
		t.Errorf("%+v", reply)
	}
	ask(script("deadline", "never"))
	if reply.Wrong["deadline"] == "" || reply.Seen != "" || reply.Parts["curve"] != "" {
		t.Errorf("%+v", reply)
	}
	ask(script("account", "people/bob"))
	if reply.Wrong["account"] == "" {
		t.Errorf("somebody else's account: %+v", reply)
	}
	if n := len(w.market.Commands()); n != 0 {
		t.Errorf("%d commands came of questions", n)
	}
}

// Memory without a unit is megabytes: the page warns where a terminal does.
func TestTheFormWarnsOfMemoryWithoutAUnit(t *testing.T) {
	p := newWorld(t).signedIn(alice)
	for memory, warns := range map[string]bool{"2": true, "2G": false, "500": false} {
		if got := p.fill("/preview", script("memory", memory)); strings.Contains(got.body, "2 is 2 megabytes; 2G would be gigabytes") != warns {
			t.Errorf("memory %s: %.600s", memory, got.body)
		}
	}
}

// An answer to a question that was asked before the form was sent comes after the refusal: it
// does not take its place, or its offers would fill the form where they are to be taken.
func TestARefusalIsNotPaintedOver(t *testing.T) {
	s := newStage(t)
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/submit")
	p.Until("the form", `document.querySelector("#submit")`)
	p.Type("#estimate", "20m")
	p.Type("#deadline", "11m")
	p.Type("#script", "true")
	p.Until("a no", `document.querySelector(".eyebrow.bad")?.textContent === "The market would say no"`)
	p.Eval(`(() => {
		const fetched = window.fetch, held = new Promise((f) => { window.__letGo = f; });
		window.fetch = async (what, how) => {
			const answer = await fetched(what, how);
			if (String(what) !== document.getElementById("submit").dataset.preview) return answer;
			window.__asked = true;
			await held;
			return answer;
		};
	})()`, nil)
	p.Type("#deadline", "12m")
	p.Until("a question", `window.__asked`)
	p.Type("#script", "false") // and another one, after a pause
	p.Click(".go button.big")
	const refused = `document.querySelector(".eyebrow.bad")?.textContent === "Refused"`
	p.Until("the refusal", refused)
	still := false
	if p.Eval(`(async () => { window.__letGo(); await new Promise((f) => setTimeout(f, 1500)); return `+refused+`; })()`, &still); !still {
		t.Errorf("after the refusal it says %s", p.Text("[data-part=offer]"))
	}
}
