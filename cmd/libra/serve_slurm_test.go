package main

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// What a limit leaves of GPUs is for all programs of a job, each of which gets as many.
func TestFewerGPUsWithinALimit(t *testing.T) {
	for _, c := range []struct {
		processors, threads, gpus int
		most                      int64
		want                      int
	}{{1, 0, 4, 3, 3}, {2, 0, 2, 3, 1}, {4, 2, 2, 3, 1}, {4, 4, 4, 3, 3}, {4, 0, 1, 3, 0}} {
		r := trade.Request{Processors: c.processors, Threads: c.threads, GPUs: c.gpus}
		change, detail := withinLimit(&r, &limit.Excess{Field: "gpus", Most: c.most})
		if (change == "gpus") != (c.want > 0) || c.want > 0 && r.GPUs != c.want {
			t.Errorf("%+v: %d, %q, %q", c, r.GPUs, change, detail)
		}
	}
}

// Of an array a limit leaves fewer elements at a time; the request that was refused stays as it was.
func TestFewerElementsWithinALimit(t *testing.T) {
	for _, c := range []struct {
		threads, gpus int
		field         string
		most          int64
		want          int
	}{{0, 0, "processors", 3, 3}, {2, 0, "processors", 5, 2}, {4, 0, "processors", 3, 0}, {2, 2, "gpus", 5, 2}, {0, 2, "gpus", 1, 0}} {
		asked := trade.Array{First: 1, Last: 9, Step: 1}
		r := trade.Request{Threads: c.threads, GPUs: c.gpus, Array: &asked}
		change, detail := withinLimit(&r, &limit.Excess{Field: c.field, Most: c.most})
		if (change == "array") != (c.want > 0) || r.Array.Limit != c.want || r.GPUs != c.gpus || r.Processors != 0 || asked.Limit != 0 {
			t.Errorf("%+v: %+v, %q, %q", c, r, change, detail)
		}
	}
}
