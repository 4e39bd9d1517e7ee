package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A full bar stands beside words that say why it is full.
func TestProgressOfAJobThatTookLittle(t *testing.T) {
	j := v1.Job{ID: 1, State: v1.Completed, StartedUS: 1, EndedUS: 2, Work: 34, Request: v1.Request{EstimateMS: 1000}}
	var out strings.Builder
	if err := printJob(&out, &j); err != nil || !strings.Contains(out.String(), "#### done: took 34ms of 1s\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
	j.State = v1.Failed
	out.Reset()
	if err := printJob(&out, &j); err != nil || !strings.Contains(out.String(), ".... 34ms of 1s\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if help := mustLibra(t, "jobs", "--help"); !strings.Contains(strings.Join(strings.Fields(help), " "), "whole when a job has completed") {
		t.Errorf("the help does not say what a full bar is:\n%s", help)
	}
}
