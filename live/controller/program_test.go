package controller_test

import (
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// A list of jobs says of each what it runs, though its script is left out: while it runs,
// after a restart, and when it has ended.
func TestJobsSayWhatTheyRun(t *testing.T) {
	f := open(t, nil)
	o, _ := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: trade.Request{
		Name: "mine", Script: "#!/bin/sh\n", Argv: []string{"input.dat"}, Env: []string{"LIBRA_SCRIPT=/home/alice/fold.sh"}, Dir: "/", EstimateMS: 10_000, DeadlineMS: 20_000,
	}}}, "")
	look := func(when string) {
		t.Helper()
		list, err := f.Jobs(t.Context(), v1.JobQuery{Owner: "alice", Limit: 5})
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", when, list, err)
		}
		one := f.job(o.Job.ID)
		if list[0].Program != "fold.sh" || one.Program != "fold.sh" || list[0].Request.Script != "" {
			t.Errorf("%s: it runs %q in the list and %q by itself, with the script %q", when, list[0].Program, one.Program, list[0].Request.Script)
		}
	}
	look("at first")
	f.restart()
	look("after a restart")
	key := f.orders("n1", 1)[0].Spec.Key
	f.ended("n1", key, time.Second)
	f.orders("n1", 0)
	look("when it has ended")
	f.restart()
	look("when it has ended, after a restart")
}
