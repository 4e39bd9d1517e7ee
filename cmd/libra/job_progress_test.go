package main

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A job that took more than was agreed is not 10s of 9s done; and of an array the whole
// is what all its elements take, on a terminal as on a page.
func TestProgressIsOfTheWhole(t *testing.T) {
	if got := progress(10_000, 9_000); got != "9s of 9s and 1s beyond" {
		t.Error(got)
	}
	if got := progress(4_000, 9_000); got != "4s of 9s" {
		t.Error(got)
	}
	j := v1.Job{State: v1.Running, Width: 2, Work: 3_000, Request: v1.Request{EstimateMS: 2_000, Array: &v1.Array{First: 1, Last: 6, Step: 1}}}
	if j.AskedMS() != 6_000 || j.Done() != 0.5 {
		t.Errorf("%d ms, of which %v is done", j.AskedMS(), j.Done())
	}
	if got := peak(&v1.TaskStatus{PeakBytes: 1<<20 + 1}); got != "2 MB" {
		t.Errorf("more than a megabyte is %s", got)
	}
}
