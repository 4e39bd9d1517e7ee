package main

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A job that waits again after its node was lost runs as what stands in Slurm's queue for it: there
// its attempt is known to the script.
func TestTheTaskOfAJobThatWaits(t *testing.T) {
	spec, born := waitingSpec(&v1.Job{ID: 12, Owner: "ann", Name: "next", SubmittedUS: 5, Attempt: 2, Request: v1.Request{Processors: 8, Threads: 4, Output: "%x.%j.out", Error: "%x.%b.%r"}})
	if spec.Output != "next.12.out" || spec.Error != "next.%b.0" { // what Slurm is told when it begins
		t.Errorf("it writes to %q and %q", spec.Output, spec.Error)
	}
	if spec.Job != 12 || spec.Attempt != 2 || spec.User != "ann" || spec.Size != 2 || spec.Threads != 4 || born != 5 {
		t.Errorf("%+v, since %d", spec, born)
	}
	spec, _ = waitingSpec(&v1.Job{ID: 12, Owner: "ann", Request: v1.Request{Array: &v1.Array{First: 2, Last: 9, Step: 3}, Threads: 2}})
	if spec.Size != 1 || spec.Threads != 2 || spec.Len() != 3 || spec.Element(2) != 8 {
		t.Errorf("of an array: %+v", spec)
	}
	for state, want := range map[v1.State]bool{v1.Held: true, v1.Queued: true, v1.Running: false, v1.Cancelled: false} {
		if inLine(state) != want {
			t.Errorf("%s: %v", state, !want)
		}
	}
}
