package main

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// A job that is handed in on Slurm costs one turn of the market's loop, whose answer waits for the
// disk: to ask it before about its policy or its prices would make each take twice as long.
func TestAJobOnSlurmTakesOneTurn(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) { f.Limit = "Resources" }, "alice") // none begins: what nodes say of that asks, too
	asked := func() float64 {
		t.Helper()
		numbers, err := m.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return numbers["queries_total"]
	}
	request := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 3_600_000}
	// Others ask as well, and on a slow machine many at a time: what counts is whether each of ours asks.
	const jobs = 60
	quotes, submissions := 0, 0
	for range jobs {
		before := asked()
		o := m.do("alice", trade.Command{Quote: &trade.AskQuote{Request: request}})
		if asked()-before > 1 { // one is for the number itself
			quotes++
		}
		m.do("alice", trade.Command{Cancel: &trade.Cancel{Quote: o.Quote.ID}})
	}
	for range jobs {
		before := asked()
		m.do("alice", trade.Command{Submit: &trade.Submit{Request: request}})
		if asked()-before > 1 {
			submissions++
		}
	}
	if quotes > jobs/2 || submissions > jobs/2 {
		t.Errorf("of %d each, %d quotes asked the market before, and %d jobs before they were handed in", jobs, quotes, submissions)
	}
}
