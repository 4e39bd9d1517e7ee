package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// withheld tells the market that so many GPUs of a node are somebody else's.
func (f *floor) withheld(node string, n int) trade.NodeView {
	f.Helper()
	return *f.do(trade.Command{Node: &trade.NodeChange{Node: node, Withheld: &n}}).Node
}

// What somebody else has of the GPUs of a node is not sold, also after a restart, until
// they are given back; who holds some holds them.
func TestGPUsOfOthersAreNotSold(t *testing.T) {
	f := openWithGPUs(t, "libra")
	one := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 1}
	two := one
	two.GPUs = 2
	if v := f.withheld("gpu", 1); v.FreeGPUs != 1 || v.OthersGPUs != 1 {
		t.Errorf("%+v", v)
	}
	f.recover()
	if o := f.submit(alice, two); o.Refusal == nil || o.Refusal.Reason != market.CannotMeetDeadline.String() {
		t.Errorf("two, of which one is another's: %+v", o.Job)
	}
	mine := f.submit(alice, one)
	if mine.Refusal != nil {
		t.Fatalf("the other: %+v", mine.Refusal)
	}
	if v := f.withheld("gpu", 7); v.OthersGPUs != 2 { // a node has no more than it has
		t.Errorf("%+v", v)
	}
	f.recover()
	if j := f.job(mine.Job.ID); j.State.Final() || len(j.Places) != 1 {
		t.Errorf("others took them: %+v", j)
	}
	f.end(task.Key{Job: mine.Job.ID}, 10, 0)
	if o := f.submit(alice, one); o.Refusal == nil {
		t.Errorf("all are another's: %+v", o.Job)
	}
	f.withheld("gpu", 0)
	if o := f.submit(alice, two); o.Refusal != nil {
		t.Errorf("given back: %+v", o.Refusal)
	}
	f.compare()
}

// On a node with several kinds each can be bought by its name, and a program that names
// none may have any: it counts against each.
func TestANodeWithSeveralKindsOfGPUs(t *testing.T) {
	for name, c := range map[string]struct {
		asked []string
		taken int // of those, one after the other; the next is refused
	}{
		"by name":               {[]string{"a100:2", "v100:1", "v100:1"}, 2},
		"too many of one":       {[]string{"a100:1", "v100:2"}, 1},
		"any":                   {[]string{"3", "1"}, 1},
		"any before one":        {[]string{"1", "a100:1", "a100:1"}, 2},
		"any before the only":   {[]string{"1", "v100:1"}, 1},
		"one before any":        {[]string{"v100:1", "a100:2", "1"}, 2},
		"what there is not":     {[]string{"t4:1"}, 0},
		"what is of both kinds": {[]string{"a100:3"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, "libra", 2)
			f.do(trade.Command{Enlist: &task.Hello{
				Node: "gpu", Processors: 8, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, GPUs: 3, GPUKind: "a100:2,v100:1", Boot: "b",
			}})
			for i, text := range c.asked {
				kind, n, err := market.ParseGPUs(text)
				if err != nil {
					t.Fatal(err)
				}
				o := f.submit(alice, trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: n, GPUKind: kind})
				if took := o.Refusal == nil; took != (i < c.taken) {
					t.Errorf("%s: taken is %v: %+v", text, took, o.Refusal)
				}
				f.recover()
			}
		})
	}
	f := open(t, "libra", 2)
	for _, kind := range []string{"a100:2,v100", "a100:2,v100:0", "a100:2,v100:2", "a100:1,:2"} {
		if err := f.announce(&task.Hello{Node: "odd", Processors: 1, Rating: 1, Speed: 1, GPUs: 3, GPUKind: kind, Boot: "b"}, nil); err == nil {
			t.Errorf("three GPUs, %s: it joined", kind)
		}
	}
}

// A node that is found to have GPUs, as after an upgrade, keeps its jobs.
func TestANodeIsEquippedWithGPUs(t *testing.T) {
	f := open(t, "libra", 1)
	f.enlist("n2", 2)
	j := f.submit(alice, trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, Processors: 2}).Job
	h := task.Hello{Node: "n2", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "boot", GPUs: 2, GPUKind: "a100"}
	for _, n := range f.x.Nodes() {
		if n.Node == "n2" {
			h.MemoryMB, h.DiskMB, h.Boot = n.MemoryMB, n.DiskMB, n.Boot
		}
	}
	f.do(trade.Command{Enlist: &h})
	f.recover()
	if now := f.job(j.ID); now.Attempt != 0 || now.State.Final() || len(now.Places) != 2 {
		t.Errorf("%+v", now)
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 2, GPUKind: "a100"}); o.Refusal != nil {
		t.Errorf("%+v", o.Refusal)
	}
}

// A node of which is not known yet what GPUs it has has those that it had.
func TestANodeComesBackWithTheGPUsThatItHad(t *testing.T) {
	f := openWithGPUs(t, "libra")
	r := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 2}
	j := f.submit(alice, r).Job
	h := task.Hello{Node: "gpu", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", GPUs: task.SameGPUs}
	v := f.do(trade.Command{Enlist: &h}).Node
	f.recover()
	if now := f.job(j.ID); now.Attempt != 0 || now.State.Final() || v.GPUs != 2 || v.GPUKind != "a100" {
		t.Errorf("%+v: %+v", v, now)
	}
	h.Node = "new"
	if v = f.do(trade.Command{Enlist: &h}).Node; v.GPUs != 0 {
		t.Errorf("one that never was there: %+v", v)
	}
}

// Who is refused because others hold the GPUs is told when they come free, if all who hold
// them have a deadline; and then they are his.
func TestWhenGPUsComeFree(t *testing.T) {
	f := openWithGPUs(t, "libra")
	one := trade.Request{EstimateMS: 100_000, DeadlineMS: 1000_000, GPUs: 1}
	later := one
	later.DeadlineMS = 2000_000
	first, second := f.submit(alice, one).Job, f.submit(alice, later).Job
	said := func(gpus int) string {
		r := one
		r.GPUs = gpus
		o := f.submit(bob, r)
		if o.Refusal == nil {
			t.Fatalf("%d GPUs: %+v", gpus, o.Job)
		}
		return o.Refusal.Detail
	}
	f.wait(100)
	for gpus, want := range map[int]string{1: "free again in 15m at the latest", 2: "free again in 31m40s at the latest"} {
		if got := said(gpus); !strings.Contains(got, want) {
			t.Errorf("%d GPUs: %s, want %s", gpus, got, want)
		}
	}
	f.withheld("gpu", 1)
	if got := said(2); !strings.Contains(got, "free again when those end") {
		t.Errorf("somebody else has one: %s", got)
	}
	f.withheld("gpu", 0)
	f.end(task.Key{Job: second.ID}, 100, 0)
	f.end(task.Key{Job: first.ID}, 100, 0)
	if o := f.submit(bob, one); o.Refusal != nil {
		t.Errorf("%+v", o.Refusal)
	}
}
