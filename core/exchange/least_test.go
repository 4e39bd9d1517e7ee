package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// What it takes to begin and to be ended is more than some estimates: a job of 20 ms was
// seen to take 40, of which its budget paid a half. It is sold what a node can hold it
// to, with a quote and without, and pays for all that it took; under the rules of before
// it is sold what it asked for.
func TestNoLessIsSoldThanANodeCanTell(t *testing.T) {
	for least, want := range map[string]int64{"0": 20, "100": 100} {
		f := openUnder(t, "libra", 2, map[string]string{"least_estimate": least})
		f.do(trade.Command{By: trade.Identity{User: "n1", Role: trade.RoleNode}, Enlist: &task.Hello{
			Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Holds: true,
		}})
		r := trade.Request{Argv: []string{"p"}, EstimateMS: 20, DeadlineMS: 10_000}
		q := f.ask(alice, 60, r).Quote
		if q == nil || q.Request.EstimateMS != want {
			t.Fatalf("least %s: %+v", least, q)
		}
		o := f.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: r}})
		if o.Refusal != nil || o.Job.Request.EstimateMS != want || o.Job.Price != q.Price {
			t.Fatalf("least %s, on the quote: %+v, %+v", least, o.Job, o.Refusal)
		}
		if p, err := f.x.Preview(bob, r); err != nil || p.Quote == nil || p.Quote.Price != q.Price || p.Quote.Request.EstimateMS != want {
			t.Errorf("least %s: preview %+v, %v", least, p.Quote, err)
		}
		r.Budget = &q.Price
		o = f.submit(alice, r)
		if o.Refusal != nil || o.Job.Request.EstimateMS != want {
			t.Fatalf("least %s: %+v", least, o.Refusal)
		}
		f.wait(1)
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 40_000}}}})
		j := f.job(o.Job.ID)
		rate := float64(j.Price) / float64(want) // for a millisecond, as agreed
		if paid := float64(j.Charged) >= 40*rate; paid != (want >= 40) || j.Charged > q.Price {
			t.Errorf("least %s: charged %d of %d for 40 ms at %.1f", least, j.Charged, j.Price, rate)
		}
	}
}

// What has not begun has used up nothing, however little was sold to it: where a market
// sells any estimate, a job of 10 ms is not stopped before its node could begin it.
func TestNothingIsUsedUpBeforeItBegins(t *testing.T) {
	for _, policy := range []string{"libra", "mf-edf"} {
		f := openUnder(t, policy, 2, map[string]string{"least_estimate": "0"})
		f.do(trade.Command{By: trade.Identity{User: "n1", Role: trade.RoleNode}, Enlist: &task.Hello{
			Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Holds: true,
		}})
		o := f.submit(alice, trade.Request{Argv: []string{"p"}, EstimateMS: 10, DeadlineMS: 14_000, Budget: budget(1)})
		if o.Refusal != nil {
			t.Fatalf("%s: %+v", policy, o.Refusal)
		}
		f.wait(2) // it is reckoned to have had all by now
		if j := f.job(o.Job.ID); j.State != trade.Running {
			t.Fatalf("%s: %s before it began: %s", policy, j.State, j.Detail)
		}
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 8_000}}}})
		if j := f.job(o.Job.ID); j.State != trade.Completed || j.Work != 8 {
			t.Errorf("%s: %s, work %d: %s", policy, j.State, j.Work, j.Detail)
		}
	}
}
