package main

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// A job that is handed in on Slurm costs one turn of the market's loop, whose answer waits for the
// disk: to ask it before about its policy or its prices would make each take twice as long.
func TestAJobOnSlurmTakesOneTurn(t *testing.T) {
	m := openBench(t, "libra", nil, "alice")
	asked := func() float64 {
		t.Helper()
		numbers, err := m.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return numbers["queries_total"]
	}
	request := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 3_600_000}
	const jobs = 60 // others ask as well, now and then
	before := asked()
	for range jobs {
		m.do("alice", trade.Command{Submit: &trade.Submit{Request: request}})
	}
	if more := asked() - before; more >= jobs {
		t.Errorf("%d jobs asked the market %v times before they were handed in", jobs, more)
	}
	more := 0.0
	for range jobs {
		before = asked()
		o := m.do("alice", trade.Command{Quote: &trade.AskQuote{Request: request}})
		more += asked() - before
		m.do("alice", trade.Command{Cancel: &trade.Cancel{Quote: o.Quote.ID}})
	}
	if more >= 2*jobs { // one is for the number itself
		t.Errorf("%d quotes asked the market %v times before", jobs, more-jobs)
	}
}
