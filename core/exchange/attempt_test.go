package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A market that was put back to what it was gives the numbers of attempts out again that
// nodes have begun in what is lost, and are told to end. What a node says of such a one
// is not of the attempt that the market began since: a job was failed and charged that
// its user had never stopped, or billed for less than it used. The world of seed 601746
// found the second.
func TestAnAttemptOfWhatWasLostIsAnother(t *testing.T) {
	const early, late = 3, 5 // when the job is put on processors in what is lost, and after it
	for name, begin := range map[string]func(f *floor, after float64) int64{
		"one that waited": func(f *floor, after float64) int64 {
			before := f.submit(alice, trade.Request{EstimateMS: 60_000}).Job.ID
			id := f.submit(alice, trade.Request{EstimateMS: 10_000}).Job.ID
			f.wait(after)
			f.end(task.Key{Job: before}, after, 0)
			return id
		},
		"one that begins again": func(f *floor, after float64) int64 {
			id := f.submit(alice, trade.Request{EstimateMS: 10_000}).Job.ID
			f.wait(after)
			f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "silent"}})
			f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Up: true}})
			return id
		},
	} {
		t.Run(name, func(t *testing.T) {
			born := func(after float64) (*floor, task.Spec) {
				f := openLive(t, "fcfs-bf", 1, nil)
				id := begin(f, after)
				f.wait(1)
				f.recover()
				orders := f.x.Orders("n1")
				if len(orders) != 1 || orders[0].Spec.Job != id {
					t.Fatalf("%+v", orders)
				}
				return f, orders[0].Spec
			}
			_, lost := born(early)
			f, since := born(late)
			if lost.Key != since.Key || !task.Other(lost.BornUS, since.BornUS) {
				t.Fatalf("%v of %d and %v of %d", lost.Key, lost.BornUS, since.Key, since.BornUS)
			}
			node := trade.Identity{User: "n1", Role: trade.RoleNode}
			said := []task.Status{{Key: lost.Key, BornUS: lost.BornUS, State: task.Ended, Signal: "SIGTERM", CPUUS: 1_000_000}}
			f.do(trade.Command{By: node, Report: &trade.Measured{Tasks: said}})
			if fresh, j := f.x.News("n1", said), f.job(since.Job); len(fresh) != 0 || j.State != trade.Running {
				t.Errorf("of what is lost: %s, %+v", j.State, fresh)
			}
			said[0].BornUS, said[0].Signal = since.BornUS, ""
			f.do(trade.Command{By: node, Report: &trade.Measured{Tasks: f.x.News("n1", said)}})
			if j := f.job(since.Job); j.State != trade.Completed {
				t.Errorf("of what is: %s", j.State)
			}
		})
	}
}
