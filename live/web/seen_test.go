package web_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/plain"
	"github.com/libra-market/libra/live/web"
)

// What people wrote does not turn the direction of what stands beside it, or hide.
func TestAPageShowsWhatItIsTold(t *testing.T) {
	const hostile = "x\x1b[31m\u009b\u202egnp\u2066\u200f\u061c\u200b\ufeff\u2028\u0085\U000e0041"
	w := newWorld(t)
	w.market.Put(v1.Job{
		ID: 77, Owner: "alice", Account: "people/alice", Name: hostile, State: v1.Failed, Detail: hostile, Reason: hostile,
		Request: v1.Request{Name: hostile, Argv: []string{"sh", hostile}, Dir: hostile, Output: hostile, Tags: []string{hostile}, Env: []string{"A=" + hostile}},
		Tasks:   []v1.TaskStatus{{Job: 77, State: v1.TaskRefused, Error: hostile}},
	})
	p := w.signedIn(alice)
	shown := 0
	for _, path := range []string{"/jobs", "/jobs/77", "/jobs?name=%E2%80%AE", "/market", "/account", "/nothing%E2%80%AE"} {
		body := p.get(path).body
		shown += strings.Count(body, `\u202egnp`)
		for i, r := range body {
			if r != '\n' && r != '\t' && r != '\r' && !plain.Seen(r) && !strings.HasSuffix(body[:i], ` value="`) {
				t.Errorf("%s: %U after %q", path, r, body[max(0, i-60):i])
				break
			}
		}
	}
	if shown < 2 {
		t.Errorf("shown %d times", shown)
	}
}

// What a form sends back is not changed on the way.
func TestFieldsStayWhatTheyAre(t *testing.T) {
	for page, want := range map[string]string{
		"<td>a\u202eb</td>":                            `<td>a\u202eb</td>`,
		"<textarea>a\u200bb</textarea><p>a\u200bb":     "<textarea>a\u200bb</textarea><p>a" + `\u200bb`,
		"<input value=\"a\u200bb\" title=\"a\u200b\">": "<input value=\"a\u200bb\" title=\"a" + `\u200b">`,
		"<p>plain שלום":                                "<p>plain שלום",
	} {
		if got := web.Seen(page); got != want {
			t.Errorf("%q became %q, want %q", page, got, want)
		}
	}
}
