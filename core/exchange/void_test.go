package exchange_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A job in each state that is under way: what brings it there.
var underWay = map[trade.State]func(f *floor) int64{
	trade.Held: func(f *floor) int64 {
		first := f.submit(alice, trade.Request{EstimateMS: 5_000, Budget: budget(10)}).Job
		return f.submit(alice, trade.Request{EstimateMS: 5_000, Budget: budget(10), After: []int64{first.ID}}).Job.ID
	},
	trade.Queued: func(f *floor) int64 {
		f.submit(bob, trade.Request{EstimateMS: 900_000, Processors: 2, Budget: budget(5_00)})
		return f.submit(alice, trade.Request{EstimateMS: 5_000, Processors: 2, Budget: budget(10)}).Job.ID
	},
	trade.Running: func(f *floor) int64 {
		id := f.submit(alice, trade.Request{EstimateMS: 50_000, Budget: budget(100)}).Job.ID
		f.wait(10)
		f.used(task.Key{Job: id}, 10)
		return id
	},
	trade.Stopping: func(f *floor) int64 {
		id := f.submit(alice, trade.Request{EstimateMS: 50_000, Budget: budget(100)}).Job.ID
		f.wait(10)
		f.used(task.Key{Job: id}, 10)
		f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}})
		return id
	},
}

// TestVoid ends jobs of every state, before and after a recovery: nothing is owed,
// nothing is held, no node has an order for them, and the receipt says who did it.
func TestVoid(t *testing.T) {
	for state, bring := range underWay {
		for _, recovered := range []bool{false, true} {
			t.Run(fmt.Sprint(state, recovered), func(t *testing.T) {
				f := open(t, "fcfs-bf", 2)
				id := bring(f)
				if got := f.job(id).State; got != state {
					t.Fatalf("it is %s", got)
				}
				if recovered {
					f.recover()
				}
				held := f.job(id).Held
				account, _ := f.x.Account("lab/alice")
				void := trade.Command{By: owner, Void: &trade.Void{Job: id, Reason: "a mistake of ours"}}
				for _, by := range []trade.Identity{alice, bob, {User: "n1", Role: trade.RoleNode}} {
					no := void
					no.By = by
					if _, err := f.try(no); !errors.Is(err, trade.ErrForbidden) {
						t.Errorf("%s voids: %v", by.User, err)
					}
				}
				f.do(void)
				j := f.job(id)
				if j.State != trade.Cancelled || j.Reason != trade.ReasonVoided || j.Detail != "voided by root: a mistake of ours" {
					t.Errorf("%s, %s, %q", j.State, j.Reason, j.Detail)
				}
				if j.Charged != 0 || j.Penalty != 0 || j.Held != 0 || j.Receipt == nil || j.Receipt.Net != 0 {
					t.Errorf("it owes: %+v", j)
				}
				if r := j.Receipt; r == nil || len(r.Lines) != 1 || r.Lines[0].What != j.Detail || r.Lines[0].Amount != 0 {
					t.Errorf("the receipt: %+v", r)
				}
				after, _ := f.x.Account("lab/alice")
				if after.Free != account.Free+held || after.Held != account.Held-held {
					t.Errorf("%d of %d held go back: %+v, was %+v", after.Free-account.Free, held, after, account)
				}
				if slices.ContainsFunc(f.x.Orders("n1"), func(o task.Order) bool { return o.Spec.Job == id }) {
					t.Error("its node still has an order for it")
				}
				if _, err := f.try(void); !errors.Is(err, trade.ErrUnknown) {
					t.Errorf("voided twice: %v", err)
				}
				f.recover() // and what the facts say is what is
				if _, live := f.x.Job(id); live {
					t.Error("it is back")
				}
			})
		}
	}
}

// A firm job that is voided after its deadline is paid no penalty.
func TestAVoidedJobIsPaidNothing(t *testing.T) {
	f := open(t, "libra", 1)
	j := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 6_000, Soft: true, PenaltyMicros: 1_000_000}).Job
	f.wait(60)
	f.do(trade.Command{By: owner, Void: &trade.Void{Job: j.ID}})
	if v := f.job(j.ID); v.Penalty != 0 || v.Charged != 0 || f.free("lab/alice") != 1000*market.Unit || v.Detail != "voided by root" {
		t.Errorf("%+v", v)
	}
	for _, reason := range []string{strings.Repeat("x", trade.MaxReason+1), "a\x1b[31mb"} {
		j := f.submit(alice, trade.Request{EstimateMS: 5_000}).Job
		if _, err := f.try(trade.Command{By: owner, Void: &trade.Void{Job: j.ID, Reason: reason}}); err == nil {
			t.Errorf("%q is a reason", reason)
		}
	}
}

// A node that polls and never says that a job has ended does not keep its user from
// ending it: the second cancel after the grace and a patience does, and what was
// measured is owed.
func TestCancelDoesNotWaitForEver(t *testing.T) {
	f := open(t, "libra", 1)
	id := f.submit(alice, trade.Request{EstimateMS: 50_000, DeadlineMS: 100_000, Budget: budget(100)}).Job.ID
	f.wait(10)
	f.used(task.Key{Job: id}, 5)
	f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}})
	f.wait(20)
	f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}})
	if v := f.job(id); v.State != trade.Stopping {
		t.Fatalf("its node has had 20 s, and it is %s", v.State)
	}
	f.recover()
	f.wait(20)
	f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}})
	v := f.job(id)
	if v.State != trade.Cancelled || !strings.Contains(v.Detail, "did not say") || v.Held != 0 || v.Work < 5_000 {
		t.Errorf("%+v", v)
	}
	f.end(task.Key{Job: id}, 9, 0) // too late: nobody asks
	f.recover()
	if o := f.submit(bob, trade.Request{EstimateMS: 1_000, DeadlineMS: 1_100}); o.Refusal != nil {
		t.Errorf("its processor is not free: %+v", o.Refusal)
	}
}
