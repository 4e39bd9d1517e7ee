package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// GPUs that an account may not have in Slurm are not promised: what it has left is
// offered, and counts as used when it is sold.
func TestSlurmLimitsOfGPUs(t *testing.T) {
	slurmtest.RequireAccounting(t)
	alice := slurmtest.User(t, slurmtest.Alice)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1, CPUs: 4, GPUs: []string{"4"}, Accounting: true, Enforce: "limits"})
	for _, args := range [][]string{
		{"add", "account", "physics", "cluster=" + slurmtest.ClusterName, "GrpTRES=gres/gpu=2"},
		{"add", "user", alice, "account=physics", "cluster=" + slurmtest.ClusterName, "MaxJobs=3"},
	} {
		if out, err := cluster.Run(t.Context(), "sacctmgr", append([]string{"--immediate"}, args...)...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	m := openSlurmMarket(t, cluster, "libra", "agents", alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	m.until(t, "the GPUs", func() bool { // the agent may speak before Slurm has said what its node has
		nodes, err := m.market.Nodes(t.Context())
		return err == nil && len(nodes) == 1 && nodes[0].GPUs == 4
	})
	token, err := m.makeToken(t.Context(), alice, v1.RoleUser, "a test")
	if err != nil {
		t.Fatal(err)
	}
	to, err := client.New(m.url(), token, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asks := func(gpus int) (v1.Job, string) {
		t.Helper()
		j, err := to.Submit(t.Context(), v1.Request{Argv: []string{"sleep", "60"}, Dir: m.dir, EstimateMS: 100_000, DeadlineMS: 900_000, GPUs: gpus}, "")
		if no, is := errors.AsType[*client.Problem](err); is {
			return j, no.Error()
		} else if err != nil {
			t.Fatal(err)
		}
		return j, ""
	}
	if j, no := asks(3); !strings.Contains(no, "gres/gpu=2 of account physics") {
		t.Errorf("three of two: %q, %+v", no, j)
	}
	if j, no := asks(2); no != "" {
		t.Fatalf("two of two: %q, %+v", no, j)
	}
	if j, no := asks(1); !strings.Contains(no, "of which 2 are used") {
		t.Errorf("one more: %q, %+v", no, j)
	}
	if j, no := asks(0); no != "" {
		t.Errorf("none: %q, %+v", no, j)
	}

	// Three jobs at a time: a quote that binds is one of them, until it is dropped or taken.
	small := v1.Request{Argv: []string{"sleep", "1"}, Dir: m.dir, EstimateMS: 5_000, DeadlineMS: 600_000}
	quoted, err := to.AskQuote(t.Context(), small, 5*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	full := func() {
		t.Helper()
		if q, err := to.AskQuote(t.Context(), small, time.Minute); err == nil || !strings.Contains(err.Error(), "MaxJobs=3") {
			t.Errorf("one more of three: %+v, %v", q, err)
		}
	}
	full()
	if err = to.DropQuote(t.Context(), quoted.ID); err != nil {
		t.Fatal(err)
	}
	if quoted, err = to.AskQuote(t.Context(), small, 5*time.Minute); err != nil {
		t.Fatal(err)
	}
	full()
	j, err := to.Submit(t.Context(), v1.Request{}, quoted.ID)
	if err != nil {
		t.Fatal(err)
	}
	m.until(t, "what was quoted to run", func() bool {
		now, err := m.market.Job(t.Context(), j.ID)
		return err == nil && now.State == v1.Completed
	})
	m.until(t, "room when that has ended", func() bool { // Slurm counts it until it has put it away
		_, no := asks(0)
		return no == ""
	})
}
