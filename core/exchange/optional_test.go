package exchange_test

import (
	"slices"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// An optional part that sleeps keeps its processor from others as one that computes
// does: what it declines is executed. What is shown while it runs, the end of what was
// sold to it, and the bill say the same. Under the rules of before only what it used is.
func TestAnOptionalPartThatSleepsPays(t *testing.T) {
	for _, policy := range []string{"mf-edf", "mf-hbf"} {
		for how, want := range map[string]int64{"granted": 8_000, "used": 0} {
			f := openUnder(t, policy, 1, map[string]string{"optional": how, "reserve": "0"})
			r := imprecise()
			r.Optional.WorkMS = 8_000
			o := f.submit(alice, r)
			if o.Refusal != nil {
				t.Fatalf("%+v", o.Refusal)
			}
			said := task.Status{
				Key: task.Key{Job: o.Job.ID}, State: task.Running, CPUUS: 3e6, DeclinedUS: 1e6, Part: task.OptionalPart, MandatoryCPUUS: 3e6, MandatoryDeclinedUS: 1e6,
			}
			say := func() {
				f.x.Observe("n1", f.now, []task.Status{said})
				f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{said}}})
			}
			f.wait(4)
			say()
			f.wait(5)
			said.DeclinedUS += 5e6
			f.do(trade.Command{Tick: &trade.Tick{}})
			f.x.Observe("n1", f.now, []task.Status{said}) // those who look have it before there is a command
			e, _ := f.x.Explain(o.Job.ID)
			if half := min(want, 5_000); e.OptionalMS != half || e.Optional != half*500 {
				t.Errorf("%s, %s: after 5 s %d ms for %d", policy, how, e.OptionalMS, e.Optional)
			}
			f.wait(3.2)
			said.DeclinedUS += 3.2e6
			say()
			if orders := f.x.Orders("n1"); len(orders) != 1 || orders[0].Stop == task.GoOn {
				t.Errorf("%s, %s: it has had all that was sold to it: %+v", policy, how, orders)
			}
			said.State, said.Signal = task.Ended, "SIGTERM"
			say()
			if j := f.job(o.Job.ID); j.State != trade.Completed || j.OptionalMS != want || j.Optional != want*500 || j.Work != 4_000 {
				t.Errorf("%s, %s: %s, %d ms for %d, work %d", policy, how, j.State, j.OptionalMS, j.Optional, j.Work)
			}
		}
	}
}

// A node says that a mandatory part had more than there was time for, as the market knows:
// its clock stood still for a while, or an old backup was restored. What is believed later
// of that is none of the optional part, which no node ever said had so much. The world of
// seed 622689 found a job that paid for 0.6 s of it that had not been.
func TestWhatWasCutOffIsNoneOfTheOptionalPart(t *testing.T) {
	f := openLive(t, "mf-edf", 1, nil)
	f.do(trade.Command{By: trade.Identity{User: "n1", Role: trade.RoleNode}, Enlist: &task.Hello{
		Node: "n1", Processors: 1, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Holds: true,
	}})
	r := imprecise()
	r.DeadlineMS, r.Optional.WorkMS, r.Optional.RateMicros = 60_000, 20_000, 1_000_000
	o := f.submit(alice, r)
	if o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	said := task.Status{Key: task.Key{Job: o.Job.ID}, State: task.Running, Part: task.OptionalPart, MandatoryCPUUS: 4e6}
	for _, c := range []struct {
		after               float64
		cpu, optional, most int64
		told                bool
	}{{1, 5e6, 0, 22e6, true}, {3, 8e6, 1_000, 24e6, true}, {4, 9e6, 5_000, 24e6, false}} {
		f.wait(c.after)
		said.CPUUS = c.cpu
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{said}}})
		told := slices.Contains(f.told, "n1")
		e, _ := f.x.Explain(o.Job.ID)
		if most := f.x.Orders("n1")[0].MostUS; e.OptionalMS != c.optional || most != c.most {
			t.Errorf("%d us: %d ms, and it may have %d us; want %d, %d", c.cpu, e.OptionalMS, most, c.optional, c.most)
		}
		if told != c.told {
			t.Errorf("%d us: the node is told what it may have: %t", c.cpu, told)
		}
	}
	looked := len(f.log)
	if f.wait(25); len(f.log) < looked+10 {
		t.Error("by what was reckoned it has had all of its optional part, and nobody looks every second whether it has")
	}
	said.State, said.Signal = task.Ended, "SIGTERM"
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{said}}})
	if j := f.job(o.Job.ID); j.State != trade.Completed || j.OptionalMS != 5_000 || j.Optional != 5_000_000 {
		t.Errorf("%s, %d ms for %d", j.State, j.OptionalMS, j.Optional)
	}
}
