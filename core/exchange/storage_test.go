package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// openStoring is a live market in which a GB of memory costs 3.6 an hour, a thousandth
// a second, and nodes report every second.
func openStoring(t *testing.T, policy string, set map[string]string) *floor {
	t.Helper()
	f := open(t, policy, 2)
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
		Policy: policy, Settings: epoch.Complete(policy, set, epoch.LiveSettings()), Rates: &trade.Rates{ProcessorHour: 3600_000_000, MemoryHour: 3_600_000},
	}})
	return f
}

// Who asks for a lot of memory, a second of work and a deadline in an hour pays for
// the memory by the time it is held, however the job ends; and was told so.
func TestMemoryIsPaidByTheTimeItIsHeld(t *testing.T) {
	for how, s := range map[string]task.Status{
		"by itself": {}, "badly": {Exit: 3}, "out of memory": {OOM: true, Signal: "SIGKILL"}, "cancelled": {Signal: "SIGTERM"},
	} {
		f := openStoring(t, "libra", nil)
		r := trade.Request{EstimateMS: 10_000, DeadlineMS: 3600_000, MemoryMB: 64 << 10}
		q := f.ask(bob, 1, r).Quote
		o := f.submit(alice, r)
		if o.Refusal != nil || q == nil {
			t.Fatalf("%+v", o.Refusal)
		}
		j := f.job(o.Job.ID)
		// 64 GB for the hour, and for six reports in which it may be told to end.
		if j.Storage == nil || j.Storage.TimeMS != 3606_000 || j.Storage.Price != 230_784_000 || q.Price != j.Price || q.Storage == nil || *q.Storage != *j.Storage {
			t.Fatalf("%+v, quoted %+v", j.Storage, q.Storage)
		}
		if j.Held < j.Price || j.Price-j.Storage.Price != 10_002_778 {
			t.Errorf("price %d, held %d", j.Price, j.Held)
		}
		f.used(task.Key{Job: j.ID}, 0.1)
		f.wait(600)
		s.Key, s.State, s.CPUUS = task.Key{Job: j.ID}, task.Ended, 100_000
		if how == "cancelled" {
			f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: j.ID}})
		}
		f.x.At(f.now)
		shown, _ := f.x.Explain(j.ID)
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{s}}})
		// 600 s of 64 GB are 38.4, and a quarter of the other 192.384 is 48.096; of 10.002778
		// for the work a hundredth was used, 0.100028, and a quarter of the rest is 2.475688.
		if j = f.job(j.ID); !j.State.Final() || j.Charged != 38_400_000+48_096_000+100_028+2_475_688 {
			t.Errorf("%s: %s, charged %d: %+v", how, j.State, j.Charged, j.Receipt)
		}
		if shown.CostNow < 86_496_000 || shown.CostNow != shown.CancelNow {
			t.Errorf("%s: shown %d and %d", how, shown.CostNow, shown.CancelNow)
		}
		checkReceipt(t, &j)
	}
}

// It is sold at the same price under every policy; what is bid is for both; and a
// budget that does not pay for the memory pays for nothing.
func TestMemoryHasAPriceUnderEveryPolicy(t *testing.T) {
	for policy, price := range map[string]int64{"libra": 0, "libra-plus": 0, "fcfs-bf": 0, "libra-sla": 60_000_000, "mf-edf": 60_000_000} {
		f := openStoring(t, policy, nil)
		plain := trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000}
		stored := plain
		stored.MemoryMB = 10 << 10
		if price > 0 {
			plain.Budget, stored.Budget = budget(60), budget(60)
		}
		a, b := openStoring(t, policy, nil).submit(alice, plain), f.submit(bob, stored)
		if a.Refusal != nil || b.Refusal != nil {
			t.Fatalf("%s: %+v, %+v", policy, a.Refusal, b.Refusal)
		}
		want := a.Job.Price - int64(a.Job.Storage.Amount()) + 1_060_000 // 10 GB for 106 s
		if price > 0 {
			want = price
		}
		if b.Job.Price != want || b.Job.Storage == nil || b.Job.Storage.Price != 1_060_000 {
			t.Errorf("%s: %d with memory (%+v), want %d", policy, b.Job.Price, b.Job.Storage, want)
		}
		stored.Budget = budget(1)
		if o := f.submit(bob, stored); o.Refusal == nil || o.Refusal.Reason != market.CannotMeetBudget.String() {
			t.Errorf("%s: with 1 for all of it: %+v", policy, o.Job)
		}
	}
}

// Without a deadline the estimate and a tenth are agreed; who holds its memory for
// longer is sold more time as long as there is money, and is ended when there is
// none. It is never charged more than its budget, and nothing is held for nothing.
func TestWhoHoldsMemoryForLongerPaysOrEnds(t *testing.T) {
	f := openStoring(t, "libra", nil)
	f.submit(bob, trade.Request{EstimateMS: 1_000_000, DeadlineMS: 1_000_000, Processors: 2}) // there is next to nothing left
	r := trade.Request{EstimateMS: 1_000, MemoryMB: 100 << 10}
	rich := f.submit(alice, r).Job
	if rich == nil || rich.Storage == nil || rich.Storage.TimeMS != 7_100 || rich.Storage.Price != 710_000 {
		t.Fatalf("%+v", rich)
	}
	r.Budget = budget(1.71)
	if o := f.ask(alice, 1, r); o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	poor := f.submit(alice, r).Job
	f.wait(4) // three reports before its time is over
	if j := f.job(poor.ID); j.State != trade.Running {
		t.Fatalf("%+v", j)
	}
	f.wait(0.2)
	j := f.job(poor.ID)
	if j.State != trade.Stopping || j.Reason != trade.ReasonOverrun || !strings.Contains(j.Detail, "memory and disk") {
		t.Fatalf("%s %s: %s", j.State, j.Reason, j.Detail)
	}
	if !killed(f, poor.ID, false) {
		t.Errorf("it was told to end, and is killed at once")
	}
	f.wait(1)
	if !killed(f, poor.ID, true) {
		t.Errorf("it takes its time, and is not killed")
	}
	f.wait(1)
	f.end(task.Key{Job: poor.ID}, 0, 0)
	if j = f.job(poor.ID); !j.State.Final() || j.Charged > 1_710_000 || j.Charged < 620_000+250_000 {
		t.Errorf("%s, charged %d", j.State, j.Charged)
	}
	f.used(task.Key{Job: rich.ID}, 0)
	f.wait(993.8)
	f.recover()
	j = f.job(rich.ID)
	if j.State != trade.Running || j.Storage.MoreMS < 990_000 || j.Held < 100_000_000 {
		t.Errorf("%s, %+v, %d held", j.State, j.Storage, j.Held)
	}
	f.end(task.Key{Job: rich.ID}, 0, 0)
	if j = f.job(rich.ID); j.Charged != 100_000_000+250_000 { // 100 GB for 1,000 s; a second that was not used
		t.Errorf("charged %d: %+v", j.Charged, j.Receipt.Lines)
	}
	if a, _ := f.x.Account("lab/alice"); a.Held != 0 {
		t.Errorf("%d still held", a.Held)
	}
}

func killed(f *floor, id int64, want bool) bool {
	for _, o := range f.x.Orders("n1") {
		if o.Spec.Job == id {
			return (o.Stop == task.Kill) == want
		}
	}
	return false
}

// Where memory costs nothing, or the policy sells it, nothing is as by the rule.
func TestNoMarketSellsMemoryUnasked(t *testing.T) {
	r := trade.Request{EstimateMS: 1_000, DeadlineMS: 3600_000, MemoryMB: 1 << 10}
	if o := openLive(t, "libra", 1, nil).submit(alice, r); o.Job == nil || o.Job.Storage != nil {
		t.Errorf("%+v", o.Job)
	}
	for policy, more := range map[string]int64{"libra": 0, "libra-plus": 1_100} { // a second of a GB, (alpha + beta) * 0.001
		f := openStoring(t, policy, map[string]string{"storage": "policy"})
		plain := r
		plain.MemoryMB = 0
		a, b := f.submit(bob, plain), f.submit(alice, r)
		if b.Job == nil || b.Job.Storage != nil || b.Job.Price-a.Job.Price < more || b.Job.Price-a.Job.Price > more+50 {
			t.Errorf("%s: %d, without memory %d", policy, b.Job.Price, a.Job.Price)
		}
	}
}

// Where memory has a price, who asks for none is sold some: the quote, the job, the order
// to its node and the bill say so, and it is paid for by the time it is held. Under the
// rules of before, or where memory has no price, it has what is left.
func TestMemoryThatNobodyAskedForIsSold(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		free bool
		want int64
	}{
		"sold": {want: 512}, "by the owner's choice": {set: map[string]string{"memory_unasked": "64"}, want: 64},
		"before": {set: map[string]string{"memory_unasked": "0"}}, "no price": {free: true}, "by the policy": {set: map[string]string{"storage": "policy"}},
	} {
		f := openStoring(t, "libra", c.set)
		if c.free {
			f = openUnder(t, "libra", 2, c.set)
		}
		r := trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000}
		q := f.ask(bob, 1, r).Quote
		o := f.submit(alice, r)
		if o.Refusal != nil || q == nil {
			t.Fatalf("%s: %+v", name, o.Refusal)
		}
		if j := o.Job; j.Request.MemoryMB != c.want || q.Request.MemoryMB != c.want || (j.Storage != nil) != (c.want > 0) || j.Storage.Amount() != q.Storage.Amount() {
			t.Errorf("%s: %d MB, quoted %d, for %+v, quoted %+v", name, j.Request.MemoryMB, q.Request.MemoryMB, j.Storage, q.Storage)
		}
		if p, err := f.x.Preview(bob, r); err != nil || p.Quote == nil || p.Quote.Request.MemoryMB != c.want || p.Quote.Storage.Amount() != q.Storage.Amount() {
			t.Errorf("%s: preview %+v, %v", name, p.Quote, err)
		}
		f.used(task.Key{Job: o.Job.ID}, 0.1)
		f.wait(50)
		for _, order := range f.x.Orders("n1") {
			if order.Spec.Memory != c.want<<20 {
				t.Errorf("%s: the limit is %d", name, order.Spec.Memory)
			}
		}
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 10_000_000}}}})
		j := f.job(o.Job.ID)
		of := int64(0)
		for _, l := range j.Receipt.Lines {
			if strings.HasPrefix(l.What, "memory and disk: held") {
				of += int64(l.Amount)
			}
		}
		if want := c.want * 3_600_000 / 1024 * 50 / 3600; of < want || of > want+5 { // for 50 s
			t.Errorf("%s: %d for memory, want %d: %+v", name, of, want, j.Receipt.Lines)
		}
	}
}

// A default that most nodes could not give is none: it is a processor's part at most.
func TestMemoryThatNobodyAskedForFits(t *testing.T) {
	f := openStoring(t, "libra", nil)
	for _, name := range []string{"small", "smaller"} {
		f.joins(task.Hello{Node: name, Processors: 4, Rating: 1, Speed: 1, MemoryMB: 400, DiskMB: 1 << 20, Boot: "b"})
	}
	if o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000}); o.Refusal != nil || o.Job.Request.MemoryMB != 100 {
		t.Errorf("%+v, %+v", o.Refusal, o.Job)
	}
}
