package controller_test

import (
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A report in which nothing is news, which is what nodes say nearly always, costs the
// loop one look; so does one that tells of an end which is written down.
func TestAReportIsLookedAtOnce(t *testing.T) {
	f := open(t, nil)
	id := f.submit("", trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000}).Job.ID
	key := f.taskOf("n1", id)
	report := func(s task.Status) (looks float64, reply task.Reply) {
		t.Helper()
		s.Key = key
		before := have(f.Measure(t.Context()))(t)["queries_total"]
		reply = have(f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{s}}))(t)
		return have(f.Measure(t.Context()))(t)["queries_total"] - before - 1, reply
	}
	if looks, _ := report(task.Status{State: task.Running}); looks != 1 {
		t.Errorf("%v looks at a task that runs", looks)
	}
	f.ended("n1", key, time.Second)
	if looks, reply := report(task.Status{State: task.Ended}); looks != 1 || len(reply.Forget) != 1 {
		t.Errorf("%v looks at an end that is written down, forget %v", looks, reply.Forget)
	}
}
