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
