package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
)

// With TLS a session outlives a restart, until it is ended or its token is revoked; what
// is written down opens nothing. Without TLS it ends with the server.
func TestSessionsOutliveARestart(t *testing.T) {
	for _, secure := range []bool{true, false} {
		memory := &notes{kept: map[string]store.Note{}}
		option := func(o *web.Options) { o.Memory, o.Secure = memory, secure }
		w := newWorld(t, option)
		w.furnish()
		stays, leaves := w.signedIn(alice), w.signedIn(bob)
		if got := leaves.post("/logout", url.Values{"csrf": {leaves.stamp()}}); got.status != http.StatusSeeOther {
			t.Fatalf("signing out: %d", got.status)
		}
		w.handler.Close()
		for _, note := range memory.kept {
			if half := strings.TrimPrefix(stays.base, "/s/"); strings.Contains(string(note.Body), half) {
				t.Errorf("what is written down has half of a session: %s", note.Body)
			}
		}
		again := newWorld(t, option)
		want := map[bool]int{true: http.StatusOK, false: http.StatusSeeOther}[secure]
		if got := stays.at(again).get("/account"); got.status != want {
			t.Errorf("TLS %t: after a restart %d, want %d", secure, got.status, want)
		}
		if got := leaves.at(again).get("/account"); got.status != http.StatusSeeOther {
			t.Errorf("TLS %t: who had signed out is let in: %d", secure, got.status)
		}
	}
}

// at is the same browser before another server, which has the address of the first.
func (p *person) at(w *world) *person {
	other := *p
	other.world = w
	return &other
}
