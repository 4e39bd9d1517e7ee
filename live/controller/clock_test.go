package controller_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
)

// watches are the two clocks of a machine: the time of day, that somebody sets, and
// one that nobody can.
type watches struct {
	elapsed, set atomic.Int64
	since        time.Time // they go by themselves too
	said         lines
}

func (w *watches) ran() time.Duration {
	ran := time.Duration(w.elapsed.Load())
	if !w.since.IsZero() {
		ran += time.Since(w.since)
	}
	return ran
}

// lines are what was logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (w *watches) wear(c *controller.Config) {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c.Now = func() time.Time { return begin.Add(w.ran() + time.Duration(w.set.Load())) }
	c.Elapsed = w.ran
	c.Logger = slog.New(slog.NewTextHandler(&w.said, nil))
}

func (w *watches) pass(d time.Duration) { w.elapsed.Add(int64(d)) }
func (w *watches) step(d time.Duration) { w.set.Add(int64(d)) }

// Time goes on through any step of the clock, never back, at most a hundredth faster
// or slower than it does, and is the time of day again in the end.
func TestTimeSlews(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, -3 * time.Second, 3 * time.Second, time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			w := &watches{}
			f := open(t, w.wear)
			if f.Ahead() != 0 {
				t.Fatalf("ahead by %s from the first", f.Ahead())
			}
			w.step(step)
			before, far := f.Time(), f.Ahead()
			if far != -step {
				t.Errorf("after a step of %s it is ahead by %s", step, far)
			}
			const look = 7 * time.Second
			for i := 0; f.Ahead() != 0; i++ {
				if i > 100*int(step.Abs()/look+2) {
					t.Fatalf("still ahead by %s", f.Ahead())
				}
				w.pass(look)
				now := f.Time()
				if went := now.Sub(before); went < look*99/100-time.Microsecond || went > look*101/100+time.Microsecond {
					t.Fatalf("in %s it went %s", look, went)
				}
				if f.Ahead().Abs() > far.Abs() {
					t.Fatalf("ahead by %s, after %s", f.Ahead(), far)
				}
				before, far = now, f.Ahead()
			}
			if way := map[bool]string{true: "set back", false: "set forward"}[step < 0]; strings.Count(w.said.String(), way) != 1 {
				t.Errorf("said of it: %s", w.said.String())
			}
			if m, err := f.Measure(t.Context()); err != nil || m["clock_steps_total"] != 1 {
				t.Errorf("steps counted: %v, %v", m["clock_steps_total"], err)
			}
		})
	}
}

// A clock that is set back stops nothing: jobs are dispatched, cancelled and late as
// if nobody had touched it. One that is set forward loses no node and makes no job late.
func TestTheClockIsSet(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		for _, restart := range []bool{false, true} {
			if restart && step > 0 {
				continue // a market that was away cannot tell it from time that passed
			}
			name := step.String()
			if restart {
				name += " and a restart"
			}
			t.Run(name, func(t *testing.T) {
				w := &watches{since: time.Now()}
				f := open(t, w.wear)
				long := f.submit("long", trade.Request{EstimateMS: 7_200_000, DeadlineMS: 10_800_000})
				f.orders("n1", 1)

				w.step(step)
				if restart {
					f.restart()
				}
				w.pass(time.Second)
				job := f.submit("after", trade.Request{EstimateMS: 60_000, DeadlineMS: 90_000, PenaltyMicros: 100})
				if len(f.orders("n1", 2)) != 2 {
					t.Fatal("what comes after is not dispatched")
				}
				f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: long.Job.ID}}, "")
				stopped, after := false, int64(-1)
				for i := 0; i < 20 && !stopped; i++ {
					d, err := f.Desired(t.Context(), "n1", after, time.Second)
					if err != nil {
						t.Fatal(err)
					}
					after = d.Version
					for _, o := range d.Orders {
						stopped = stopped || o.Spec.Key.Job == long.Job.ID && o.Stop != task.GoOn
					}
				}
				if !stopped {
					t.Error("a cancel that was acknowledged runs on")
				}
				// It ends 200 s after it began, as its node measured it, whose clock was set too.
				for range 20 {
					w.pass(10 * time.Second)
					if _, err := f.Report(t.Context(), task.Report{Node: "n1"}); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{{
					Key: task.Key{Job: job.Job.ID}, State: task.Ended, CPUUS: 50e6, StartedUS: 1, EndedUS: 2, RanUS: 200e6, AgoUS: 1e6,
				}}}); err != nil {
					t.Fatal(err)
				}
				got := f.job(job.Job.ID)
				if late := time.Duration(got.EndedUS-got.DueUS) * time.Microsecond; late < 100*time.Second || late > 130*time.Second {
					t.Errorf("a job that ended 200 s after it began and was due after 90 is late by %s", late)
				}
				if ran := got.Tasks[0].EndedUS - got.Tasks[0].StartedUS; ran != 200e6 || got.Tasks[0].EndedUS > got.EndedUS {
					t.Errorf("its task ran for %d us until %d, and it ended at %d", ran, got.Tasks[0].EndedUS, got.EndedUS)
				}
				if strings.Contains(w.said.String(), "taken for lost") {
					t.Error("a healthy node is lost")
				}
				f.verify()
			})
		}
	}
}

// A clock that was set back while the market was away: it goes on from what it last
// wrote down, and says so.
func TestSetBackWhileAway(t *testing.T) {
	w := &watches{}
	f := open(t, w.wear)
	f.stop()
	<-f.Done()
	before := f.Time()
	w.step(-24 * time.Hour)
	f.start(f.store)
	if f.Time().Before(before) || f.Ahead() < 23*time.Hour {
		t.Errorf("it is %s, it was %s, ahead by %s", f.Time(), before, f.Ahead())
	}
	if !strings.Contains(w.said.String(), "it was set back") {
		t.Errorf("said of it: %s", w.said.String())
	}
}

// Without another clock the time of day is good for what goes forward.
func TestOneClockOnly(t *testing.T) {
	w := &watches{}
	f := open(t, func(c *controller.Config) {
		w.wear(c)
		c.Elapsed = nil
	})
	before := f.Time()
	w.pass(time.Hour)
	if went := f.Time().Sub(before); went != time.Hour {
		t.Errorf("an hour took %s", went)
	}
	w.step(-time.Hour)
	before = f.Time()
	w.pass(100 * time.Second)
	if went := f.Time().Sub(before); went != 99*time.Second {
		t.Errorf("100 s after it was set back took %s", went)
	}
}
