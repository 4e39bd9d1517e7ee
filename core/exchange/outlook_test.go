package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// What a job needs to be in time is never said to be nothing while it is something.
func TestNothingNeedsZero(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	for _, c := range []struct {
		estimate, deadline int64
		want               string
	}{
		{1_000, 10_000_000, "it needs less than 0.1 % to be in time"},
		{5_000, 10_000_000, "it needs 0.1 % to be in time"},
		{100_000, 1_000_000, "it needs 10.0 % to be in time"},
	} {
		id := f.submit(alice, trade.Request{EstimateMS: c.estimate, DeadlineMS: c.deadline}).Job.ID
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: id}, State: task.Running, StartedUS: f.now}}}})
		if e, _ := f.x.Explain(id); !strings.HasSuffix(e.Summary, c.want) {
			t.Errorf("%d ms within %d: %s, want %s", c.estimate, c.deadline, e.Summary, c.want)
		}
	}
}
