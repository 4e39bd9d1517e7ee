package exchange_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Every bound of a request is taken at its edge, and refused beyond, by the name
// of the field.
func TestTheBoundsOfARequest(t *testing.T) {
	const maxMS, maxMicros, maxMB = int64(1e13), int64(1e17), int64(1e12)
	long := func(n int) string { return strings.Repeat("x", n) }
	many := func(n int) []string { return make([]string, n) }
	amount := func(n int64) *int64 { return &n }
	refine := func(change func(*trade.Request)) func(*trade.Request) {
		return func(r *trade.Request) {
			r.DeadlineMS, r.Budget, r.Optional = 10_000, amount(1), &trade.Optional{WorkMS: 1000, RateMicros: 1}
			change(r)
		}
	}
	for _, c := range []struct {
		field string // "": it is taken
		so    func(*trade.Request)
	}{
		{"", func(*trade.Request) {}},
		{"estimate_ms", func(r *trade.Request) { r.EstimateMS = 0 }},
		{"", func(r *trade.Request) { r.EstimateMS = 1 }},
		{"", func(r *trade.Request) { r.EstimateMS = maxMS }},
		{"estimate_ms", func(r *trade.Request) { r.EstimateMS = maxMS + 1 }},
		{"deadline_ms", func(r *trade.Request) { r.DeadlineMS = -1 }},
		{"", func(r *trade.Request) { r.DeadlineMS = maxMS }},
		{"deadline_ms", func(r *trade.Request) { r.DeadlineMS = maxMS + 1 }},
		{"soft", func(r *trade.Request) { r.Soft = true }},
		{"", func(r *trade.Request) { r.Soft, r.DeadlineMS = true, 1 }},
		{"budget_micros", func(r *trade.Request) { r.Budget = amount(-1) }},
		{"", func(r *trade.Request) { r.Budget = amount(0) }},
		{"", func(r *trade.Request) { r.Budget = amount(maxMicros) }},
		{"budget_micros", func(r *trade.Request) { r.Budget = amount(maxMicros + 1) }},
		{"penalty_micros_per_s", func(r *trade.Request) { r.PenaltyMicros = -1 }},
		{"penalty_micros_per_s", func(r *trade.Request) { r.PenaltyMicros = 1 }},
		{"", func(r *trade.Request) { r.PenaltyMicros, r.DeadlineMS = maxMicros, 1 }},
		{"penalty_micros_per_s", func(r *trade.Request) { r.PenaltyMicros, r.DeadlineMS = maxMicros+1, 1 }},
		{"processors", func(r *trade.Request) { r.Processors = -1 }},
		{"", func(r *trade.Request) { r.Processors = market.MaxWidth }},
		{"processors", func(r *trade.Request) { r.Processors = market.MaxWidth + 1 }},
		{"threads", func(r *trade.Request) { r.Threads = -1 }},
		{"", func(r *trade.Request) { r.Threads = market.MaxWidth }},
		{"threads", func(r *trade.Request) { r.Threads = market.MaxWidth + 1 }},
		{"threads", func(r *trade.Request) { r.Threads = 1<<32 + 2 }},
		{"", func(r *trade.Request) { r.Threads, r.Processors = 1, 3 }},
		{"", func(r *trade.Request) { r.Threads, r.Processors = 3, 6 }},
		{"", func(r *trade.Request) { r.Threads = 3 }},
		{"threads", func(r *trade.Request) { r.Threads, r.Processors = 3, 7 }},
		{"threads", refine(func(r *trade.Request) { r.Threads = 2 })},
		{"", refine(func(r *trade.Request) { r.Threads = 1 })},
		{"memory_mb", func(r *trade.Request) { r.MemoryMB = -1 }},
		{"", func(r *trade.Request) { r.MemoryMB = maxMB }},
		{"memory_mb", func(r *trade.Request) { r.MemoryMB = maxMB + 1 }},
		{"disk_mb", func(r *trade.Request) { r.DiskMB = -1 }},
		{"", func(r *trade.Request) { r.DiskMB = maxMB }},
		{"disk_mb", func(r *trade.Request) { r.DiskMB = maxMB + 1 }},
		{"class", func(r *trade.Request) { r.Class = -1 }},
		{"", func(r *trade.Request) { r.Class = 1 << 20 }},
		{"class", func(r *trade.Request) { r.Class = 1<<20 + 1 }},
		{"", func(r *trade.Request) { r.Overrun = trade.OverrunStop }},
		{"", func(r *trade.Request) { r.Overrun = trade.OverrunLate }},
		{"", func(r *trade.Request) { r.Overrun = trade.OverrunKill }},
		{"overrun", func(r *trade.Request) { r.Overrun = "wait" }},
		{"", func(r *trade.Request) { r.After = make([]int64, trade.MaxAfter) }},
		{"after", func(r *trade.Request) { r.After = make([]int64, trade.MaxAfter+1) }},
		{"", func(r *trade.Request) { r.Tags = many(trade.MaxTags) }},
		{"tags", func(r *trade.Request) { r.Tags = many(trade.MaxTags + 1) }},
		{"", func(r *trade.Request) { r.Tags = []string{long(4095)} }},
		{"tags", func(r *trade.Request) { r.Tags = []string{long(4096)} }},
		{"tags", func(r *trade.Request) { r.Tags = []string{"a", "b\x00"} }},
		{"grace_ms", func(r *trade.Request) { r.GraceMS = -1 }},
		{"", func(r *trade.Request) { r.GraceMS = 600_000 }},
		{"grace_ms", func(r *trade.Request) { r.GraceMS = 600_001 }},
		{"", func(r *trade.Request) { r.Wish = "fastest" }},
		{"wish", func(r *trade.Request) { r.Wish = "best" }},
		{"array", func(r *trade.Request) { r.Array = &trade.Array{First: -1, Last: 1} }},
		{"", func(r *trade.Request) { r.Array = &trade.Array{First: 0, Last: 0} }},
		{"array", func(r *trade.Request) { r.Array = &trade.Array{First: 2, Last: 1} }},
		{"array", func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: 2, Step: -1} }},
		{"", func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: trade.MaxElements} }},
		{"array", func(r *trade.Request) { r.Array = &trade.Array{First: 0, Last: trade.MaxElements} }},
		{"", func(r *trade.Request) { r.Array = &trade.Array{First: 0, Last: trade.MaxElements, Step: 2} }},
		{"array", func(r *trade.Request) { r.Array = &trade.Array{First: 0, Last: math.MaxInt} }},
		{"array.limit", func(r *trade.Request) { r.Array = &trade.Array{Last: 3, Limit: -1} }},
		{"processors", func(r *trade.Request) { r.Array, r.Processors = &trade.Array{Last: 3}, 2 }},
		{"", refine(func(*trade.Request) {})},
		{"optional.work_ms", refine(func(r *trade.Request) { r.Optional.WorkMS = 0 })},
		{"optional.work_ms", refine(func(r *trade.Request) { r.Optional.WorkMS = maxMS + 1 })},
		{"", refine(func(r *trade.Request) { r.Optional.WorkMS = maxMS })},
		{"optional.rate_micros_per_s", refine(func(r *trade.Request) { r.Optional.RateMicros = -1 })},
		{"", refine(func(r *trade.Request) { r.Optional.RateMicros = maxMicros })},
		{"optional.rate_micros_per_s", refine(func(r *trade.Request) { r.Optional.RateMicros = maxMicros + 1 })},
		{"optional.rate_micros_per_s", refine(func(r *trade.Request) { r.Optional.RateMicros, r.Processors = maxMicros, 2 })},
		{"optional", refine(func(r *trade.Request) { r.DeadlineMS = 0 })},
		{"optional", refine(func(r *trade.Request) { r.Budget = nil })},
		{"soft", refine(func(r *trade.Request) { r.Soft = true })},
		{"array", refine(func(r *trade.Request) { r.Array = &trade.Array{Last: 3} })},
		{"optional.argv", refine(func(r *trade.Request) { r.Optional.Argv = []string{""} })},
		{"", refine(func(r *trade.Request) { r.Optional.Argv = []string{"x", ""} })},
		{"", refine(func(r *trade.Request) { r.Optional.Argv = []string{long(trade.MaxArgs - 1)} })},
		{"optional.argv", refine(func(r *trade.Request) { r.Optional.Argv = []string{long(trade.MaxArgs)} })},
		{"optional.argv", refine(func(r *trade.Request) { r.Optional.Argv = []string{"a\x00"} })},
		{"", func(r *trade.Request) { r.Name = long(trade.MaxName) }},
		{"name", func(r *trade.Request) { r.Name = long(trade.MaxName + 1) }},
		{"name", func(r *trade.Request) { r.Name = "a\tb" }},
		{"name", func(r *trade.Request) { r.Name = "a\x7f" }},
		{"", func(r *trade.Request) { r.Name = "a b" }},
		{"argv", func(r *trade.Request) { r.Argv = nil }},
		{"", func(r *trade.Request) { r.Argv, r.Script = nil, "#!/bin/sh" }},
		{"argv", func(r *trade.Request) { r.Argv = []string{""} }},
		{"", func(r *trade.Request) { r.Argv, r.Script = []string{""}, "#!/bin/sh" }},
		{"", func(r *trade.Request) { r.Argv = []string{long(trade.MaxArgs - 1)} }},
		{"argv", func(r *trade.Request) { r.Argv = []string{long(trade.MaxArgs - 2), ""}; r.Argv[1] = "x" }},
		{"argv", func(r *trade.Request) { r.Argv = []string{"a", "\x00"} }},
		{"", func(r *trade.Request) { r.Script = long(trade.MaxScript) }},
		{"script", func(r *trade.Request) { r.Script = long(trade.MaxScript + 1) }},
		{"script", func(r *trade.Request) { r.Script = "a\x00" }},
		{"", func(r *trade.Request) { r.Dir = "/tmp" }},
		{"dir", func(r *trade.Request) { r.Dir = "tmp" }},
		{"dir", func(r *trade.Request) { r.Dir = "/tmp\x00" }},
		{"", func(r *trade.Request) { r.Env = []string{"A=", "B=" + long(trade.MaxEnv-6)} }},
		{"env", func(r *trade.Request) { r.Env = []string{"A=", "B=" + long(trade.MaxEnv-5)} }},
		{"env", func(r *trade.Request) { r.Env = []string{"A=\x00"} }},
		{"env", func(r *trade.Request) { r.Env = []string{"A"} }},
		{"env", func(r *trade.Request) { r.Env = []string{"A=1", "=2"} }},
		{"output", func(r *trade.Request) { r.Output = "a\n" }},
		{"error", func(r *trade.Request) { r.Error = "a\n" }},
	} {
		r := trade.Request{EstimateMS: 1000, Argv: []string{"true"}}
		c.so(&r)
		err := r.Validate()
		var field *trade.FieldError
		if errors.As(err, &field) != (c.field != "") || field != nil && (field.Field != c.field || field.Want == "") {
			t.Errorf("%.200q: %v, want %q", []any{r}, err, c.field)
		}
	}
}

// What is submitted on a quote may name a program and how to go about it; terms
// it names must be those of the quote.
func TestAQuoteIsTakenOnItsTerms(t *testing.T) {
	quoted := trade.Request{
		EstimateMS: 10_000, DeadlineMS: 60_000, Budget: budget(50), PenaltyMicros: 5, Processors: 4, Threads: 2, MemoryMB: 10, DiskMB: 20, Account: "lab/alice",
	}
	array := trade.Request{EstimateMS: 1_000, DeadlineMS: 60_000, Array: &trade.Array{First: 1, Last: 4}}
	for _, c := range []struct {
		field string // "": it is taken
		array bool
		so    func(*trade.Request)
	}{
		{"", false, func(*trade.Request) {}},
		{"", false, func(r *trade.Request) { *r = quoted; r.Argv = []string{"x"} }},
		{"estimate_ms", false, func(r *trade.Request) { r.EstimateMS = 9_999 }},
		{"deadline_ms", false, func(r *trade.Request) { r.DeadlineMS = 59_000 }},
		{"budget_micros", false, func(r *trade.Request) { r.Budget = budget(51) }},
		{"threads", false, func(r *trade.Request) { r.Threads = 4 }},
		{"processors", false, func(r *trade.Request) { r.Processors = 2 }},
		{"penalty_micros_per_s", false, func(r *trade.Request) { r.PenaltyMicros = 6 }},
		{"memory_mb", false, func(r *trade.Request) { r.MemoryMB = 11 }},
		{"disk_mb", false, func(r *trade.Request) { r.DiskMB = 19 }},
		{"account", false, func(r *trade.Request) { r.Account = "alice" }},
		{"array", false, func(r *trade.Request) { r.Array = &trade.Array{Last: 3} }},
		{"optional", false, func(r *trade.Request) { r.Optional = &trade.Optional{WorkMS: 1} }},
		{"after", false, func(r *trade.Request) { r.After = []int64{1} }},
		{"", true, func(*trade.Request) {}},
		{"", true, func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: 4} }},
		{"array", true, func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: 5} }},
		{"budget_micros", true, func(r *trade.Request) { r.Budget = budget(50) }},
	} {
		f := open(t, "libra", 4)
		terms := quoted
		if c.array {
			terms = array
		}
		q := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: terms}}).Quote
		r := trade.Request{
			Argv: []string{"x"}, Name: "n", Overrun: trade.OverrunLate, NoRestart: true, Tags: []string{"t"}, GraceMS: 7, Dir: "/d", Env: []string{"A=1"},
			Output: "o", Error: "e",
		}
		c.so(&r)
		o, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: r}})
		var field *trade.FieldError
		if errors.As(err, &field) != (c.field != "") || field != nil && field.Field != c.field {
			t.Errorf("%+v: %v, want %q", r, err, c.field)
			continue
		}
		if c.field != "" || r.Name == "" {
			continue
		}
		got := o.Job.Request
		if got.Name != "n" || got.Overrun != trade.OverrunLate || !got.NoRestart || len(got.Tags) != 1 || got.GraceMS != 7 || got.Dir != "/d" ||
			len(got.Env) != 1 || got.Output != "o" || got.Error != "e" || got.EstimateMS != terms.EstimateMS || got.Processors != terms.Processors {
			t.Errorf("%+v", got)
		}
	}
}
