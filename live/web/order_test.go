package web

import (
	"net/url"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// What a job does not have comes last, whichever way the table is sorted, and what is
// alike stays the newest first.
func TestRowsInOrder(t *testing.T) {
	rows := func() []*rowView {
		return []*rowView{
			{Job: v1.Job{ID: 4, State: v1.Completed, StartedUS: 1, Charged: 20, DueUS: 7}},
			{Job: v1.Job{ID: 3, State: v1.Running, StartedUS: 1, CostNow: 30, Share: 0.5}},
			{Job: v1.Job{ID: 2, State: v1.Queued, DueUS: 5}},
			{Job: v1.Job{ID: 1, State: v1.Completed, StartedUS: 1, Charged: 20, Penalty: 3}},
		}
	}
	for by, want := range map[string][4]int64{
		"-cost": {3, 4, 1, 2}, "cost": {4, 1, 3, 2}, "deadline": {2, 4, 3, 1}, "-deadline": {4, 2, 3, 1},
		"job": {1, 2, 3, 4}, "state": {4, 1, 2, 3}, "-share": {3, 4, 2, 1}, "penalty": {1, 4, 3, 2}, "-progress": {4, 1, 3, 2},
	} {
		o, known := orderOf(by)
		if !known {
			t.Errorf("nothing can be sorted by %s", by)
			continue
		}
		list := rows()
		o.sort(list)
		for i, id := range want {
			if list[i].ID != id {
				t.Errorf("by %s job %d is in place %d, want %d", by, list[i].ID, i, id)
			}
		}
	}
	if _, known := orderOf("height"); known {
		t.Error("jobs are sorted by their height")
	}
}

func TestWhatBecameOfThoseCancelled(t *testing.T) {
	for address, want := range map[string]string{
		"":                             "",
		"cancelled=1":                  "1 job is being cancelled.",
		"cancelled=3&ended=2":          "3 jobs are being cancelled. 2 jobs had ended before.",
		"cancelled=0&ended=1":          "0 jobs are being cancelled. 1 job had ended before.",
		"cancelled=<b>&ended=-4":       "0 jobs are being cancelled.",
		"cancelled=1&left=5&name=fold": "1 job is being cancelled. 5 jobs are left as before: that was too much at a time. Try again in a moment.",
	} {
		q, err := url.ParseQuery(address)
		if got := saidOf(q); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", address, got, err, want)
		}
	}
	if got := tableQuery("name=a%26b&sort=-cost&next=//elsewhere&cancelled=3"); got != "name=a%26b&sort=-cost" {
		t.Errorf("back to %s", got)
	}
}
