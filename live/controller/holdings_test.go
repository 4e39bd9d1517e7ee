package controller

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// A loop of jobs whose program does not exist keeps room from others and owes nothing:
// after some of them its user has to wait. Others have not, nor those whose jobs run.
func TestWhoseJobsNeverBeginHasToWait(t *testing.T) {
	c := inMotion(t, fair.Limits{Queue: 50, NeverBegun: 3})
	root := trade.Identity{User: "root", Role: trade.RoleOwner}
	if _, _, err := c.Do(t.Context(), trade.Command{By: root, Epoch: &trade.Epoch{Policy: "libra", Settings: epoch.Complete("libra", nil, epoch.LiveSettings())}}, trade.Key{}); err != nil {
		t.Fatal(err)
	}
	try := func(user string, says task.Status) error {
		out, _, err := c.Do(t.Context(), submission(user, "x"), trade.Key{})
		if err != nil {
			return err
		}
		says.Key = task.Key{Job: out.Job.ID}
		if _, err := c.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{says}}); err != nil {
			t.Fatal(err)
		}
		return nil
	}
	missing, fine := task.Status{State: task.Refused, Error: "no such program"}, task.Status{State: task.Ended, StartedUS: 1, CPUUS: 1000}
	for range 3 {
		if err := try("flood", missing); err != nil {
			t.Fatal(err)
		}
		if err := try("ann", fine); err != nil {
			t.Fatal(err)
		}
	}
	over := (*fair.Over)(nil)
	if err := try("flood", missing); !errors.As(err, &over) || over.Limit != "never_begun" || !strings.Contains(over.Detail, "never began") {
		t.Errorf("the fourth that would not begin: %v", err)
	}
	for _, user := range []string{"ann", "bob"} {
		if err := try(user, fine); err != nil {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// What never began counts for an hour.
func TestWhatNeverBeganIsForgotten(t *testing.T) {
	h := newHoldings(&fair.Limits{NeverBegun: 2})
	minute := int64(time.Minute / time.Microsecond)
	missing := []task.Status{{State: task.Refused, Error: "no such program: x"}}
	for i, at := range []int64{0, 20 * minute, 40 * minute} {
		h.note(&trade.Job{ID: int64(i), Owner: "eve", State: trade.Running, StartedUS: 1})
		h.note(&trade.Job{ID: int64(i), Owner: "eve", State: trade.Failed, EndedUS: at, Tasks: missing})
	}
	for id, j := range map[int64]trade.Job{
		10: {State: trade.Failed, StartedUS: 1},                                                                                              // it began
		11: {State: trade.Lost},                                                                                                              // the market's fault
		12: {State: trade.Cancelled, Reason: trade.ReasonVoided},                                                                             // the owner's doing
		14: {State: trade.Failed, Tasks: []task.Status{{State: task.Refused, Error: "mkdir /sys/fs/cgroup/libra: no space left on device"}}}, // its node is broken
		15: {State: trade.Failed, Tasks: []task.Status{{State: task.Refused, Error: "Slurm could not start it: NODE_FAIL"}}},
	} {
		h.note(&trade.Job{ID: id, Owner: "eve", State: trade.Running, StartedUS: 1})
		j.ID, j.Owner = id, "eve"
		h.note(&j)
	}
	h.note(&trade.Job{ID: 13, Owner: "eve", State: trade.Queued}) // it never had processors
	h.note(&trade.Job{ID: 13, Owner: "eve", State: trade.Cancelled})
	cmd := submission("eve", "x")
	if over := (*fair.Over)(nil); !errors.As(h.allow(&cmd, 50*minute), &over) || over.After != 30*time.Minute {
		t.Errorf("after 50 minutes: %v", over)
	}
	if err := h.allow(&cmd, 80*minute); err != nil {
		t.Errorf("after 80 minutes: %v", err)
	}
}
