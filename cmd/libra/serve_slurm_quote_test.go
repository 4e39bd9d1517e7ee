package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// Who asks for quotes keeps a part of the licences at most, and by one that does not bind none: it
// is looked at when it is taken, by its number alone, too.
func TestLicensesThatQuotesKeep(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) {
		f.Licenses = "LicenseName=fluent Total=20 Used=0 Free=20 Reserved=0 Remote=no\n"
	}, "eve", "bob")
	ask := func(user, some string, estimate int64) (quote, refused string) {
		t.Helper()
		r := trade.Request{Argv: []string{"true"}, EstimateMS: estimate, DeadlineMS: 10_000_000, Env: withLicenses(some)}
		if estimate > 1000 {
			r.Processors = 2
		}
		o := m.do(user, trade.Command{Quote: &trade.AskQuote{Request: r}})
		if o.Refusal != nil {
			return "", o.Refusal.Detail
		}
		return o.Quote.ID, ""
	}
	first, refused := ask("eve", "fluent:2", 1000)
	if refused != "" {
		t.Fatal(refused)
	}
	if _, refused = ask("eve", "fluent", 1000); !strings.Contains(refused, "open quotes of one user may keep 2 of the 20 licences fluent, and yours keep 2: without a quote") {
		t.Errorf("one more than a tenth: %q", refused)
	}
	if _, refused = ask("bob", "fluent:3", 1000); !strings.Contains(refused, "may keep 2") {
		t.Errorf("more than a tenth at once: %q", refused)
	}
	if _, refused = ask("bob", "fluent:2", 1000); refused != "" {
		t.Error(refused)
	}
	m.do("eve", trade.Command{Cancel: &trade.Cancel{Quote: first}})
	wide, refused := ask("eve", "fluent:2", 9_000_000) // more of the processors than a user may keep, and so not binding
	if refused != "" {
		t.Fatal(refused)
	}
	all := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 10_000_000, Env: withLicenses("fluent:18")}
	if o := m.do("bob", trade.Command{Submit: &trade.Submit{Request: all}}); o.Refusal != nil { // his quote keeps two
		t.Errorf("a quote that does not bind keeps licences: %s", o.Refusal.Detail)
	}
	if o := m.do("eve", trade.Command{Submit: &trade.Submit{Quote: wide}}); o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "0 are free") {
		t.Errorf("it is taken with licences that others have: %+v", o.Refusal)
	}
}
