package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// Licences that are kept for a job of before this controller, which has ended meanwhile, are let go
// when somebody asks for some, and nobody is asked about them where nobody does.
func TestLicensesOfWhatHasEndedAreLetGo(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) {
		f.Licenses = "LicenseName=fluent Total=2 Used=0 Free=2 Reserved=0 Remote=no\n"
	}, "eve", "bob")
	hand := func(r trade.Request) (job int64, refused string) {
		t.Helper()
		r.Argv, r.EstimateMS, r.DeadlineMS = []string{"true"}, 1000, 10_000_000
		o := m.do("bob", trade.Command{Submit: &trade.Submit{Request: r}})
		if o.Refusal != nil {
			return 0, o.Refusal.Detail
		}
		return o.Job.ID, ""
	}
	over, refused := hand(trade.Request{Hold: true})
	if refused != "" {
		t.Fatal(refused)
	}
	waits, _ := hand(trade.Request{Hold: true})
	m.do("bob", trade.Command{Cancel: &trade.Cancel{Job: over}})
	m.backend.Recall(over, "bob", withLicenses("fluent"), 0)
	m.backend.Recall(waits, "bob", withLicenses("fluent"), 0)
	kept := []int64{over, waits}
	if _, refused = hand(trade.Request{}); refused != "" || !slices.Equal(m.backend.Recalled(), kept) {
		t.Errorf("%q: who asks for none has let go of what is kept: %v, want %v", refused, m.backend.Recalled(), kept)
	}
	if _, refused = hand(trade.Request{Env: withLicenses("fluent:2")}); !strings.Contains(refused, "1 are free") || !slices.Equal(m.backend.Recalled(), kept[1:]) {
		t.Errorf("two, of which one is kept for a job that is not over: %q, %v", refused, m.backend.Recalled())
	}
	if _, refused = hand(trade.Request{Env: withLicenses("fluent")}); refused != "" {
		t.Errorf("what was kept for a job that has ended: %s", refused)
	}
}

// A job that the market refuses keeps no licences from others, however often it is handed in.
func TestARefusedJobKeepsNothing(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) {
		f.Licenses = "LicenseName=fluent Total=2 Used=0 Free=2 Reserved=0 Remote=no\n"
	}, "eve", "bob")
	r := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 10_000_000, Env: withLicenses("fluent:2")}
	poor := r
	little := int64(1)
	poor.Budget = &little
	for range 2 {
		o := m.do("eve", trade.Command{Submit: &trade.Submit{Request: poor}})
		if o.Refusal == nil || o.Refusal.Reason != "cannot_meet_budget" || o.Job == nil {
			t.Fatalf("a job without a budget: %+v, want that it is refused for that, with a number", o)
		}
	}
	if o := m.do("bob", trade.Command{Submit: &trade.Submit{Request: r}}); o.Refusal != nil {
		t.Errorf("what nobody has: %s", o.Refusal.Detail)
	}
}
