package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/wire"
)

// Runs are alike if they are of the same program, whatever their names. A name counts
// where it is not known what ran.
func TestEstimatesAreFromTheSameProgram(t *testing.T) {
	var jobs []v1.Job // the newest first
	add := func(n int, name, program string, work int64) {
		for range n {
			jobs = append(jobs, v1.Job{ID: int64(2000 - len(jobs)), Name: name, Program: program, Width: 1, Work: work})
		}
	}
	add(3, "monday", "fold", 10_000)
	add(3, "tuesday", "fold", 20_000)
	add(3, "fold", "bake", 900_000)
	add(3, "fold", "", 30_000)
	add(3, "pasted", "", 40_000)
	h := wire.Habit{User: "alice", List: func(q v1.JobQuery) ([]v1.Job, error) {
		var found []v1.Job
		for i := range jobs {
			if strings.Contains(jobs[i].Name, q.Name) && (q.Before == 0 || jobs[i].ID < q.Before) && len(found) < q.Limit {
				found = append(found, jobs[i])
			}
		}
		if q.Owner != "alice" || len(q.States) != 1 || q.States[0] != v1.Completed {
			t.Errorf("it asks for %+v", q)
		}
		return found, nil
	}}
	guess := func(r v1.Request) string {
		t.Helper()
		g, of, err := h.Guess(&r)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d of %s up to %d", g.Runs, of, g.Longest)
	}
	if got := guess(v1.Request{Name: "wednesday", Argv: []string{"./fold", "x"}}); got != "9 of fold up to 30000" {
		t.Errorf("by its program: %s", got)
	}
	if got := guess(v1.Request{Name: "fold", Argv: []string{"./bake"}}); got != "6 of bake up to 900000" {
		t.Errorf("another program by that name: %s", got)
	}
	if got := guess(v1.Request{Name: "pasted", Script: "#!/bin/sh\n"}); got != "3 of pasted up to 40000" {
		t.Errorf("a script in no file: %s", got)
	}
	if got := guess(v1.Request{Argv: []string{"./new"}}); got != "0 of new up to 0" {
		t.Errorf("what has never run: %s", got)
	}
	if got := guess(v1.Request{}); got != "0 of  up to 0" {
		t.Errorf("nothing: %s", got)
	}
	if g, err := h.GuessOf("monday", 1); err != nil || g.Runs != 3 || g.Longest != 10_000 {
		t.Errorf("jobs of a name: %+v, %v", g, err)
	}
	// Runs from before many others are found by their names.
	older := jobs
	jobs = nil
	add(600, "other", "other", 1000)
	for i := range older {
		older[i].ID -= 1000
	}
	jobs = append(jobs, older...)
	if g, err := h.GuessOf("fold", 1); err != nil || g.Runs != 3 {
		t.Errorf("after many others: %+v, %v", g, err)
	}
}
