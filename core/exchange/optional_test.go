package exchange_test

import (
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
