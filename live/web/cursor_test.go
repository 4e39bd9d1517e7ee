package web_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A cursor over a drawing reads values: under the mouse, and with the arrow keys.
func TestACursorReadsDrawings(t *testing.T) {
	s := newStage(t)
	s.Submit("alice", v1.Request{Name: "runs", EstimateMS: 600_000, DeadlineMS: 3_600_000, Script: "# work 600s\n"})
	p := s.chrome.Page(s.url)
	p.SignIn(s.Secret("alice"))
	reading := `document.querySelector(".draw .reading")?.textContent`
	for _, c := range []struct{ path, drawing, says string }{
		{"/jobs/1", ".timeline", "of a processor"},
		{"/market", ".past", "cr an hour; "},
		{"/submit", ".curve", "within "},
	} {
		p.Go(c.path)
		p.Until("a drawing that can be read", `document.querySelector("svg`+c.drawing+`[data-read][tabindex]")`)
		p.Eval(`document.querySelector("svg`+c.drawing+`").focus()`, nil)
		p.Until("the last value", reading+`?.includes("`+c.says+`")`)
		p.Press("Home", 36)
		p.Until("the first, aloud", `document.getElementById("reading").textContent !== "" && document.getElementById("reading").textContent === `+reading)
		p.Eval(`document.activeElement.blur()`, nil)
		p.Until("no cursor", `!document.querySelector(".draw .cursor")`)
		var box struct{ X, Y float64 }
		p.Eval(`(() => { const e = document.querySelector("svg`+c.drawing+`"); e.scrollIntoView({block: "center"}); const b = e.getBoundingClientRect(); return {X: b.x + b.width / 2, Y: b.y + b.height / 2}; })()`, &box)
		p.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": box.X, "y": box.Y}, nil)
		p.Until("what is under the mouse", reading+`?.includes("`+c.says+`")`)
	}
	if text := p.Text("main"); strings.Contains(text, "NaN") {
		t.Error(text)
	}
	clean(t, p)
}
