package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Nothing is cancelled before somebody is sure, a job that is named twice is told once,
// and of what is somebody else's nothing at all is done.
func TestCancellingManyIsCareful(t *testing.T) {
	w := newWorld(t)
	w.furnish()
	p := w.signedIn(alice)
	got := p.post("/cancel", url.Values{"csrf": {p.stamp()}, "job": {"1", "1"}, "back": {"name=fold&next=//elsewhere"}})
	if got.status != http.StatusOK || !strings.Contains(got.body, "Cancel 1 job?") || !strings.Contains(got.body, `value="name=fold"`) {
		t.Errorf("the question: %d, %s", got.status, got.body)
	}
	if n := len(w.market.Commands()); n != 0 {
		t.Errorf("%d commands before anybody was sure", n)
	}
	many := make([]string, 51)
	for i := range many {
		many[i] = "1"
	}
	if got := p.post("/cancel", url.Values{"csrf": {p.stamp()}, "job": many}); got.status != http.StatusUnprocessableEntity {
		t.Errorf("51 at a time: %d", got.status)
	}
	other := w.signedIn(bob)
	if got := other.post("/cancel", url.Values{"csrf": {other.stamp()}, "job": {"1"}, "sure": {"yes"}}); got.status != http.StatusNotFound {
		t.Errorf("somebody else's: %d", got.status)
	}
	got = p.post("/cancel", url.Values{"csrf": {p.stamp()}, "job": {"1", "1"}, "sure": {"yes"}, "back": {"name=fold"}})
	if at := got.header.Get("Location"); got.status != http.StatusSeeOther || at != "/jobs?cancelled=1&name=fold" {
		t.Errorf("%d, to %s", got.status, at)
	}
	if n := len(w.market.Commands()); n != 1 {
		t.Errorf("%d commands for one job", n)
	}
}
