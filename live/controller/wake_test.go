package controller_test

import (
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Whatever changes in how a task is to be ended ends the wait of its agent: there is
// one answer for each, none of them by the time that a wait takes.
func TestEveryChangeOfAnEndWakesTheAgent(t *testing.T) {
	f := open(t, nil)
	id := f.submit("", trade.Request{EstimateMS: 3_600_000, DeadlineMS: 7_200_000, GraceMS: 600_000}).Job.ID
	f.taskOf("n1", id)
	root := trade.Identity{User: "root", Role: trade.RoleOwner}
	d, err := f.Desired(t.Context(), "n1", -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []task.Stop{task.Terminate, task.Kill} {
		if _, _, err := f.Do(t.Context(), trade.Command{By: root, Cancel: &trade.Cancel{Job: id}}, trade.Key{}); err != nil {
			t.Fatal(err)
		}
		answers := 0
		for stop := task.GoOn; stop != want; answers++ {
			before := d.Version
			if d, err = f.Desired(t.Context(), "n1", before, time.Hour); err != nil {
				t.Fatal(err)
			}
			if d.Version == before || len(d.Orders) != 1 {
				t.Fatalf("waiting for %s: version %d after %d, %d orders", want, d.Version, before, len(d.Orders))
			}
			stop = d.Orders[0].Stop
		}
		if answers > 3 { // shares may change besides
			t.Errorf("%s took %d answers", want, answers)
		}
	}
}
