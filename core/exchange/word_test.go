package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A node may say of a job what it likes: nobody pays for more than its processors can
// have done since it began, and one interval of reports. Here it has no budget, so that the
// whole account is behind it.
func TestANodeEmptiesNoAccount(t *testing.T) {
	const lie = int64(1e18)
	for name, s := range map[string]task.Status{
		"used":            {State: task.Ended, CPUUS: lie},
		"declined":        {State: task.Ended, DeclinedUS: lie},
		"both":            {State: task.Ended, CPUUS: lie, DeclinedUS: lie},
		"over and over":   {State: task.Running, CPUUS: lie},
		"for a long time": {State: task.Ended, CPUUS: lie, StartedUS: 1, EndedUS: lie},
	} {
		for _, threads := range []int{1, 2} {
			f := openLive(t, "libra", 4, nil)
			o := f.submit(alice, trade.Request{EstimateMS: 10, Processors: threads, Threads: threads})
			f.wait(2)
			s.Key = task.Key{Job: o.Job.ID}
			before := f.free("lab/alice") + market.Money(o.Job.Held)
			for range 5 {
				f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{s}}})
			}
			s.State = task.Ended
			f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{s}}})
			j := f.job(o.Job.ID)
			perSecond := float64(o.Job.Price) / 0.010
			if lost := before - f.free("lab/alice"); !j.State.Final() || float64(lost) > 3*1.001*perSecond || j.Tasks[0].CPUUS > int64(threads)*3*second {
				t.Errorf("%s, %d threads: charged %s for 2 s at %.0f a second: %+v", name, threads, lost, perSecond, j.Receipt)
			}
		}
	}
}

// Begun anew, a job has run since then, and not since it first began.
func TestANodeIsHeldToTheLastBeginning(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	o := f.submit(alice, trade.Request{EstimateMS: 1000, DeadlineMS: 2_000_000, Budget: budget(500)})
	f.wait(100)
	f.enlist("n2", 1)
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "silent"}})
	f.wait(1)
	key := task.Key{Job: o.Job.ID, Attempt: f.job(o.Job.ID).Attempt}
	if key.Attempt != 1 || f.job(o.Job.ID).State != trade.Running {
		t.Fatalf("%+v", f.job(o.Job.ID))
	}
	f.end(key, 100, 0)
	if j := f.job(o.Job.ID); !j.State.Final() || j.Work > 2000 {
		t.Errorf("%s: %d ms in one second", j.State, j.Work)
	}
}

// Who hears all that a node says holds it to that: what it said a second ago, and what
// can have been done since.
func TestANodeIsHeldToWhatItSaid(t *testing.T) {
	f := openLive(t, "fcfs-bf", 1, nil)
	o := f.submit(alice, trade.Request{EstimateMS: 10_000})
	key := task.Key{Job: o.Job.ID}
	f.wait(3600)
	f.x.At(f.now)
	f.x.Observe("n1", f.now, []task.Status{{Key: key, State: task.Running, CPUUS: 2 * second}})
	f.wait(1)
	f.x.At(f.now)
	news := f.x.News("n1", []task.Status{{Key: key, State: task.Ended, CPUUS: 3600 * second}})
	if len(news) != 1 || news[0].CPUUS > 6*second {
		t.Errorf("it had 2 s one second ago: %+v", news)
	}
}

// What a task had before the market was read back is not forgotten by its node: that
// it was heard of nothing since is no reason to cut what it says. The world of seed 25
// found a job of twenty seconds that was billed for ten.
func TestWhatWasSaidBeforeARestartCounts(t *testing.T) {
	f := openLive(t, "fcfs-bf", 1, nil)
	o := f.submit(alice, trade.Request{EstimateMS: 60_000})
	key := task.Key{Job: o.Job.ID}
	f.recover()
	f.wait(20)
	f.x.At(f.now)
	f.x.Observe("n1", f.now, nil) // the agent is there, and says nothing of its task yet
	f.wait(1)
	f.x.At(f.now)
	news := f.x.News("n1", []task.Status{{Key: key, State: task.Ended, CPUUS: 21 * second}})
	if len(news) != 1 || news[0].CPUUS != 21*second {
		t.Errorf("it had 21 s: %+v", news)
	}
}

// A node that has said that a task ran, and what it used, is not believed that it never
// began; one that took a moment to find that out is.
func TestANodeDoesNotTakeBackThatATaskRan(t *testing.T) {
	for _, c := range []struct {
		used  int64
		begun bool
	}{{9 * second / 10, true}, {50_000, false}} {
		f := openLive(t, "libra", 1, nil)
		o := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 20_000, Budget: budget(500)})
		hear := func(s task.Status) {
			t.Helper()
			f.wait(1)
			f.x.At(f.now)
			s.Key = task.Key{Job: o.Job.ID}
			said := []task.Status{s}
			news := f.x.News("n1", said)
			f.x.Observe("n1", f.now, said)
			if len(news) > 0 {
				f.do(trade.Command{Report: &trade.Measured{Tasks: news}})
			}
		}
		hear(task.Status{State: task.Running, StartedUS: f.now, CPUUS: c.used})
		hear(task.Status{State: task.Refused, Error: "no such program", EndedUS: f.now})
		j := f.job(o.Job.ID)
		if j.State != trade.Failed || (j.Charged > 0) != c.begun || c.begun && j.Work != c.used/1000 {
			t.Errorf("%d us used: %s, %s, %d ms, charged %s", c.used, j.State, j.Reason, j.Work, market.Money(j.Charged))
		}
	}
}
