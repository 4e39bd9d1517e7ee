package controller

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/fair"
)

// What a node says of tasks that it does not have is kept for nobody: the loop would go
// through all of it every second.
func TestWhatNobodyKnowsIsNotKept(t *testing.T) {
	c := inMotion(t, fair.Limits{})
	var r task.Report
	r.Node = "n1"
	for i := range 4000 {
		r.Tasks = append(r.Tasks, task.Status{Key: task.Key{Job: int64(1_000_000 + i)}, State: task.Running})
	}
	if _, err := c.Report(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	c.fleet.mu.Lock()
	defer c.fleet.mu.Unlock()
	if n := len(c.fleet.said); n > 0 {
		t.Errorf("%d are kept", n)
	}
}
