package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// ordersOf are what the nodes of a floor are told of a job: the attempt, and whether it
// is to end.
func ordersOf(f *floor, id int64) (begin, end []task.Key) {
	for _, node := range f.x.NodesUp() {
		for _, o := range f.x.Orders(node) {
			switch {
			case o.Spec.Job != id:
			case o.Stop == task.GoOn:
				begin = append(begin, o.Spec.Key)
			default:
				end = append(end, o.Spec.Key)
			}
		}
	}
	return begin, end
}

// A job of two tasks that loses the node of one begins anew, and not before the other
// was seen to have ended.
func TestAnAttemptBeginsWhenTheOneBeforeHasEnded(t *testing.T) {
	for _, way := range []string{"said", "silence", "read back", "again"} {
		t.Run(way, func(t *testing.T) {
			f := openLive(t, "libra", 1, nil)
			f.enlist("n2", 1)
			f.enlist("n3", 1)
			f.enlist("n4", 1)
			id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 600_000, Processors: 2}).Job.ID
			f.wait(2)
			places := f.job(id).Places
			gone, stays := places[0].Node, places[1].Node
			f.do(trade.Command{Node: &trade.NodeChange{Node: gone, Why: "silent"}})
			if way == "read back" {
				f.recover()
			}
			old := task.Key{Job: id, Rank: 1}
			begin, end := ordersOf(f, id)
			if f.job(id).Attempt != 1 || len(begin) != 0 || len(end) != 1 || end[0] != old {
				t.Fatalf("attempt %d: %v begin while %v are to end", f.job(id).Attempt, begin, end)
			}
			if born := f.x.Orders(stays)[0].Spec.BornUS; born != f.job(id).SubmittedUS {
				t.Errorf("what is to end was put on processors at %d, by its order at %d", f.job(id).SubmittedUS, born)
			}
			said := []task.Status{{Key: old, State: task.Ended, Signal: "SIGTERM", CPUUS: 2_000_000}}
			by := trade.Identity{User: stays, Role: trade.RoleNode}
			if keys := f.x.Forget(stays, said); len(keys) != 0 {
				t.Errorf("%v need not be said, though it is not written down", keys)
			}
			other := trade.Identity{User: "n9", Role: trade.RoleNode}
			f.do(trade.Command{By: other, Report: &trade.Measured{Tasks: said}})
			if _, end = ordersOf(f, id); len(end) != 1 || len(f.x.News("n9", said)) != 0 {
				t.Error("another node may speak of it")
			}
			switch way {
			case "silence": // its lease has run out
				f.do(trade.Command{Node: &trade.NodeChange{Node: stays, Why: "silent"}})
			case "again": // the next attempt loses a node before it has begun
				f.do(trade.Command{Node: &trade.NodeChange{Node: gone, Up: true}})
				for _, p := range f.job(id).Places {
					if p.Node != stays {
						f.do(trade.Command{Node: &trade.NodeChange{Node: p.Node, Why: "silent"}})
						break
					}
				}
				if begin, end = ordersOf(f, id); len(begin) != 0 || len(end) != 1 || end[0] != old {
					t.Fatalf("attempt %d: %v begin while %v are to end", f.job(id).Attempt, begin, end)
				}
				fallthrough
			default:
				if fresh := f.x.News(stays, said); len(fresh) != 1 {
					t.Fatalf("that it has ended is no news: %v", fresh)
				}
				f.do(trade.Command{By: by, Report: &trade.Measured{Tasks: said}})
				if keys := f.x.Forget(stays, said); len(keys) != 1 {
					t.Error("its end is to be said for ever")
				}
			}
			if begin, end = ordersOf(f, id); len(begin) != 2 || len(end) != 0 || begin[0].Attempt != f.job(id).Attempt {
				t.Errorf("attempt %d: %v begin, %v end", f.job(id).Attempt, begin, end)
			}
		})
	}
}

// A node that comes back in another shape still runs what it ran.
func TestAJobLeavesANodeThatChangesItsShape(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	f.enlist("n2", 1)
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 600_000}).Job.ID
	f.wait(2)
	home := f.job(id).Places[0].Node
	f.enlist(home, 2)
	begin, end := ordersOf(f, id)
	if len(begin) != 0 || len(end) != 1 {
		t.Fatalf("%v begin while %v are to end", begin, end)
	}
	f.do(trade.Command{By: trade.Identity{User: home, Role: trade.RoleNode}, Report: &trade.Measured{Tasks: []task.Status{{Key: end[0], State: task.Ended}}}})
	if begin, end = ordersOf(f, id); len(begin) != 1 || len(end) != 0 {
		t.Errorf("%v begin, %v end", begin, end)
	}
}
