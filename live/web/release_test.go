package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Who keeps a job back lets it begin on its page: nobody else does, and once is enough.
func TestAJobIsLetBegin(t *testing.T) {
	w := newWorld(t)
	w.market.Put(v1.Job{ID: 7, Owner: "alice", Name: "later", State: v1.Held, OnHold: true})
	const button = "Let it begin"
	mine, others := w.signedIn(alice), w.signedIn(bob)
	if !strings.Contains(mine.get("/jobs/7").body, button) {
		t.Error("there is no button")
	}
	if got := others.fill("/jobs/7/release", nil); got.status != http.StatusNotFound || len(w.market.Commands()) != 0 {
		t.Errorf("for another: %d, %d commands", got.status, len(w.market.Commands()))
	}
	for range 2 {
		if got := mine.fill("/jobs/7/release", nil); got.status != http.StatusSeeOther || got.header.Get("Location") != "/jobs/7" {
			t.Errorf("%d to %q", got.status, got.header.Get("Location"))
		}
	}
	if j, err := w.market.Job(t.Context(), 7); err != nil || j.OnHold {
		t.Errorf("%+v, %v", j, err)
	}
	if strings.Contains(mine.get("/jobs/7").body, button) {
		t.Error("the button is there still")
	}
	w.market.Put(v1.Job{ID: 8, Owner: "alice", State: v1.Cancelled})
	if got := mine.fill("/jobs/8/release", nil); got.status != http.StatusSeeOther {
		t.Errorf("one that has ended: %d", got.status)
	}
}
