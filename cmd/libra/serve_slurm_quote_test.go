package main

import (
	"reflect"
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
	kept, refused := ask("bob", "fluent:2", 1000)
	if refused != "" {
		t.Error(refused)
	}
	m.do("eve", trade.Command{Cancel: &trade.Cancel{Quote: first}})
	wide, refused := ask("eve", "fluent:2", 9_000_000) // more of the processors than a user may keep, and so not binding
	if refused != "" {
		t.Fatal(refused)
	}
	for name, c := range map[string]struct {
		user, quote string
		want        int64 // estimate of what Slurm is asked about; 0: it is not
	}{"nothing is kept for it": {"eve", wide, 9_000_000}, "of somebody else": {"bob", wide, 0}, "there is none": {"eve", "q999", 0}, "it is kept": {"bob", kept, 0}} {
		r, err := m.asks(t.Context(), &trade.Command{By: trade.Identity{User: c.user, Role: trade.RoleUser}, Submit: &trade.Submit{Quote: c.quote}})
		if err != nil || (r == nil) != (c.want == 0) || r != nil && r.EstimateMS != c.want {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	all := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 10_000_000, Env: withLicenses("fluent:18")}
	if o := m.do("bob", trade.Command{Submit: &trade.Submit{Request: all}}); o.Refusal != nil { // his quote keeps two
		t.Errorf("a quote that does not bind keeps licences: %s", o.Refusal.Detail)
	}
	for name, given := range map[string]trade.Request{"by its number": {}, "with a partition, which this market has not": {EstimateMS: 9_000_000, Partition: "other"}} {
		if o := m.do("eve", trade.Command{Submit: &trade.Submit{Quote: wide, Request: given}}); o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "0 are free") {
			t.Errorf("it is taken %s with licences that others have: %+v", name, o.Refusal)
		}
	}
}

// A request is asked about as it stands; that of a quote which is taken was looked at before, and
// only licences that come along are new.
func TestWhatACommandAsks(t *testing.T) {
	said := trade.Request{Argv: []string{"true"}, EstimateMS: 7}
	for name, c := range map[string]struct {
		command trade.Command
		want    *trade.Request
	}{
		"a job":           {trade.Command{Submit: &trade.Submit{Request: said}}, &said},
		"a quote":         {trade.Command{Quote: &trade.AskQuote{Request: said}}, &said},
		"a quote, taken":  {trade.Command{Submit: &trade.Submit{Quote: "q1"}}, nil},
		"with licences":   {trade.Command{Submit: &trade.Submit{Quote: "q1", Request: trade.Request{Env: withLicenses("a")}}}, &trade.Request{Env: withLicenses("a")}},
		"something else":  {trade.Command{Cancel: &trade.Cancel{Job: 1}}, nil},
		"nothing at all":  {trade.Command{}, nil},
		"with no licence": {trade.Command{Submit: &trade.Submit{Quote: "q1", Request: trade.Request{Env: []string{"A=b"}}}}, nil},
	} {
		if got := asked(&c.command); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		m := onSlurm{}
		if c.command.Submit == nil || c.command.Submit.Quote == "" { // nobody has to be asked
			if got, err := m.asks(t.Context(), &c.command); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: %+v, want %+v: %v", name, got, c.want, err)
			}
		}
	}
}
