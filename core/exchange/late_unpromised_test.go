package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Where nothing was promised no penalty is owed, and who asked for one is told so, while the
// job waits and when it has ended.
func TestLateWithoutAPromise(t *testing.T) {
	f := openLive(t, "fifo", 1, nil)
	first := f.submit(bob, trade.Request{EstimateMS: 50_000, DeadlineMS: 300_000}).Job.ID
	late := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 10_000, PenaltyMicros: 100_000, Soft: true}).Job.ID
	said := func(want string) {
		t.Helper()
		e, here := f.x.Explain(late)
		if !here {
			j := f.job(late)
			e = trade.Epilogue(&j)
		}
		if got := slices.ContainsFunc(e.Because, func(s string) bool { return strings.Contains(s, "penalty") }); got != (want != "") || got && !slices.Contains(e.Because, want) {
			t.Errorf("%q, want %q", e.Because, want)
		}
	}
	said("")
	f.wait(20)
	f.x.At(f.now)
	if e, _ := f.x.Explain(late); e.Odds > 0 {
		t.Errorf("it is late, and odds are given: %v, %s", e.Odds, e.OddsFrom)
	}
	said("it is late, and no penalty is owed: nothing was promised to it")
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: first}, State: task.Ended, CPUUS: 20_000_000}}}})
	f.wait(4)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: late}, State: task.Ended, CPUUS: 4_000_000}}}})
	said("no finish was promised to it, and no penalty was paid")
}
