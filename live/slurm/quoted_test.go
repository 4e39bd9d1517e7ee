package slurm

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Open quotes of all users keep a part of the licences, those of one a smaller one, and who has
// none may have one.
func TestHowManyLicencesQuotesMayKeep(t *testing.T) {
	for _, c := range []struct {
		name                   string
		user, all              rules.Part
		more, own, kept, there int
		want                   string
	}{
		{"a part of all, whole", rules.None, rules.Whole / 5, 4, 0, 0, 20, ""},
		{"one more", rules.None, rules.Whole / 5, 4, 0, 1, 20, "all open quotes together may keep 4 of the 20 licences x, and keep 1"},
		{"the first of few", rules.None, rules.Whole / 5, 1, 0, 0, 3, ""},
		{"the second of few", rules.None, rules.Whole / 5, 1, 0, 1, 3, "all open quotes together may keep 1 of the 3 licences x, and keep 1"},
		{"of one user, whole", rules.Whole / 10, rules.None, 1, 1, 9, 20, ""},
		{"one more of his", rules.Whole / 10, rules.None, 1, 2, 9, 20, "open quotes of one user may keep 2 of the 20 licences x, and yours keep 2"},
		{"his first of few", rules.Whole / 10, rules.None, 1, 0, 9, 3, ""},
		{"his second of few", rules.Whole / 10, rules.None, 1, 1, 9, 3, "open quotes of one user may keep 1 of the 3 licences x, and yours keep 1"},
		{"two of few at once", rules.Whole / 10, rules.None, 2, 0, 0, 3, "open quotes of one user may keep 1 of the 3 licences x, and yours keep 0"},
		{"a third", 333_333, rules.None, 1, 0, 0, 3, ""},
		{"none is bounded", rules.None, rules.None, 9, 9, 9, 3, ""},
	} {
		if got := (Bounds{User: c.user, All: c.all}).exceeded("x", c.more, c.own, c.kept, c.there); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What quotes keep is counted as long as they are open, of whom they are, and of no jobs; one that
// is refused keeps nothing.
func TestWhichQuotesKeepLicences(t *testing.T) {
	b, _, now := licensedSite(t)
	most := Bounds{User: rules.Whole / 3 * 2, All: rules.Whole}
	ask := func(user, licenses string) (*Ticket, string) {
		t.Helper()
		ticket, over := b.AdmitQuote(t.Context(), user, &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=" + licenses}}, false, most)
		if (ticket == nil) != (over != nil) {
			t.Fatalf("%s, %s: %+v, %+v", user, licenses, ticket, over)
		}
		if over != nil {
			return nil, over.Detail
		}
		return ticket, ""
	}
	tickets := len(b.gate.tickets)
	first, why := ask("ann", "fluent")
	if why != "" || !first.quoting || len(b.quoting()) != 1 {
		t.Fatalf("%q, %+v", why, first)
	}
	if _, why = ask("ann", "fluent"); !strings.Contains(why, "yours keep 1: without a quote it may have them (libra submit)") || len(b.gate.tickets) != tickets+1 {
		t.Errorf("%q, and %d tickets are left", why, len(b.gate.tickets))
	}
	other, why := ask("bob", "fluent") // what another keeps is not his
	if why != "" || len(b.quoting()) != 2 {
		t.Fatal(why)
	}
	if _, over := b.AdmitQuote(t.Context(), "cy", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent"}}, false, Bounds{User: rules.None, All: 700_000}); over == nil || !strings.Contains(over.Detail, "all open quotes together may keep 2 of the 3 licences fluent, and keep 2") {
		t.Errorf("what all keep: %+v", over)
	}
	if plain, over := b.AdmitQuote(t.Context(), "cy", &trade.Request{EstimateMS: 1000}, false, most); over != nil || plain != nil && plain.quoting || len(b.quoting()) != 2 {
		t.Errorf("a quote without any: %+v, %+v", plain, over)
	}
	first.quote, first.until = "q1", now.Add(time.Minute)
	if len(b.quoting()) != 2 {
		t.Error("one that was given is not counted")
	}
	*now = now.Add(time.Minute)
	if open := b.quoting(); len(open) != 1 || open[0] != other {
		t.Error("one that is over is counted, or one that is about to be given is not")
	}
	if other.job = 9; len(b.quoting()) != 0 {
		t.Error("one that was taken is counted as a quote")
	}
}

// Room that is kept for a quote is marked as such from the first moment on: a job of the same user
// that looks for its own ticket does not find it, however the two meet.
func TestAQuoteIsOneFromTheFirstMomentOn(t *testing.T) {
	b, _, now := licensedSite(t)
	b.cfg.Now = func() time.Time { // what others could see whenever nobody has the lock
		if b.mu.TryLock() {
			for other := range b.gate.tickets {
				if other.user == "ann" && !other.quoting {
					t.Errorf("a ticket of a quote that is not marked: %+v", other)
				}
			}
			b.mu.Unlock()
		}
		return *now
	}
	ticket, over := b.AdmitQuote(t.Context(), "ann", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent"}}, false, Bounds{User: rules.Whole, All: rules.Whole})
	if over != nil || ticket == nil || !ticket.quoting {
		t.Fatalf("%+v, %+v", ticket, over)
	}
}
