package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Under policies that are liable for delays by their own rules a job is paid the
// fine, promised or not, as long as it did not over-run; and whoever looks while
// it runs sees what the bill will say.
func TestPoliciesFine(t *testing.T) {
	for _, c := range []struct {
		policy string
		soft   bool
	}{{"hol", false}, {"first-price", false}, {"first-reward", false}, {"libra-sla", true}, {"libra-sla", false}} {
		f := open(t, c.policy, 1)
		before := f.free("lab/bob")
		o := f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 12_000, Budget: budget(8), PenaltyMicros: 250_000, Soft: c.soft})
		if o.Refusal != nil || o.Job.State != trade.Running {
			t.Fatalf("%s: %+v", c.policy, o)
		}
		id := o.Job.ID
		f.wait(8)
		f.used(task.Key{Job: id}, 6)
		f.wait(9)
		f.used(task.Key{Job: id}, 9.5)
		e, _ := f.x.Explain(id)
		shown := f.job(id)
		f.end(task.Key{Job: id}, 9.5, 0)
		j := f.job(id)
		// 17 s after it was submitted, 5 s after its deadline, at 0.25 a second.
		if j.State != trade.Completed || j.Charged != 8_000_000 || j.Penalty != 1_250_000 || j.Receipt.Net != 6_750_000 {
			t.Errorf("%s, soft %v: %s, charged %s, paid %s", c.policy, c.soft, j.State, market.Money(j.Charged), market.Money(j.Penalty))
		}
		if e.PenaltyNow != j.Penalty || shown.Penalty != j.Penalty || e.CostNow != j.Charged {
			t.Errorf("%s, soft %v: shown %s, %s, for %s", c.policy, c.soft, market.Money(e.PenaltyNow), market.Money(shown.Penalty), market.Money(e.CostNow))
		}
		if paid := before - f.free("lab/bob"); paid != 6_750_000 {
			t.Errorf("%s, soft %v: it cost %s", c.policy, c.soft, paid)
		}
	}
}

// One that over-ran its estimate is fined for nothing but what came before.
func TestNoFineForAnOverrun(t *testing.T) {
	f := open(t, "hol", 1)
	o := f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 12_000, Budget: budget(8), PenaltyMicros: 250_000, Overrun: trade.OverrunLate})
	id := o.Job.ID
	for range 30 {
		f.wait(1)
		f.used(task.Key{Job: id}, float64(f.now-o.Job.SubmittedUS)/1e6)
	}
	if e, _ := f.x.Explain(id); e.PenaltyNow != 0 {
		t.Errorf("shown %s", market.Money(e.PenaltyNow))
	}
	f.end(task.Key{Job: id}, 30, 0)
	if j := f.job(id); j.State != trade.Completed || j.Penalty != 0 {
		t.Errorf("%s, paid %s: %+v", j.State, market.Money(j.Penalty), j)
	}
}

// What is shown before a job ends is what it is charged.
func TestShownIsCharged(t *testing.T) {
	for name, end := range map[string]func(f *floor, id int64){
		"ends":      func(f *floor, id int64) { f.end(task.Key{Job: id}, 13, 0) },
		"fails":     func(f *floor, id int64) { f.end(task.Key{Job: id}, 13, 1) },
		"cancelled": func(f *floor, id int64) { f.cancel(id); f.end(task.Key{Job: id}, 13, 0) },
	} {
		f := open(t, "libra", 1)
		id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000, PenaltyMicros: 1_000}).Job.ID
		f.wait(9)
		f.used(task.Key{Job: id}, 9)
		e, _ := f.x.Explain(id)
		if want := f.job(id).Price * 9 / 10; e.CancelNow != want || e.CostNow != f.job(id).Price {
			t.Errorf("%s: shown %d and %d, want %d", name, e.CostNow, e.CancelNow, want)
		}
		f.wait(2)
		f.used(task.Key{Job: id}, 11)
		f.wait(2)
		f.used(task.Key{Job: id}, 13)
		if len(f.job(id).Extensions) == 0 {
			t.Fatalf("%s: it was not extended", name)
		}
		e, _ = f.x.Explain(id)
		end(f, id)
		want := e.CostNow
		if name == "cancelled" {
			want = e.CancelNow
		}
		if j := f.job(id); j.Charged != want {
			t.Errorf("%s: shown %d, charged %d", name, want, j.Charged)
		}
	}
}

func (f *floor) cancel(id int64) {
	f.Helper()
	f.do(trade.Command{By: owner, Cancel: &trade.Cancel{Job: id}})
}
