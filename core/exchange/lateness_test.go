package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A job is late as far as the market is: what it takes after it has used up its
// estimate is its own time, whether its node said when that was, or it follows from
// how much it had in the end.
func TestLatenessEndsWithTheEstimate(t *testing.T) {
	late := func(usedUp float64, at, had float64) market.Money {
		f := openLive(t, "libra", 1, nil)
		o := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 10_000, PenaltyMicros: 100_000, Overrun: trade.OverrunLate})
		if o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		if key := (task.Key{Job: o.Job.ID}); usedUp > 0 {
			f.wait(usedUp)
			f.used(key, 5)
		}
		f.wait(at - usedUp)
		f.end(task.Key{Job: o.Job.ID}, had, 0)
		return market.Money(f.job(o.Job.ID).Penalty)
	}
	for _, c := range []struct {
		usedUp, at, had float64
		want            market.Money
	}{
		{0, 12, 5, 200_000},    // 2 s
		{0, 20, 5, 1_000_000},  // 10 s
		{0, 20, 7, 800_000},    // it ran for two seconds beyond at least, so that it had its estimate at 18
		{14, 20, 5.5, 400_000}, // it had it at 14
		{14, 30, 5.5, 400_000},
		{9, 30, 5.5, 0}, // in time
	} {
		if got := late(c.usedUp, c.at, c.had); got != c.want {
			t.Errorf("estimate used up at %v, ended at %v with %v s: paid %s, want %s", c.usedUp, c.at, c.had, got, c.want)
		}
	}
}

// A job that is explained was as late as its receipt says, and not as its clock does.
func TestOneLatenessOneFigure(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 10_000, PenaltyMicros: 100_000, Overrun: trade.OverrunLate}).Job.ID
	f.wait(14)
	f.used(task.Key{Job: id}, 5)
	f.wait(6)
	f.end(task.Key{Job: id}, 5.5, 0)
	j := f.job(id)
	e := trade.Epilogue(&j)
	if len(e.Because) == 0 || e.Because[0] != "it was 4s late, as its receipt says" {
		t.Errorf("%q, and its receipt says %+v", e.Because, j.Receipt.Lines)
	}
}

// Who can pay for a little more is not stopped because a lot is asked for: pieces
// double, and when there is no money for that much a job gets what it has money for, but for less than a tenth
// of a second.
func TestABudgetIsUsedToTheLast(t *testing.T) {
	for _, b := range []float64{14, 14.05, 16, 17.5, 21.5, 27, 33.5} {
		f := openLive(t, "libra", 1, map[string]string{"delta": "0"}) // one a second
		id := f.submit(alice, trade.Request{EstimateMS: 10_000, Budget: budget(b)}).Job.ID
		key, had := task.Key{Job: id}, 0.0
		for f.job(id).State == trade.Running && had < 60 {
			f.wait(0.5)
			had += 0.5
			f.used(key, had)
		}
		sold := int64(10_000)
		for _, e := range f.job(id).Extensions {
			sold += e.WorkMS
		}
		// Three seconds are held for what it takes to stop it.
		if want := int64(b*10-30) * 100; sold != want || f.job(id).State != trade.Stopping {
			t.Errorf("of a budget of %v, %d ms are sold, want %d (%s)", b, sold, want, f.job(id).State)
		}
	}
}

// All of whom one report says that they need more are sold more, not the first alone.
func TestOneReportOfManyWhoNeedMore(t *testing.T) {
	f := openLive(t, "libra", 3, nil)
	var said []task.Status
	for range 3 {
		id := f.submit(alice, trade.Request{EstimateMS: 2_000}).Job.ID
		said = append(said, task.Status{Key: task.Key{Job: id}, State: task.Running, CPUUS: 2_000_000})
	}
	f.wait(2)
	f.do(trade.Command{Report: &trade.Measured{Tasks: said}})
	for i := range said {
		if j := f.job(said[i].Job); len(j.Extensions) != 1 {
			t.Errorf("job %d: %+v", j.ID, j.Extensions)
		}
	}
}

// A mandatory part was done when its node says it was, however long that took to be
// heard: no earlier than it can have run, and no later than it was heard.
func TestAMandatoryPartWasDoneWhenItsNodeSays(t *testing.T) {
	for _, c := range []struct {
		name       string
		done, want float64 // seconds after it began; 0: the node does not say
		penalty    market.Money
	}{
		{"an agent that does not say", 0, 30, 1_000_000},
		{"in time, and heard ten seconds late", 6, 6, 0},
		{"late, and heard later", 23, 23, 300_000},
		{"earlier than it can have run", 1, 4, 0},
		{"in the future", 99, 30, 1_000_000},
	} {
		f := openLive(t, "mf-edf", 1, nil)
		r := imprecise()
		r.PenaltyMicros, r.Optional.WorkMS, r.Optional.RateMicros = 100_000, 100_000, 1_000_000
		o := f.submit(alice, r)
		if o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		began, key := f.now, task.Key{Job: o.Job.ID}
		said := task.Status{Key: key, State: task.Running, CPUUS: 4e6, Part: task.OptionalPart, MandatoryCPUUS: 4e6}
		if c.done > 0 {
			said.MandatoryUS = began + int64(c.done*1e6)
		}
		f.wait(30)
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{said}}})
		if got := float64(f.job(key.Job).MandatoryUS-began) / 1e6; got != c.want {
			t.Errorf("%s: done after %v s, want %v", c.name, got, c.want)
		}
		said.State, said.Signal, said.CPUUS, said.StartedUS, said.EndedUS = task.Ended, "SIGTERM", 5e6, began, f.now
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{said}}})
		if j := f.job(key.Job); j.State != trade.Completed || market.Money(j.Penalty) != c.penalty || j.InTime != (c.penalty == 0) {
			t.Errorf("%s: %s, in time %t, paid %s, want %s", c.name, j.State, j.InTime, market.Money(j.Penalty), c.penalty)
		}
	}
}
