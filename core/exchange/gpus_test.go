package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// openWithGPUs is a live market of one plain node and one with two GPUs, which cost 3.6 an
// hour each, a thousandth a second.
func openWithGPUs(t *testing.T, policy string) *floor {
	t.Helper()
	f := open(t, policy, 2)
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
		Policy: policy, Settings: epoch.Complete(policy, nil, epoch.LiveSettings()), Rates: &trade.Rates{ProcessorHour: 3600_000_000, GPUHour: 3_600_000},
	}})
	f.do(trade.Command{Enlist: &task.Hello{
		Node: "gpu", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, GPUs: 2, GPUKind: "a100", Boot: "b",
	}})
	return f
}

// GPUs cost the same under every policy, what is bid is for them too, and the job goes
// where they are.
func TestGPUsHaveAPriceUnderEveryPolicy(t *testing.T) {
	for policy, bids := range map[string]bool{"libra": false, "libra-plus": false, "fcfs-bf": false, "libra-sla": true, "first-price": true} {
		f := openWithGPUs(t, policy)
		r := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 2, GPUKind: "a100", Budget: budget(900)}
		plain := r.WithoutGPUs()
		without, with := openWithGPUs(t, policy).submit(alice, plain), f.submit(alice, r)
		if without.Refusal != nil || with.Refusal != nil {
			t.Fatalf("%s: %+v, %+v", policy, without.Refusal, with.Refusal)
		}
		// Two for 1006 s where processors are shared by time; else for 110 s, as it is on
		// one from when it starts, and the six reports.
		lent := int64(2 * 1_006_000)
		if policy == "fcfs-bf" || policy == "first-price" {
			lent = 2 * 116_001
		}
		want := without.Job.Price + lent
		if bids {
			want = 900_000_000
		}
		j := f.job(with.Job.ID)
		if j.Price != want || j.Storage == nil || j.Storage.GPUs != lent || j.Storage.Price != lent || without.Job.Storage != nil {
			t.Errorf("%s: %d (%+v), want %d", policy, j.Price, j.Storage, want)
		}
		if len(j.Places) != 1 || j.Places[0].Node != "gpu" {
			t.Errorf("%s: on %+v", policy, j.Places)
		}
		r.Budget = budget(0.1)
		if o := openWithGPUs(t, policy).submit(bob, r); o.Refusal == nil || o.Refusal.Reason != market.CannotMeetBudget.String() {
			t.Errorf("%s: a budget of 0.1: %+v", policy, o.Job)
		}
	}
}

// A job pays for the time in which it held its GPUs, and for nothing that it did not: a
// line of its receipt that can be worked out.
func TestGPUsArePaidByTheTimeTheyAreHeld(t *testing.T) {
	f := openWithGPUs(t, "libra")
	r := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 1}
	q := f.ask(bob, 1, r).Quote
	j := f.submit(alice, r).Job
	if q == nil || !strings.Contains(q.Worked, "and 1.01 ¤ for 1 GPU x 16m46s at 3.60 ¤ an hour") {
		t.Fatalf("%+v", q)
	}
	f.wait(200)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: j.ID}, State: task.Ended, CPUUS: 100_000_000}}}})
	done := f.job(j.ID)
	if !done.State.Final() || done.Charged != done.Price-done.Storage.Price+200_000 {
		t.Errorf("%s, charged %d of %d: %+v", done.State, done.Charged, done.Price, done.Receipt)
	}
	checkReceipt(t, &done)
}

// What no node has is refused with that reason, and what others hold with that; and
// fewer, or none, are offered.
func TestGPUsThatThereAreNot(t *testing.T) {
	f := openWithGPUs(t, "libra")
	r := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 3}
	offered := func(o trade.Outcome) (gpus []int) {
		for _, offer := range o.Refusal.Offers {
			if offer.Change == "gpus" {
				gpus = append(gpus, offer.Quote.Request.GPUs)
			}
		}
		return gpus
	}
	refused := func(r trade.Request, reason, text string, fewer int) {
		t.Helper()
		o := f.submit(alice, r)
		if o.Refusal == nil || o.Refusal.Reason != reason || !strings.Contains(o.Refusal.Detail, text) {
			t.Fatalf("%+v: %+v %+v", r, o.Job, o.Refusal)
		}
		if got := offered(o); len(got) != 1 || got[0] != fewer {
			t.Errorf("%+v: offered %v GPUs, want %d", r, got, fewer)
		}
	}
	refused(r, market.CannotMeetResources.String(), "each of its programs asks for 3 GPUs, and no node has more than 2", 2)
	r.GPUs, r.GPUKind = 1, "t4"
	refused(r, market.CannotMeetResources.String(), "it asks for t4 GPUs, and no node has any", 0)
	r.GPUKind, r.Processors = "", 3
	refused(r, market.CannotMeetResources.String(), "it asks for 3 GPUs, and this cluster has 2", 0)
	r.Processors, r.GPUs = 1, 2
	holder := f.submit(bob, r).Job
	r.GPUs = 1
	refused(r, market.CannotMeetDeadline.String(), "and others hold them", 0)
	for _, n := range f.x.Nodes() {
		if n.Node == "gpu" && n.FreeGPUs != 0 {
			t.Errorf("%d of %d GPUs free", n.FreeGPUs, n.GPUs)
		}
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: holder.ID}, State: task.Ended, CPUUS: 1}}}})
	if o := f.submit(alice, r); o.Refusal != nil {
		t.Errorf("when they are free: %+v", o.Refusal)
	}
}

// A node that comes back with other GPUs is another one.
func TestANodeWithOtherGPUs(t *testing.T) {
	f := openWithGPUs(t, "libra")
	f.do(trade.Command{Enlist: &task.Hello{
		Node: "gpu", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, GPUs: 1, GPUKind: "a100", Boot: "b",
	}})
	r := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 2}
	if o := f.submit(alice, r); o.Refusal == nil {
		t.Errorf("two of one: %+v", o.Job)
	}
}
