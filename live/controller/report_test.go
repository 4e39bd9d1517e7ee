package controller_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
)

// A report in which nothing is news, which is what nodes say nearly always, costs the
// loop one look; so does one that tells of an end which is written down.
func TestAReportIsLookedAtOnce(t *testing.T) {
	f := open(t, nil)
	id := f.submit("", trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000}).Job.ID
	key := f.taskOf("n1", id)
	report := func(s task.Status) (looks float64, reply task.Reply) {
		t.Helper()
		s.Key = key
		before := have(f.Measure(t.Context()))(t)["queries_total"]
		reply = have(f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{s}}))(t)
		return have(f.Measure(t.Context()))(t)["queries_total"] - before - 1, reply
	}
	if looks, _ := report(task.Status{State: task.Running}); looks != 1 {
		t.Errorf("%v looks at a task that runs", looks)
	}
	f.ended("n1", key, time.Second)
	if looks, reply := report(task.Status{State: task.Ended}); looks != 1 || len(reply.Forget) != 1 {
		t.Errorf("%v looks at an end that is written down, forget %v", looks, reply.Forget)
	}
}

// Reports get lost. The first that arrives says what was taken since, and so much is
// believed: the node was not heard of meanwhile. What is said of a task that is about
// to stand still does not wait like the rest, and counts like it.
func TestWhatWasTakenWhileReportsWereLostCounts(t *testing.T) {
	for _, c := range []struct {
		name  string
		low   bool
		after time.Duration
	}{{"lost", false, 12 * time.Second}, {"never lost, always low", true, time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			w := &watches{since: time.Now()}
			f := open(t, func(c *controller.Config) {
				w.wear(c)
				c.Unsaid = epoch.LiveSettings()
			})
			say := func(tasks ...task.Status) {
				t.Helper()
				have(f.Report(t.Context(), task.Report{Node: "n1", Tasks: tasks}))(t)
			}
			say()
			key := f.taskOf("n1", f.submit("", trade.Request{EstimateMS: 60_000}).Job.ID)
			for at := c.after; at <= 12*time.Second; at += c.after {
				w.pass(c.after)
				say(task.Status{Key: key, State: task.Running, CPUUS: at.Microseconds(), Low: c.low})
			}
			w.pass(time.Second)
			f.ended("n1", key, 13*time.Second)
			if j := f.job(key.Job); len(j.Tasks) != 1 || j.Tasks[0].CPUUS != 13e6 {
				t.Errorf("it took 13 s, and the market says %+v", j.Tasks)
			}
		})
	}
}

// A report is on its way while the market stands still. What the task takes meanwhile the
// next one says, right after it, and so much is believed. Seed 300103 of the world.
func TestWhatWasTakenWhileAReportWasOnItsWayCounts(t *testing.T) {
	w := &watches{since: time.Now()}
	f := open(t, func(c *controller.Config) {
		w.wear(c)
		c.Unsaid = epoch.LiveSettings()
	})
	s := task.Status{Key: f.taskOf("n1", f.submit("", trade.Request{EstimateMS: 600_000}).Job.ID), State: task.Running}
	const up = time.Hour // of the node
	began := w.ran()
	say := func(since time.Duration, s task.Status) {
		t.Helper()
		s.CPUUS = since.Microseconds()
		have(f.Report(t.Context(), task.Report{Node: "n1", SaidUS: (up + since).Microseconds(), Tasks: []task.Status{s}}))(t)
	}
	for range 12 {
		w.pass(time.Second)
		say(w.ran()-began, s)
	}
	said := w.ran() - began
	w.pass(40 * time.Second)
	say(said, s)
	s.State = task.Ended
	said = w.ran() - began
	say(said, s)
	if j := f.job(s.Job); len(j.Tasks) != 1 || j.Tasks[0].CPUUS != said.Microseconds() {
		t.Errorf("it took %s, and the market says %+v", said, j.Tasks)
	}
}

// A node may say of a task that it is about to stand still, and take that back, as often
// as it likes: that is not an entry of the log each time. The first is one at once.
func TestANodeDoesNotHurryForEver(t *testing.T) {
	w := &watches{since: time.Now()}
	f := open(t, func(c *controller.Config) {
		w.wear(c)
		c.Unsaid = epoch.LiveSettings()
	})
	key := f.taskOf("n1", f.submit("", trade.Request{EstimateMS: 600_000, DeadlineMS: 6_000_000}).Job.ID)
	entries := func() int64 { return have(f.VerifyLedger(t.Context()))(t).Entries }
	say := func(cpu time.Duration) {
		t.Helper()
		s := task.Status{Key: key, State: task.Running, StartedUS: 1, CPUUS: cpu.Microseconds(), Low: true}
		have(f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{s, s}}))(t)
	}
	w.pass(4 * time.Second)
	before := entries()
	say(4 * time.Second)
	if now := entries(); now != before+1 {
		t.Errorf("%d entries for the first", now-before)
	}
	const times = 500
	before = entries()
	began := w.ran()
	for i := range times {
		say(time.Duration(i%2) * 4 * time.Second)
	}
	if now, took := entries(), w.ran()-began; float64(now-before) > 25*(3+took.Seconds()) {
		t.Errorf("%d entries in %s", now-before, took)
	}
	f.verify()
}

// What many tasks say is taken in bit by bit, so that others come in between; of a job
// all of it together.
func TestWhatIsMeasuredIsTakenInBitByBit(t *testing.T) {
	w := &watches{since: time.Now()}
	f := open(t, func(c *controller.Config) {
		w.wear(c)
		c.Unsaid = epoch.LiveSettings()
	})
	var said []task.Status
	for range 50 {
		id := f.submit("", trade.Request{Processors: 3, EstimateMS: 60_000, DeadlineMS: 600_000_000}).Job.ID
		for rank := range 3 {
			said = append(said, task.Status{Key: task.Key{Job: id, Rank: rank}, State: task.Running, StartedUS: 1, CPUUS: 1})
		}
	}
	have(f.Report(t.Context(), task.Report{Node: "n1", Tasks: said}))(t)
	w.pass(time.Second)
	seen := map[int64]int{} // by job: the entry that has its tasks
	entries := map[int]int{}
	for len(seen) < 50 {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		seen, entries = map[int64]int{}, map[int]int{}
		for e, err := range f.store.Tail(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			var body controller.Body
			if err := json.Unmarshal(e.Body, &body); err != nil {
				t.Fatal(err)
			}
			if body.Command.Report == nil {
				continue
			}
			entries[int(e.Seq)] = len(body.Command.Report.Tasks)
			for _, s := range body.Command.Report.Tasks {
				if was := seen[s.Job]; was != 0 && was != int(e.Seq) {
					t.Fatalf("job %d is in entries %d and %d", s.Job, was, e.Seq)
				}
				seen[s.Job] = int(e.Seq)
			}
		}
	}
	for seq, tasks := range entries {
		if tasks > 66 {
			t.Errorf("entry %d has %d tasks at once", seq, tasks)
		}
	}
	if len(entries) < 3 {
		t.Errorf("%d entries for 150 tasks", len(entries))
	}
	f.verify()
}

// A market in which nothing happens has its numbers: a graph of it is not empty.
func TestAnIdleMarketHasItsNumbers(t *testing.T) {
	m := have(open(t, nil).Measure(t.Context()))(t)
	for _, state := range []trade.State{trade.Held, trade.Queued, trade.Running, trade.Stopping} {
		if n, there := m[fmt.Sprintf("jobs{state=%q}", state)]; !there || n != 0 {
			t.Errorf("%s: %v, there %t", state, n, there)
		}
	}
}
