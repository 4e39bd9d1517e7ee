package main

import (
	"errors"
	"strings"
	"testing"

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
		{"add", "user", alice, "account=physics", "cluster=" + slurmtest.ClusterName},
	} {
		if out, err := cluster.Run(t.Context(), "sacctmgr", append([]string{"--immediate"}, args...)...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	m := openSlurmMarket(t, cluster, "libra", "agents", alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
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
}
