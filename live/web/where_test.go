package web_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// Where a job may be and when it may begin are said in the form as in a script; and a job like
// it says again where, not when.
func TestTheFormSaysWhereAndWhen(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	got := p.fill("/submit", script("deadline", "10m", "partition", "fast", "nodelist", "n1,n[3-4]", "exclude", "n9", "constraint", "a,b", "begin", "2h"))
	if got.status != http.StatusSeeOther {
		t.Fatalf("%d: %.400s", got.status, got.body)
	}
	r := w.market.Commands()[0].Submit.Request
	if r.Partition != "fast" || !slices.Equal(r.Nodelist, []string{"n1", "n3", "n4"}) || !slices.Equal(r.Exclude, []string{"n9"}) || r.Constraint != "a&b" ||
		r.BeginMS != 7_200_000 || r.DeadlineMS != 600_000 {
		t.Errorf("%+v", r)
	}
	again := p.get("/submit?like=1")
	for _, want := range []string{`value="n1,n3,n4"`, `value="n9"`, `value="a&amp;b"`, `id="begin" name="begin" value=""`} {
		if !strings.Contains(again.body, want) {
			t.Errorf("like it lacks %s", want)
		}
	}
	for field, value := range map[string]string{"nodelist": "n[1-", "exclude": "n 1", "constraint": "a*2", "begin": "soon"} {
		got := p.fill("/submit", script(field, value))
		if got.status != http.StatusOK || !strings.Contains(got.body, `<p id="`+field+`-wrong" class="wrong" role="alert">`) {
			t.Errorf("%s=%s: %d", field, value, got.status)
		}
	}
	if strings.Contains(again.body, `id="partition"`) {
		t.Error("there is a choice of partitions where the market has none")
	}
	// Of what begins later nothing is promised, and an offer to it is not taken for one to begin now.
	said := p.fill("/preview", script("begin", "2h", "deadline", "10m")).body
	if !strings.Contains(said, "none before it can begin") || strings.Contains(said, "% sure") {
		t.Errorf("of a job that begins later: %s", said)
	}
	if now := p.fill("/preview", script("deadline", "10m")).body; strings.Contains(now, "before it can begin") {
		t.Errorf("of one that begins now: %s", now)
	}
	before := len(w.market.Commands())
	if got := p.fill("/submit", script("begin", "2h", "offer", "quote=q1&deadline=12m")); got.status != http.StatusOK || !strings.Contains(got.body, `value="12m"`) || len(w.market.Commands()) != before {
		t.Errorf("an offer to a job that begins later: %d, %d commands", got.status, len(w.market.Commands())-before)
	}
}

// Where the market has several partitions the form offers them, and the price is that of the one
// that is chosen: by its script where nothing is.
func TestAPartitionIsChosen(t *testing.T) {
	s := newStage(t, func(o *trade.Open) {
		o.Rates = trade.Rates{Processor: 1_000, Partitions: map[string]int64{"batch": 1_000_000, "fast": 2_500_000}, Partition: "batch"}
	})
	s.JoinIn("batch", "b1", 2).Play()
	s.JoinIn("fast", "f1", 2).Play()
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	p.Go("/submit")
	var choices string
	p.Eval(`[...document.getElementById("partition").options].map((o) => o.value + "=" + o.text).join("; ")`, &choices)
	if choices != "=batch, or what the script says; batch=batch: prices × 1; fast=fast: prices × 2.5" {
		t.Errorf("the choice is %s", choices)
	}
	price := `Number(document.querySelector("#submit").elements.seen.value)`
	var batch float64
	p.Until("a price", price+" > 0")
	p.Eval(price, &batch)
	p.Eval(`(() => { const s = document.getElementById("partition"); s.value = "fast"; s.dispatchEvent(new Event("change", {bubbles: true})); return 0 })()`, new(int))
	p.Until("the price of fast", `Math.abs(`+price+` / `+number(batch)+` - 2.5) < 0.001`)
	p.Eval(`(() => { const s = document.getElementById("partition"); s.value = ""; s.dispatchEvent(new Event("change", {bubbles: true})); return 0 })()`, new(int))
	p.Until("that of batch", price+` === `+number(batch))
	p.Type("#script", "#!/bin/sh\n#LIBRA partition=fast\n# work 300ms\n")
	p.Until("the price of what the script says", `Math.abs(`+price+` / `+number(batch)+` - 2.5) < 0.001`)
	p.Click(".go button.big")
	p.Until("the job", `location.pathname.endsWith("/jobs/1")`)
	j, err := s.Market.Job(t.Context(), 1)
	if err != nil || j.Request.Partition != "fast" {
		t.Errorf("%+v, %v", j.Request, err)
	}
	// On a phone it is as wide as the window, and no wider.
	p.Size(360, 740)
	p.Go("/submit?like=1")
	var fits bool
	p.Eval(`document.getElementById("partition").value === "fast" && document.documentElement.scrollWidth <= 360`, &fits)
	if !fits {
		t.Error("a job like it is in another partition, or the form is wider than a phone")
	}
	clean(t, p)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
