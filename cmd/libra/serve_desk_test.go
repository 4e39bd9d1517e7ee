package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// What a job is worth is in its comment, or in the #LIBRA lines of its script, which the
// comment beats; what it needs is what Slurm has understood.
func TestWhatAJobOfPlainSbatchAsksFor(t *testing.T) {
	var d slurmDesk
	g := client.Guest{ID: 7, Partition: "dear", Nodes: "1", Processors: 2, MemoryMB: 512, Limit: 10 * time.Minute, Dir: "/home/alice", Output: "/home/alice/out", Script: "#!/bin/sh\n#SBATCH --constraint=fast\n#LIBRA deadline=1h budget=5 partition=cheap\nwork\n"}
	r, takes, err := d.Ask("alice", g, "libra:budget=7;penalty=0.5")
	if err != nil || !takes || *r.Budget != 7e6 || r.PenaltyMicros != 500_000 || r.DeadlineMS != 3_600_000 || r.EstimateMS != 600_000 ||
		r.Processors != 2 || r.Threads != 2 || r.MemoryMB != 256 || r.Partition != "dear" || !r.NoRestart || r.Dir != g.Dir || len(r.Env) != 0 {
		t.Errorf("%+v %v %v", r, takes, err)
	}
	if r, takes, err = d.Ask("alice", g, ""); err != nil || !takes || *r.Budget != 5e6 {
		t.Errorf("%+v %v %v", r, takes, err)
	}
	if r, takes, err = d.Ask("alice", g, "for the paper"); err != nil || !takes || *r.Budget != 5e6 || !slices.Equal(r.Env, []string{task.Comment + "=for the paper"}) {
		t.Errorf("with a comment of its own: %+v %v %v", r, takes, err)
	}
	g.Script = "#!/bin/sh\nwork\n"
	for _, comment := range []string{"for the paper", "hold", "licenses", "budget", "libra:"} { // words of its user's
		if r, takes, err = d.Ask("alice", g, comment); err != nil || takes || r.Budget != nil || r.Hold || comment != "libra:" && !slices.Equal(r.Env, []string{task.Comment + "=" + comment}) {
			t.Errorf("%s: %+v %v %v", comment, r, takes, err)
		}
	}
	for _, terms := range []string{"budget=soon", "libra:budget=soon", "libra:budget", "libra:licenses", "libra:for the paper"} {
		if _, _, err = d.Ask("alice", g, terms); err == nil {
			t.Errorf("%s is understood", terms)
		}
	}
	// What Slurm knows of it and the market can promise, it has: of its environment nothing else.
	g.Options, g.Nodelist, g.Begin = []string{"--constraint=fast&ib", "--licenses=fluent:2", "--exclude=n[2-3]", "--gres=gpu:a100:2"}, "n1", time.Now().Add(time.Hour).Unix()
	r, takes, err = d.Ask("alice", g, "budget=7;deadline=10m")
	if err != nil || !takes || r.Constraint != "fast&ib" || !slices.Equal(r.Nodelist, []string{"n1"}) || !slices.Equal(r.Exclude, []string{"n2", "n3"}) || r.GPUs != 2 || r.GPUKind != "a100" ||
		!slices.Equal(r.Env, []string{task.Licenses + "=fluent:2"}) || r.BeginMS < 3_500_000 || r.BeginMS > 3_600_000 || r.DeadlineMS != 600_000 || r.Processors != 2 || r.Threads != 2 || r.Spread {
		t.Errorf("%+v %v %v", r, takes, err)
	}
	g.Begin = time.Now().Add(-time.Hour).Unix()
	if r, _, err = d.Ask("alice", g, ""); err != nil || r.BeginMS != 0 {
		t.Errorf("of a time that is over: %+v %v", r, err)
	}
	for _, option := range []string{"--constraint=[a|b]", "--gres=license:2"} {
		g.Options = []string{option}
		if _, _, err = d.Ask("alice", g, ""); err == nil {
			t.Errorf("%s is understood", option)
		}
	}
	g.Options = nil
	g.Limit = 0
	if _, _, err = d.Ask("alice", g, ""); err == nil {
		t.Error("nobody knows how long it runs")
	}
}

// One that waits for no time is told what for, and not that it begins in 1970.
func TestWhatAJobOfPlainSbatchWaitsFor(t *testing.T) {
	if said := takenLater(7, 0); !strings.Contains(said, "libra release 7") || strings.Contains(said, "19") {
		t.Error(said)
	}
	if said := takenLater(7, time.Date(2030, 1, 2, 3, 4, 5, 0, time.Local).UnixMicro()); !strings.Contains(said, "no sooner than 2030-01-02 03:04:05") {
		t.Error(said)
	}
}
