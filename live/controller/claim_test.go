package controller_test

import (
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A node may speak of its own tasks alone: what another says of them, running or
// ended, changes nothing.
func TestANodeSpeaksOfItsOwnTasks(t *testing.T) {
	f := open(t, nil)
	f.hello("n2", 4)
	id := f.submit("", trade.Request{EstimateMS: 3_600_000, DeadlineMS: 7_200_000}).Job.ID
	j := f.job(id)
	mine := j.Places[0].Node
	key := f.orders(mine, 1)[0].Spec.Key
	other := "n2"
	if mine == "n2" {
		other = "n1"
	}
	for _, s := range []task.Status{
		{Key: key, State: task.Ended, CPUUS: 1_000_000}, // first: an end takes back what was said before
		{Key: key, State: task.Running, CPUUS: 3_599_000_000},
	} {
		if _, err := f.Report(t.Context(), task.Report{Node: other, Tasks: []task.Status{s}}); err != nil {
			t.Fatal(err)
		}
	}
	// What the right node says is taken in a second later at most, and with it
	// whatever was said before.
	if _, err := f.Report(t.Context(), task.Report{Node: mine, Tasks: []task.Status{{Key: key, State: task.Running, CPUUS: 60_000_000}}}); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if j = f.job(id); j.Work >= 60_000 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if j.State != trade.Running || j.Work < 60_000 || j.Work > 600_000 {
		t.Errorf("%s after %d ms of work", j.State, j.Work)
	}
}
