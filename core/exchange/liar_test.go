package exchange_test

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// joins lets a node say of itself what it likes.
func (f *floor) joins(h task.Hello) {
	f.Helper()
	f.do(trade.Command{By: trade.Identity{User: h.Node, Role: trade.RoleNode}, Enlist: &h})
}

// What a node says of itself changes neither price, nor limit, nor time of a job that it
// does not have: neither one that is too small for it, nor one that is only slow.
func TestAHelloRepricesNobody(t *testing.T) {
	for _, memory := range []int64{1, 1 << 20} {
		for name, r := range map[string]trade.Request{
			"asked": {EstimateMS: 60_000, MemoryMB: 1 << 10}, "unasked": {EstimateMS: 60_000},
			"budget": {EstimateMS: 60_000, MemoryMB: 1 << 10, Budget: budget(80)}, "due": {EstimateMS: 60_000, DeadlineMS: 100_000},
		} {
			terms := func(liar bool) string {
				f := openStoring(t, "libra", nil)
				if liar {
					f.joins(task.Hello{Node: "liar", Processors: 1, Rating: 0.001, Speed: 0.001, MemoryMB: memory, DiskMB: 1 << 20, Boot: "b"})
				}
				p, err := f.x.Preview(bob, r)
				if err != nil || p.Quote == nil {
					t.Fatalf("%s, liar %v: %+v, %v", name, liar, p.Refusal, err)
				}
				o := f.submit(alice, r)
				if o.Refusal != nil {
					t.Fatalf("%s, liar %v: %+v", name, liar, o.Refusal)
				}
				j := f.job(o.Job.ID)
				if j.Places[0].Node != "n1" {
					t.Fatalf("it went to %+v", j.Places)
				}
				if p.Quote.Price != j.Price || *p.Quote.Storage != *j.Storage {
					t.Errorf("%s, liar %v: quoted %d, %+v; taken for %d, %+v", name, liar, p.Quote.Price, p.Quote.Storage, j.Price, j.Storage)
				}
				return fmt.Sprint(j.Price, j.Held, j.Request.MemoryMB, *j.Storage)
			}
			if honest, lied := terms(false), terms(true); honest != lied {
				t.Errorf("%s, %d MB: a hello made of\n%s\n%s", name, memory, honest, lied)
			}
		}
	}
}

// A job that waits for its place is priced by the nodes that could have it.
func TestAHelloRepricesNobodyWhoWaits(t *testing.T) {
	price := func(liar bool) int64 {
		f := openStoring(t, "fcfs-bf", nil)
		f.submit(bob, trade.Request{EstimateMS: 100_000, Processors: 2})
		if liar {
			f.joins(task.Hello{Node: "liar", Processors: 1, Rating: 0.001, Speed: 0.001, MemoryMB: 1, DiskMB: 1 << 20, Boot: "b"})
		}
		o := f.submit(alice, trade.Request{EstimateMS: 60_000, MemoryMB: 1 << 10})
		if o.Job == nil || o.Job.State != trade.Queued {
			t.Fatalf("%+v, %+v", o.Refusal, o.Job)
		}
		return o.Job.Price
	}
	if honest, lied := price(false), price(true); honest != lied {
		t.Errorf("%d, after a hello %d", honest, lied)
	}
}

// Who could take a lost job in time is asked of nodes that could take it.
func TestAHelloTakesNoPenaltyAway(t *testing.T) {
	for memory, paid := range map[int64]bool{1: true, 1 << 20: false} {
		f := openLive(t, "libra", 1, nil)
		r := trade.Request{EstimateMS: 4_000, DeadlineMS: 5_000, PenaltyMicros: 1000, NoRestart: true, MemoryMB: 500}
		o := f.submit(alice, r)
		if o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		f.joins(task.Hello{Node: "liar", Processors: 1, Rating: 1000, Speed: 1000, MemoryMB: memory, DiskMB: 1 << 20, Boot: "b"})
		f.used(task.Key{Job: o.Job.ID}, 0.5)
		f.wait(2.5)
		f.hello("n1", 1, "again")
		j := f.job(o.Job.ID)
		if j.State != trade.Lost || j.Charged != 0 || (j.Penalty > 0) != paid {
			t.Errorf("%d MB: %s, charged %d, paid %d", memory, j.State, j.Charged, j.Penalty)
		}
	}
}

// A node that says, alive, that it has lost a job does not get it again while another can
// take it, under any policy; where none can, it does.
func TestWhoLosesAJobDoesNotGetItAgain(t *testing.T) {
	for _, kind := range policy.Kinds() {
		for _, others := range []int{1, 0} {
			f := openLive(t, kind.Name, 4, nil)
			if others > 0 {
				f.enlist("n2", 4)
			}
			o := f.submit(alice, trade.Request{EstimateMS: 2_000, DeadlineMS: 30_000, Budget: budget(100)})
			if o.Refusal != nil {
				t.Fatalf("%s: %+v", kind.Name, o.Refusal)
			}
			f.wait(1)
			j := f.job(o.Job.ID)
			if len(j.Places) != 1 {
				t.Fatalf("%s: on %+v", kind.Name, j.Places)
			}
			liar := j.Places[0].Node
			f.do(trade.Command{By: trade.Identity{User: liar, Role: trade.RoleNode}, Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: j.ID}, State: task.Lost}}}})
			f.wait(1)
			j = f.job(j.ID)
			if j.Attempt != 1 || len(j.Places) != 1 || (j.Places[0].Node != liar) != (others > 0) {
				t.Errorf("%s, %d others: lost on %s; attempt %d on %+v, %s", kind.Name, others, liar, j.Attempt, j.Places, j.State)
			}
			f.recover()
		}
	}
}
