package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// change changes the Slurm of a theater.
func (th *theater) change(f func(*model.Slurm)) {
	th.slurm.Mu.Lock()
	defer th.slurm.Mu.Unlock()
	f(th.slurm)
}

// nodesOf is where a job was put last, and how often it was begun anew.
func (th *theater) nodesOf(id int64) (nodes []string, attempt int) {
	th.market.mu.Lock()
	defer th.market.mu.Unlock()
	return th.market.jobs[id].Nodes, th.market.jobs[id].Attempt
}

// A node that drains is not sold, and runs on what it has; what waits for it goes
// elsewhere; and resumed it is sold again.
func TestANodeThatDrainsIsNotSold(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
		const many = 12
		for id := range int64(many) {
			th.market.submit(1+id, 1, model.Program{Takes: 40 * time.Second, Exit: 3}, false)
		}
		time.Sleep(5 * time.Second)
		on := map[string]int{}
		for id := range int64(many) {
			nodes, _ := th.nodesOf(1 + id)
			on[nodes[0]]++
		}
		if on["n1"] == 0 || on["n2"] == 0 {
			t.Fatalf("they are on %v", on)
		}
		th.change(func(f *model.Slurm) { f.Drains["n1"] = true })
		time.Sleep(4 * time.Second)
		for id := range int64(many) {
			th.market.submit(100+id, 1, model.Program{Takes: time.Second, Exit: 3}, false)
		}
		time.Sleep(20 * time.Second)
		for id := range int64(many) {
			nodes, attempt := th.nodesOf(100 + id)
			if s := th.market.ending(100 + id); nodes[0] != "n2" || attempt != 0 || s.Exit != 3 {
				t.Errorf("job %d was put on %v while n1 drained, attempt %d: %+v", 100+id, nodes, attempt, s)
			}
		}
		time.Sleep(time.Minute)
		for id := range int64(many) {
			if s := th.market.ending(1 + id); s.State != task.Ended || s.Exit != 3 || s.Attempt != 0 {
				t.Errorf("job %d ran before the drain and ended as %+v", 1+id, s)
			}
		}
		th.change(func(f *model.Slurm) { f.Drains["n1"] = false })
		time.Sleep(15 * time.Second)
		again := map[string]int{}
		for id := range int64(many) {
			th.market.submit(200+id, 1, model.Program{Takes: time.Second, Exit: 3}, false)
			nodes, _ := th.nodesOf(200 + id)
			again[nodes[0]]++
		}
		if again["n1"] == 0 {
			t.Errorf("resumed, and none of %d jobs is there: %v", many, again)
		}
		time.Sleep(time.Minute)
	})
}

// What Slurm has not begun when its node begins to drain, or is reserved for later, which
// a node does not say, is moved; it owes nothing for that.
func TestWhatWaitsForAClosedNodeIsMoved(t *testing.T) {
	for name, shut := range map[string]func(*model.Slurm){
		"it drains":   func(f *model.Slurm) { f.Drains["n1"] = true },
		"it is taken": func(f *model.Slurm) { f.Booked["n1"] = true },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
				th.change(shut) // and nobody has heard of it yet
				const many = 8
				for id := range int64(many) {
					th.market.submit(1+id, 1, model.Program{Takes: time.Second, Exit: 3}, false)
				}
				time.Sleep(40 * time.Second)
				moved := 0
				for id := range int64(many) {
					s := th.market.ending(1 + id)
					if s.State != task.Ended || s.Exit != 3 || s.Attempt > 1 {
						t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
					}
					moved += s.Attempt
				}
				if moved == 0 {
					t.Error("none was put on the closed node: nothing was tested")
				}
				th.change(func(f *model.Slurm) { clear(f.Drains); clear(f.Booked) })
				time.Sleep(2 * time.Minute)
			})
		})
	}
}

// A job that Slurm keeps waiting for a limit of its user is refused with that reason.
func TestALimitOfItsUser(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
		th.change(func(f *model.Slurm) { f.Limit = "AssocGrpCpuLimit" })
		th.market.submit(1, 1, model.Program{Takes: time.Second}, false)
		time.Sleep(20 * time.Second)
		if s := th.market.ending(1); s.State != task.Refused || !s.NeverBegan() || s.Error != "Slurm keeps it waiting for a limit of its user or account: AssocGrpCpuLimit" {
			t.Errorf("it ended as %+v", s)
		}
		time.Sleep(time.Minute)
	})
}

// Reasons that Slurm gives for a job that waits.
func TestWhyAJobWaits(t *testing.T) {
	const limited, unavailable, barred, odd = "limited", "unavailable", "barred", "odd"
	is := func(j client.Job) string {
		switch {
		case j.Limited():
			return limited
		case j.Unavailable():
			return unavailable
		case j.Barred():
			return barred
		case j.Odd():
			return odd
		}
		return ""
	}
	for reason, want := range map[string]string{
		"": "", "Resources": "", "Priority": "", "None": "", "BeginTime": "", "Prolog": "", "Cleaning": "", "SchedDefer": "", "Licenses": "", "JobArrayTaskLimit": "", "BadConstraints": "",
		"AssocMaxJobsLimit": limited, "QOSMaxWallDurationPerJobLimit": limited, "QOSGrpCpuLimit": limited, "MaxMemPerLimit": limited,
		"Job's account not permitted to use this partition (libra allows physics not guests)": limited, "Job's QOS not permitted to use this partition (libra denies long including long)": limited,
		"PartitionTimeLimit": limited, "ReqNodeNotAvail, Reserved for maintenance": unavailable, "ReqNodeNotAvail": unavailable, "NodeDown": unavailable,
		"PartitionDown": barred, "PartitionInactive": barred, "FrontEndDown": odd, "Dependency": odd, "some sentence of a newer Slurm": odd,
	} {
		j := client.Job{State: client.Pending, Reason: reason}
		if got := is(j); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
		j.State = client.Running
		if got := is(j); got != "" {
			t.Errorf("%s, and it runs: %q", reason, got)
		}
		if j.State, j.Held = client.Pending, true; j.Odd() {
			t.Errorf("%s: one that is held waits for us", reason)
		}
	}
}
