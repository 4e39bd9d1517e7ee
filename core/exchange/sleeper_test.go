package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A job that sleeps past a promise is paid nothing, for it did not want what it was
// offered: that is said as soon as it is so, no penalty is shown that will not be paid,
// and the receipt and the explanation give the reason.
func TestASleeperIsToldWhyNoPenaltyIsPaid(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 10_000, PenaltyMicros: 100_000, Overrun: trade.OverrunLate}).Job.ID
	slept := func(seconds float64) task.Status {
		return task.Status{Key: task.Key{Job: id}, State: task.Running, CPUUS: 10_000, DeclinedUS: int64(seconds*1e6) - 10_000}
	}
	f.wait(12)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{slept(4.6)}}})
	const why = "it did not want 4.59s of the processor time that it was offered, and up to 0.25s would have been borne"
	j := f.job(id)
	if j.Penalty != 0 || j.Tasks[0].DeclinedUS != 4_590_000 {
		t.Errorf("late by its own doing: a penalty of %d is shown, %d us declined", j.Penalty, j.Tasks[0].DeclinedUS)
	}
	if e, _ := f.x.Explain(id); !slices.Contains(e.Because, "it is late, and no penalty is owed: "+why) || e.Need != 0 || !strings.HasSuffix(e.Summary, "it is late") {
		t.Errorf("%s: needs %v: %q", e.Summary, e.Need, e.Because)
	}
	f.wait(2)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{slept(5)}}}) // its estimate is used up: more is sold
	if j := f.job(id); j.Firm || len(j.Extensions) != 1 || j.Penalty != 0 {
		t.Errorf("firm %t, %d extensions, a penalty of %d", j.Firm, len(j.Extensions), j.Penalty)
	}
	f.wait(1)
	end := slept(5.5)
	end.State = task.Ended
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{end}}})
	ended := f.job(id)
	said := trade.Epilogue(&ended).Because
	if ended.Penalty != 0 || !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, "no penalty was paid: it did not want 5.49s") }) {
		t.Errorf("paid %d: %q", ended.Penalty, said)
	}
}

// What a job has cost so far does not fall when its node says that it is not as far as
// was reckoned; and what is heard counts whether or not it is worth a command.
func TestCostSoFarDoesNotFall(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 100_000, DeadlineMS: 150_000}).Job.ID
	f.used(task.Key{Job: id}, 0.1)
	before, had := int64(0), 0.1
	for range 60 {
		f.wait(0.4)
		f.x.At(f.now)
		for _, look := range []func(){
			func() {},
			func() {
				had += 0.1 // a quarter of what it was granted
				f.x.Observe("n1", f.now, []task.Status{{Key: task.Key{Job: id}, State: task.Running, CPUUS: int64(had * 1e6)}})
			},
			func() { f.used(task.Key{Job: id}, had) },
		} {
			look()
			e, _ := f.x.Explain(id)
			cost := f.job(id).CostNow
			if cost < before || cost != e.CostNow || cost != e.CancelNow {
				t.Fatalf("after %.1f s of work it costs %d, explained as %d, %d if cancelled; %d before", had, cost, e.CostNow, e.CancelNow, before)
			}
			before = cost
		}
	}
	if work := f.job(id).Work; work != int64(had*1e3+0.5) {
		t.Errorf("%d ms done of %.1f s", work, had)
	}
}
